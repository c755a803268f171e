// Numbers as an engineer reads them in the middle of the night: whole where they are
// whole, thousands separated, spans in the units of a clock; and rows of label and text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace basin {

// "3,600,000", "12.5", "0.00012"; exact where whole and below 10^15, otherwise four
// significant digits.
std::string count_text(double value);
// "12,800/s", "0.5/s"
std::string rate_text(double per_second);
// "35.7%"
std::string percent_text(double fraction);
// "250 ms", "42.5 s", "21 min 26 s", "3 h 7 min 50 s", "2 d 3 h", "32 years"
std::string span_text(double seconds);

// "1 consumer", "32 consumers"
std::string plural(double count, std::string_view noun);

// `text` in lines of at most 80 columns, broken at spaces but not between a number and
// its unit; from the second on behind `indent` spaces. `used` columns of the first are
// taken.
std::string wrapped(std::string_view text, std::size_t used, std::size_t indent);
// A label, the text from column 22 on, and the end of the line.
std::string row(std::string_view label, std::string_view text);

}  // namespace basin
