// Standard output and error, and what is known of the terminal behind them.
#pragma once

#include <cstddef>
#include <string_view>

namespace basin {

// Writes all of it to standard output. Throws std::runtime_error if that fails (a full
// disk): a result cut short must not look like one.
void print(std::string_view text);

// "basin: …" on standard error.
void complain(std::string_view message);

std::size_t terminal_columns();  // 80 if unknown
bool output_has_colour();        // a terminal, and NO_COLOR is not set
bool output_is_utf8();

}  // namespace basin
