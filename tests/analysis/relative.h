// Values of theory compared to as many digits as they have.
#pragma once

#include <cmath>

#include <gtest/gtest.h>

namespace basin {

// |value / expected - 1| <= tolerance.
inline void expect_relative(double value, double expected, double tolerance = 1e-10) {
  EXPECT_LE(std::abs(value - expected), tolerance * std::abs(expected))
      << value << " instead of " << expected;
}

}  // namespace basin
