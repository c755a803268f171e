// Quantities as people write them: "30s", "8min", "250ms", "10k/s", "90/min".
//
// Durations are exact in decimal: "0.1s" is 100,000,000 ns and nothing else. What cannot
// be read throws UnitError, whose message says what was expected.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/time.h"

namespace basin {

class UnitError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// No span in a scenario is longer: 20 years. A few of them add up without overflow.
inline constexpr Duration longest_written_duration = std::chrono::hours{24 * 7300};

struct WrittenDuration {
  Duration span{0};    // nearest nanosecond
  double seconds = 0;  // the double nearest to what was written
};

// A number and one of ns, us, ms, s, min, h, d. Not negative, at most
// longest_written_duration; not zero unless it says zero.
WrittenDuration parse_duration(std::string_view text);

// Per second. A number, perhaps k, M or G, a slash and one of ms, s, min, h, d. Not
// negative, finite.
double parse_rate(std::string_view text);

// A plain finite number, a plain whole number.
double parse_number(std::string_view text);
std::int64_t parse_whole(std::string_view text);

// A whole number, not negative, perhaps with k, M or G: "3.6M" is 3,600,000. At most
// 10^15.
double parse_count(std::string_view text);
// A number and %, perhaps negative, as a fraction: "10%" is 0.1.
double parse_percentage(std::string_view text);

// In the largest unit that needs no fraction: "8min", "90s", "250ms", "0s".
std::string format_duration(Duration span);
// "100/s", with as many digits as it takes to read the same double back.
std::string format_rate(double per_second);
std::string format_number(double value);

// The letters after the number: "min" of "8min", "k/s" of "10k/s".
std::string_view unit_part(std::string_view text);

}  // namespace basin
