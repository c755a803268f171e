#include "analysis/intervals.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Brown, Cai and DasGupta (2001), table 5, gives these to three decimals.
TEST(JeffreysInterval, agrees_with_the_published_table_for_ten_trials) {
  const std::array<Interval, 6> table{
      {{0, .217}, {.011, .381}, {.044, .503}, {.093, .606}, {.153, .696}, {.224, .776}}};
  for (std::size_t k = 0; k < table.size(); ++k) {
    const Interval interval = jeffreys_interval(static_cast<std::int64_t>(k), 10);
    EXPECT_NEAR(interval.low, table[k].low, 5e-4) << k;
    EXPECT_NEAR(interval.high, table[k].high, 5e-4) << k;
  }
}

// Quantiles of the beta distribution by bisection on mpmath's betainc, 40 digits.
TEST(JeffreysInterval, agrees_with_beta_quantiles_computed_elsewhere) {
  const Interval interval = jeffreys_interval(78, 100);
  EXPECT_NEAR(interval.low, 0.6915741414840991, 1e-13);
  EXPECT_NEAR(interval.high, 0.8524907174125528, 1e-13);
}

TEST(JeffreysInterval, ends_at_zero_and_one_where_all_trials_agree) {
  EXPECT_EQ(jeffreys_interval(0, 6).low, 0);
  EXPECT_EQ(jeffreys_interval(6, 6).high, 1);
  EXPECT_NEAR(jeffreys_interval(6, 6).low, 0.6696110908484498, 1e-13);
  EXPECT_EQ(jeffreys_interval(0, 1).low, 0);
  EXPECT_LT(jeffreys_interval(0, 1).high, 1);
}

TEST(JeffreysInterval, is_symmetric_in_success_and_failure) {
  const Interval few = jeffreys_interval(3, 20);
  const Interval many = jeffreys_interval(17, 20);
  EXPECT_NEAR(few.low, 1 - many.high, 1e-12);
  EXPECT_NEAR(few.high, 1 - many.low, 1e-12);
}

TEST(JeffreysInterval, refuses_what_is_no_proportion) {
  EXPECT_THROW(jeffreys_interval(0, 0), std::invalid_argument);
  EXPECT_THROW(jeffreys_interval(-1, 5), std::invalid_argument);
  EXPECT_THROW(jeffreys_interval(6, 5), std::invalid_argument);
  EXPECT_THROW(jeffreys_interval(1, 5, 1.0), std::invalid_argument);
}

// Mean 3, variance 2.5, t(4 degrees of freedom, 0.975) = 2.776445105.
TEST(MeanEstimate, is_students_t_interval) {
  const std::array values{1.0, 2.0, 3.0, 4.0, 5.0};
  const MeanEstimate estimate = mean_estimate(values);
  EXPECT_DOUBLE_EQ(estimate.mean, 3);
  EXPECT_NEAR(estimate.high - 3, 2.776445105 * std::sqrt(0.5), 1e-8);
  EXPECT_NEAR(3 - estimate.low, 2.776445105 * std::sqrt(0.5), 1e-8);
}

TEST(MeanEstimate, of_one_value_has_no_interval) {
  const MeanEstimate estimate = mean_estimate(std::array{7.0});
  EXPECT_EQ(estimate.mean, 7);
  EXPECT_TRUE(std::isnan(estimate.low));
  EXPECT_TRUE(std::isnan(estimate.high));
}

TEST(MeanEstimate, with_an_infinite_value_is_infinite_and_never_nan) {
  const MeanEstimate estimate = mean_estimate(std::array{1.0, infinity, 2.0});
  EXPECT_EQ(estimate.mean, infinity);
  EXPECT_EQ(estimate.low, infinity);
  EXPECT_EQ(estimate.high, infinity);
}

TEST(MeanEstimate, leaves_out_values_that_are_not_there) {
  EXPECT_DOUBLE_EQ(mean_estimate(std::array{nan, 1.0, nan, 3.0}).mean, 2);
  EXPECT_TRUE(std::isnan(mean_estimate(std::array{nan, nan}).mean));
  EXPECT_TRUE(std::isnan(mean_estimate({}).mean));
}

TEST(CensoredQuantile, is_the_smallest_value_with_that_share_at_or_below_it) {
  const std::array values{40.0, 10.0, 30.0, 20.0};
  EXPECT_EQ(censored_quantile(values, 0), 10);
  EXPECT_EQ(censored_quantile(values, 0.25), 10);
  EXPECT_EQ(censored_quantile(values, 0.26), 20);
  EXPECT_EQ(censored_quantile(values, 0.5), 20);
  EXPECT_EQ(censored_quantile(values, 1), 40);
}

// 0.1 * 30 is a little above 3 in binary.
TEST(CensoredQuantile, takes_a_share_that_is_a_whole_number_of_values_as_that_number) {
  std::vector<double> values;
  for (int k = 1; k <= 30; ++k) {
    values.push_back(k);
  }
  EXPECT_EQ(censored_quantile(values, 0.1), 3);
  EXPECT_EQ(censored_quantile(values, 0.9), 27);
}

TEST(CensoredQuantile, can_be_not_reached) {
  const std::array values{5.0, infinity, 7.0, infinity};
  EXPECT_EQ(censored_quantile(values, 0.5), 7);
  EXPECT_EQ(censored_quantile(values, 0.51), infinity);
}

TEST(CensoredQuantile, of_nothing_is_nan) {
  EXPECT_TRUE(std::isnan(censored_quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(censored_quantile(std::array{nan}, 0.5)));
}

TEST(CensoredQuantile, refuses_a_share_outside_of_zero_to_one) {
  EXPECT_THROW(censored_quantile(std::array{1.0}, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace basin
