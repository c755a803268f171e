// Numbers made by arithmetic, as one would write them.
#pragma once

#include <string>

namespace basin {

// Twelve significant digits, so that what was made in binary reads as it would be
// written: 0.1 * 3 is "0.3".
std::string decimal_text(long double value);

// The double nearest to those twelve digits.
double to_twelve_digits(double value);

}  // namespace basin
