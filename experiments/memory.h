// How much memory runs may take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace basin {

// "4GiB", "500MB", "1.5G" (binary, as GiB), "800000000" (bytes). Absent if it is none of
// these, or not above zero.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// "1.5 GiB", "640 kB"
std::string bytes_text(double bytes);

// The machine's memory, or the limit of the control group (v1 or v2) where that is less.
std::int64_t memory_of_machine();

// What runs may take if nothing is said: 70% of it.
std::int64_t default_memory_limit();

}  // namespace basin
