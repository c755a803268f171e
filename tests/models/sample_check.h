// Comparing the mean of independent observations with a value that theory gives.
#pragma once

#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>

namespace basin {

class Observations {
 public:
  void add(double value) {
    ++count_;
    const double step = value - mean_;
    mean_ += step / static_cast<double>(count_);
    squares_ += step * (value - mean_);
  }
  double mean() const { return mean_; }
  double variance() const { return squares_ / static_cast<double>(count_ - 1); }
  double standard_error() const {
    return std::sqrt(variance() / static_cast<double>(count_));
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// The mean agrees with `theory` at the 0.1% level (two-sided; at least 100 observations,
// so t is below 3.4), and the interval is narrow: its half-width is below `precision` *
// theory.
inline void expect_mean(const Observations& observations,
                        double theory,
                        double precision) {
  const double half_width = 3.4 * observations.standard_error();
  EXPECT_NEAR(observations.mean(), theory, half_width);
  EXPECT_LT(half_width, precision * theory);
}

}  // namespace basin
