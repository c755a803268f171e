#include "analysis/mean_field.h"

#include <cmath>
#include <limits>

#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// A golden-section search and the root of the derivative, in 40 digits, give the same.
TEST(MeanField, folds_of_three_and_five_attempts) {
  const CollapseFold three =
      collapse_fold({.service_rate = 1, .timeout = 10, .attempts = 3});
  expect_relative(three.load, 0.69465805944722242576);
  expect_relative(three.attempt_rate, 0.7851956048490038514);
  expect_relative(three.recovery_load, 1.0 / 3);
  expect_relative(three.window(), 0.36132472611388909243);
  const CollapseFold five =
      collapse_fold({.service_rate = 1, .timeout = 10, .attempts = 5});
  expect_relative(five.load, 0.6936149151944549973);
  expect_relative(five.attempt_rate, 0.78232591328252271723);
  expect_relative(five.window(), 0.4936149151944549973);
}

TEST(MeanField, fixed_points_solve_their_equation) {
  const MeanFieldRetries model{.service_rate = 300, .timeout = 0.05, .attempts = 4};
  const CollapseFold fold = collapse_fold(model);
  ASSERT_GT(fold.load, fold.recovery_load);
  const double load = (fold.load + fold.recovery_load) / 2;
  const auto points = fixed_points(model, load);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_TRUE(points[0].is_stable);
  EXPECT_FALSE(points[1].is_stable);
  EXPECT_TRUE(points[2].is_stable);
  for (const FixedPoint& point : points) {
    const double p = point.late_probability;
    expect_relative(load * (1 + p + p * p + p * p * p), point.attempt_rate);
  }
  EXPECT_EQ(fixed_points(model, fold.recovery_load * 0.99).size(), 1U);
  EXPECT_EQ(fixed_points(model, fold.load * 1.01).size(), 1U);
  EXPECT_EQ(fixed_points(model, 0).at(0).attempt_rate, 0);
}

TEST(MeanField, one_attempt_and_short_timeouts_have_no_window) {
  const CollapseFold alone =
      collapse_fold({.service_rate = 2, .timeout = 10, .attempts = 1});
  EXPECT_EQ(alone.load, 2);
  EXPECT_EQ(alone.window(), 0);
  // mu T < 2 / (R - 1): the load rises all the way to mu / R.
  const CollapseFold hasty =
      collapse_fold({.service_rate = 1, .timeout = 0.9, .attempts = 3});
  expect_relative(hasty.load, 1.0 / 3);
  EXPECT_EQ(hasty.window(), 0);
  // Patient callers: the fold nears mu.
  EXPECT_GT(collapse_fold({.service_rate = 1, .timeout = 1e6, .attempts = 3}).load,
            0.9999);
}

TEST(MeanField, branches_are_there_where_they_are) {
  const MeanFieldRetries model{.service_rate = 1, .timeout = 10, .attempts = 3};
  const double loads[] = {0.2, 0.5, 0.8};
  const HysteresisBranches branches = hysteresis(model, loads);
  EXPECT_TRUE(std::isnan(branches.saturated[0]));
  EXPECT_LT(branches.healthy[1], branches.unstable[1]);
  EXPECT_LT(branches.unstable[1], branches.saturated[1]);
  EXPECT_TRUE(std::isnan(branches.healthy[2]));
  expect_relative(branches.saturated[2], 2.4);
}

TEST(MeanField, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(collapse_fold({.service_rate = 0, .timeout = 1, .attempts = 2}), NoAnswer);
  EXPECT_THROW(collapse_fold({.service_rate = 1, .timeout = 1, .attempts = 0}), NoAnswer);
  EXPECT_THROW(fixed_points({.service_rate = 1, .timeout = 1, .attempts = 2}, -1),
               NoAnswer);
}

}  // namespace
}  // namespace basin
