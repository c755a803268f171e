// What formulas of two moments ask of them.
#pragma once

#include <string_view>

#include "analysis/time_law.h"

namespace basin {

// NoAnswer, by its name ("the service"), unless the mean is above zero and the second
// moment finite and not below the square of the mean but for rounding.
void expect_moments(const Moments& moments, std::string_view name);

// Not negative; 0 where it is only rounding of a constant's second moment.
double variance_of(const Moments& moments);

}  // namespace basin
