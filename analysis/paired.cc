#include "analysis/paired.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>

#include "analysis/portable_real.h"
#include "analysis/verdict.h"

namespace basin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::int64_t count_infinite(std::span<const double> values) {
  return std::count_if(
      values.begin(), values.end(), [](double value) { return std::isinf(value); });
}

}  // namespace

PairedDifference paired_difference(std::span<const double> first,
                                   std::span<const double> second,
                                   double level) {
  if (first.size() != second.size()) {
    throw std::invalid_argument("a paired difference takes as many values of both");
  }
  PairedDifference result;
  result.first = mean_estimate(first, level);
  result.second = mean_estimate(second, level);
  result.pairs = static_cast<std::int64_t>(first.size());
  result.infinite_first = count_infinite(first);
  result.infinite_second = count_infinite(second);
  result.variance_reduction = variance_reduction_factor(first, second);
  result.difference = {.mean = nan, .low = nan, .high = nan};

  std::vector<double> differences;
  differences.reserve(first.size());
  result.is_identical = !first.empty();
  for (std::size_t k = 0; k < first.size(); ++k) {
    result.missing += std::isnan(first[k]) || std::isnan(second[k]) ? 1 : 0;
    result.is_identical = result.is_identical && first[k] == second[k];
    differences.push_back(second[k] - first[k]);
  }
  result.is_defined = !first.empty() && result.missing == 0 &&
                      result.infinite_first == 0 && result.infinite_second == 0;
  if (result.is_defined) {
    result.difference = mean_estimate(differences, level);
    result.excludes_zero = result.difference.low > 0 || result.difference.high < 0;
  }
  return result;
}

PairedOutcomes paired_outcomes(std::int64_t both,
                               std::int64_t first_alone,
                               std::int64_t second_alone,
                               std::int64_t neither,
                               double level) {
  const std::int64_t pairs = both + first_alone + second_alone + neither;
  if (std::min({both, first_alone, second_alone, neither}) < 0 || pairs < 1) {
    throw std::invalid_argument("paired outcomes are counts of at least one pair");
  }
  if (!(level > 0 && level < 1)) {
    throw std::invalid_argument("confidence level is not between 0 and 1");
  }
  PairedOutcomes result;
  result.both = both;
  result.first_alone = first_alone;
  result.second_alone = second_alone;
  result.neither = neither;
  result.p_value = sign_test(first_alone, second_alone);
  const auto surplus = static_cast<double>(second_alone - first_alone);
  result.difference = surplus / static_cast<double>(pairs);

  const double n = static_cast<double>(pairs) + 2;
  const double discordant = static_cast<double>(first_alone + second_alone) + 1;
  const double standard_error = std::sqrt(discordant - surplus * surplus / n) / n;
  const boost::math::normal_distribution<PortableReal> normal;
  const double half_width =
      static_cast<double>(quantile(complement(normal, PortableReal{(1 - level) / 2}))) *
      standard_error;
  result.interval = {.low = std::max(surplus / n - half_width, -1.0),
                     .high = std::min(surplus / n + half_width, 1.0)};
  return result;
}

double sign_test(std::int64_t one_side, std::int64_t other_side) {
  const std::int64_t less = std::min(one_side, other_side);
  const std::int64_t coins = one_side + other_side;
  if (less < 0) {
    throw std::invalid_argument("a sign test takes counts");
  }
  if (coins == 0) {
    return 1;
  }
  const boost::math::binomial_distribution<PortableReal> fair{static_cast<double>(coins),
                                                              PortableReal{0.5}};
  return std::min(1.0, 2 * static_cast<double>(cdf(fair, PortableReal{less})));
}

}  // namespace basin
