// Intervals for probabilities and means, and quantiles of censored samples.
#pragma once

#include <cstdint>
#include <span>

namespace basin {

struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

// Jeffreys interval for a binomial proportion: quantiles of Beta(k + 1/2, n - k + 1/2),
// with the ends 0 at k = 0 and 1 at k = n. Brown, Cai and DasGupta, "Interval estimation
// for a binomial proportion", Statistical Science 16 (2001). 0 <= successes <= trials,
// trials >= 1, 0 < level < 1.
Interval jeffreys_interval(std::int64_t successes,
                           std::int64_t trials,
                           double level = 0.95);

// The same for the mean of `trials` independent values from 0 to 1 whose sum is given, as
// if each were that share of a success. Conservative: no such value varies more than a
// success or failure of the same mean. Jeffreys' own interval where the sum is whole.
Interval bounded_mean_interval(double sum, std::int64_t trials, double level = 0.95);

struct MeanEstimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};
// Student's t interval for the mean of independent values. One value: low and high are
// NaN. An infinite value makes mean, low and high infinite; NaN values are left out, and
// with none left all three are NaN.
MeanEstimate mean_estimate(std::span<const double> values, double level = 0.95);

// The p-quantile of a sample in which infinite values mean "not reached" (inverse of the
// empirical distribution function: the smallest value with at least p of the sample at or
// below it). Infinite when not reached; NaN for an empty sample. NaN values are left out.
double censored_quantile(std::span<const double> values, double p);

}  // namespace basin
