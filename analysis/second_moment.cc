#include "analysis/second_moment.h"

#include <cmath>
#include <string>

#include "analysis/no_answer.h"

namespace basin {

namespace {

constexpr double rounding = 1e-12;

}  // namespace

void expect_moments(const Moments& moments, std::string_view name) {
  above_zero(moments.mean, "the mean of " + std::string{name});
  if (std::isinf(moments.second) && moments.second > 0) {
    throw NoAnswer(std::string{name} +
                   " has an infinite variance, so that the mean wait is infinite too");
  }
  above_zero(moments.second, "the second moment of " + std::string{name});
  if (moments.second < moments.mean * moments.mean * (1 - rounding)) {
    throw NoAnswer(std::string{name} +
                   " has a second moment below the square of its mean");
  }
}

double variance_of(const Moments& moments) {
  const double variance = moments.variance();
  return variance > rounding * moments.second ? variance : 0;
}

}  // namespace basin
