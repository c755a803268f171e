#include "analysis/intervals.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "analysis/portable_real.h"

namespace basin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The same few quantiles are asked for again and again, and take their time.
template <class... Arguments>
double remembered(double (*quantile)(Arguments...), Arguments... arguments) {
  constexpr std::size_t most_remembered = 100'000;
  thread_local std::map<std::tuple<double (*)(Arguments...), Arguments...>, double> known;
  if (known.size() >= most_remembered) {
    known.clear();
  }
  const auto [place, is_new] = known.try_emplace({quantile, arguments...});
  if (is_new) {
    place->second = quantile(arguments...);
  }
  return place->second;
}

double beta_lower_quantile(double a, double b, double p) {
  const boost::math::beta_distribution<PortableReal> law{a, b};
  return static_cast<double>(quantile(law, PortableReal{p}));
}
double beta_upper_quantile(double a, double b, double p) {
  const boost::math::beta_distribution<PortableReal> law{a, b};
  return static_cast<double>(quantile(complement(law, PortableReal{p})));
}
double student_upper_quantile(double degrees_of_freedom, double p) {
  const boost::math::students_t_distribution<PortableReal> law{degrees_of_freedom};
  return static_cast<double>(quantile(complement(law, PortableReal{p})));
}

void expect_level(double level) {
  if (!(level > 0 && level < 1)) {
    throw std::invalid_argument("confidence level is not between 0 and 1");
  }
}

}  // namespace

Interval jeffreys_interval(std::int64_t successes, std::int64_t trials, double level) {
  return bounded_mean_interval(static_cast<double>(successes), trials, level);
}

Interval bounded_mean_interval(double sum, std::int64_t trials, double level) {
  expect_level(level);
  const auto most = static_cast<double>(trials);
  if (trials < 1 || !(sum >= 0) || sum > most) {
    throw std::invalid_argument(
        "an interval for a proportion needs 0 <= successes <= trials and a trial");
  }
  const double each_side = (1 - level) / 2;
  const double a = sum + 0.5;
  const double b = most - sum + 0.5;
  Interval interval{.low = 0, .high = 1};
  if (sum > 0) {
    interval.low = remembered(beta_lower_quantile, a, b, each_side);
  }
  if (sum < most) {
    interval.high = remembered(beta_upper_quantile, a, b, each_side);
  }
  return interval;
}

MeanEstimate mean_estimate(std::span<const double> values, double level) {
  expect_level(level);
  double sum = 0;
  std::size_t count = 0;
  for (const double value : values) {
    if (!std::isnan(value)) {
      sum += value;
      ++count;
    }
  }
  if (count == 0) {
    return {.mean = nan, .low = nan, .high = nan};
  }
  const double n = static_cast<double>(count);
  const double mean = sum / n;
  if (std::isinf(mean)) {
    return {.mean = mean, .low = mean, .high = mean};
  }
  if (count == 1) {
    return {.mean = mean, .low = nan, .high = nan};
  }
  double squares = 0;
  for (const double value : values) {
    if (!std::isnan(value)) {
      squares += (value - mean) * (value - mean);
    }
  }
  const double standard_error = std::sqrt(squares / (n - 1) / n);
  const double half_width =
      remembered(student_upper_quantile, n - 1, (1 - level) / 2) * standard_error;
  return {.mean = mean, .low = mean - half_width, .high = mean + half_width};
}

double censored_quantile(std::span<const double> values, double p) {
  if (!(p >= 0 && p <= 1)) {
    throw std::invalid_argument("a quantile is asked for outside of 0 to 1");
  }
  std::vector<double> sorted;
  sorted.reserve(values.size());
  std::copy_if(
      values.begin(), values.end(), std::back_inserter(sorted), [](double value) {
        return !std::isnan(value);
      });
  if (sorted.empty()) {
    return nan;
  }
  std::sort(sorted.begin(), sorted.end());
  // The least k with k/n >= p. p*n may round up past a whole number (0.1 * 30 does): such
  // a product means that number.
  const double n = static_cast<double>(sorted.size());
  const double nearest = std::round(p * n);
  const double k = std::abs(p * n - nearest) < 1e-9 * n ? nearest : std::ceil(p * n);
  return sorted[static_cast<std::size_t>(std::clamp(k, 1.0, n)) - 1];
}

}  // namespace basin
