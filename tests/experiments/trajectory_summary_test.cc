#include "experiments/trajectory_summary.h"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/intervals.h"

namespace basin {
namespace {

using testing::ElementsAre;
using testing::IsNan;

TrajectorySummary summarize(const std::vector<std::vector<float>>& trajectories,
                            std::size_t length) {
  const std::vector<std::span<const float>> views(trajectories.begin(),
                                                  trajectories.end());
  return summarize_trajectories(views, length);
}

TEST(TrajectorySummary, mean_and_quantiles_at_each_instant) {
  const auto summary = summarize({{1, 10}, {2, 30}, {6, 20}}, 2);
  EXPECT_THAT(summary.mean, ElementsAre(3, 20));
  EXPECT_THAT(summary.p10, ElementsAre(1, 10));
  EXPECT_THAT(summary.p90, ElementsAre(6, 30));
}

TEST(TrajectorySummary, one_trajectory_is_its_own_summary) {
  const auto summary = summarize({{4, 5}}, 2);
  EXPECT_THAT(summary.mean, ElementsAre(4, 5));
  EXPECT_THAT(summary.p10, ElementsAre(4, 5));
  EXPECT_THAT(summary.p90, ElementsAre(4, 5));
}

TEST(TrajectorySummary, nothing_is_said_of_instants_that_one_run_did_not_reach) {
  const auto summary = summarize({{1, 1, 1}, {1000, 2000}}, 3);
  EXPECT_THAT(summary.mean, ElementsAre(500.5, 1000.5, IsNan()));
  EXPECT_THAT(summary.p90, ElementsAre(1000, 2000, IsNan()));
  EXPECT_THAT(summarize({}, 1).mean, ElementsAre(IsNan()));
}

TEST(TrajectorySummary, value_that_is_not_a_number_makes_that_instant_missing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto summary = summarize({{1, nan}, {3, 4}}, 2);
  EXPECT_THAT(summary.mean, ElementsAre(2, IsNan()));
  EXPECT_THAT(summary.p10, ElementsAre(1, IsNan()));
}

TEST(TrajectorySummary, quantiles_are_those_of_the_verdict_for_every_number_of_runs) {
  std::mt19937 generator{7};
  for (std::size_t count = 1; count <= 200; ++count) {
    std::vector<std::vector<float>> trajectories;
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      trajectories.push_back({static_cast<float>(generator() % 50)});
      values.push_back(static_cast<double>(trajectories.back()[0]));
    }
    const auto summary = summarize(trajectories, 1);
    EXPECT_EQ(static_cast<double>(summary.p10[0]), censored_quantile(values, 0.1))
        << count;
    EXPECT_EQ(static_cast<double>(summary.p90[0]), censored_quantile(values, 0.9))
        << count;
  }
}

}  // namespace
}  // namespace basin
