#include "analysis/paired.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace basin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(PairedDifference, is_the_interval_of_the_differences) {
  // Differences 1, 2, 3: mean 2, standard error 1/sqrt(3), t(0.975, 2) = 4.302653.
  const std::array<double, 3> first{10, 20, 30};
  const std::array<double, 3> second{11, 22, 33};
  const PairedDifference paired = paired_difference(first, second);
  EXPECT_DOUBLE_EQ(paired.first.mean, 20);
  EXPECT_DOUBLE_EQ(paired.second.mean, 22);
  EXPECT_DOUBLE_EQ(paired.difference.mean, 2);
  EXPECT_NEAR(paired.difference.low, 2 - 4.302653 / std::sqrt(3), 1e-6);
  EXPECT_NEAR(paired.difference.high, 2 + 4.302653 / std::sqrt(3), 1e-6);
  EXPECT_FALSE(paired.excludes_zero);
  EXPECT_TRUE(paired.is_defined);
  EXPECT_FALSE(paired.is_identical);
  // Variances 100 and 121, of the difference 1.
  EXPECT_NEAR(paired.variance_reduction, 221, 1e-9);
}

TEST(PairedDifference, excludes_zero_where_the_systems_differ_in_every_pair_alike) {
  const std::array<double, 4> first{1, 7, 3, 9};
  const std::array<double, 4> second{2, 8.5, 4, 10.5};
  EXPECT_TRUE(paired_difference(first, second).excludes_zero);
  EXPECT_TRUE(paired_difference(second, first).excludes_zero);
}

TEST(PairedDifference, of_equal_values_is_zero_and_called_identical) {
  const std::array<double, 3> values{1, 2, 3};
  const PairedDifference paired = paired_difference(values, values);
  EXPECT_TRUE(paired.is_identical);
  EXPECT_EQ(paired.difference.mean, 0);
  EXPECT_EQ(paired.difference.low, 0);
  EXPECT_FALSE(paired.excludes_zero);
}

TEST(PairedDifference, is_not_taken_over_the_pairs_that_happen_to_be_finite) {
  const std::array<double, 3> first{1, infinity, infinity};
  const std::array<double, 3> second{1, 2, nan};
  const PairedDifference paired = paired_difference(first, second);
  EXPECT_FALSE(paired.is_defined);
  EXPECT_TRUE(std::isnan(paired.difference.mean));
  EXPECT_EQ(paired.infinite_first, 2);
  EXPECT_EQ(paired.infinite_second, 0);
  EXPECT_EQ(paired.missing, 1);
  EXPECT_FALSE(paired.excludes_zero);
}

TEST(PairedDifference, infinite_in_every_pair_of_both_is_identical_without_a_difference) {
  const std::array<double, 2> never{infinity, infinity};
  const PairedDifference paired = paired_difference(never, never);
  EXPECT_TRUE(paired.is_identical);
  EXPECT_FALSE(paired.is_defined);
}

TEST(PairedDifference, of_one_pair_has_no_interval_and_excludes_nothing) {
  const std::array<double, 1> first{1};
  const std::array<double, 1> second{5};
  const PairedDifference paired = paired_difference(first, second);
  EXPECT_EQ(paired.difference.mean, 4);
  EXPECT_TRUE(std::isnan(paired.difference.low));
  EXPECT_FALSE(paired.excludes_zero);
  EXPECT_THROW(paired_difference(first, {}), std::invalid_argument);
}

TEST(SignTest, is_exact) {
  // 2 * (1 + 10) / 2^10 and 2 / 2^20: sums of binomial coefficients.
  EXPECT_NEAR(sign_test(1, 9), 22.0 / 1024, 1e-15);
  EXPECT_NEAR(sign_test(20, 0), std::ldexp(1, -19), 1e-20);
  EXPECT_EQ(sign_test(0, 0), 1);
  EXPECT_EQ(sign_test(4, 4), 1);
  EXPECT_THROW(sign_test(-1, 2), std::invalid_argument);
}

TEST(PairedOutcomes, follow_the_published_example) {
  // Approval of the prime minister, twice: Agresti and Min (2005) give counts 794, 150,
  // 86, 570. McNemar's statistic there is (86 - 150)^2 / (86 + 150) = 17.36, p = 3e-5.
  const PairedOutcomes outcomes = paired_outcomes(794, 150, 86, 570);
  EXPECT_NEAR(outcomes.difference, -0.04, 1e-12);
  // By hand: surplus -64 of n = 1602, se = sqrt(237 - 64^2/1602)/1602 = 0.0095581.
  EXPECT_NEAR(outcomes.interval.low, -64.0 / 1602 - 1.959964 * 0.0095581, 1e-6);
  EXPECT_NEAR(outcomes.interval.high, -64.0 / 1602 + 1.959964 * 0.0095581, 1e-6);
  EXPECT_GT(outcomes.p_value, 1e-5);
  EXPECT_LT(outcomes.p_value, 1e-4);
}

TEST(PairedOutcomes, without_discordant_pairs_may_still_differ_a_little) {
  const PairedOutcomes outcomes = paired_outcomes(20, 0, 0, 0);
  EXPECT_EQ(outcomes.p_value, 1);
  EXPECT_EQ(outcomes.difference, 0);
  EXPECT_LT(outcomes.interval.low, 0);
  EXPECT_GT(outcomes.interval.high, 0);
}

TEST(PairedOutcomes, stay_between_minus_one_and_one) {
  const PairedOutcomes outcomes = paired_outcomes(0, 0, 1, 0);
  EXPECT_EQ(outcomes.difference, 1);
  EXPECT_LE(outcomes.interval.high, 1);
  EXPECT_GE(outcomes.interval.low, -1);
  EXPECT_THROW(paired_outcomes(0, 0, 0, 0), std::invalid_argument);
}

}  // namespace
}  // namespace basin
