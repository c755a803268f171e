#include "analysis/sequential.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>

namespace basin {
namespace {

using testing::ElementsAre;

TEST(Sequential, looks_double_up_to_the_most) {
  EXPECT_THAT(looks_up_to(80), ElementsAre(10, 20, 40, 80));
  EXPECT_THAT(looks_up_to(100), ElementsAre(10, 20, 40, 80, 100));
  EXPECT_THAT(looks_up_to(10), ElementsAre(10));
  EXPECT_THAT(looks_up_to(3), ElementsAre(3));
  EXPECT_EQ(looks_up_to(1280).size(), 8U);
  EXPECT_EQ(looks_up_to(std::numeric_limits<int>::max()).back(),
            std::numeric_limits<int>::max());
  EXPECT_THROW(looks_up_to(1), std::invalid_argument);
}

TEST(Sequential, looks_share_the_error_probability) {
  EXPECT_DOUBLE_EQ(level_of_look(1), 0.95);
  EXPECT_DOUBLE_EQ(level_of_look(5), 0.99);
  EXPECT_THROW(level_of_look(0), std::invalid_argument);
}

TEST(Sequential, a_half_width_is_relative_to_the_mean) {
  EXPECT_DOUBLE_EQ(relative_half_width({.mean = -10, .low = -11, .high = -9}), 0.1);
  EXPECT_EQ(relative_half_width({.mean = 0, .low = 0, .high = 0}), 0);
  EXPECT_TRUE(std::isinf(relative_half_width({.mean = 0, .low = -1, .high = 1})));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isinf(
      relative_half_width({.mean = infinity, .low = infinity, .high = infinity})));
}

// How often the interval at the look where the rule stops holds the mean, of `runs`
// sequences of exponential values (skewed, as queues are) with the mean 1.
int count_covered(int runs, double precision, double level) {
  const std::vector<int> looks = looks_up_to(1280);
  std::mt19937_64 generator{20261201};
  std::exponential_distribution<double> exponential{1.0};
  int covered = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values;
    MeanEstimate estimate;
    for (const int look : looks) {
      while (values.size() < static_cast<std::size_t>(look)) {
        // The mean of twenty: a replication is an average itself.
        double sum = 0;
        for (int k = 0; k < 20; ++k) {
          sum += exponential(generator);
        }
        values.push_back(sum / 20);
      }
      estimate = mean_estimate(values, level);
      if (relative_half_width(estimate) <= precision) {
        break;
      }
    }
    covered += estimate.low <= 1 && 1 <= estimate.high ? 1 : 0;
  }
  return covered;
}

TEST(SequentialSlow, intervals_at_the_look_where_it_stops_cover_as_they_say) {
  // Of 2,000 intervals at 95%, 1,870 or more with probability 0.999 (binomial, mean
  // 1,900, standard deviation 9.7). Bonferroni gives more than that.
  for (const double precision : {0.02, 0.05, 0.1}) {
    EXPECT_GE(count_covered(2000, precision, level_of_look(8)), 1870)
        << "precision " << precision;
  }
}

TEST(SequentialSlow, at_the_plain_level_they_would_cover_less) {
  // The reason for the correction: stopping looks for small variances.
  EXPECT_LT(count_covered(2000, 0.1, 0.95), 1870);
}

}  // namespace
}  // namespace basin
