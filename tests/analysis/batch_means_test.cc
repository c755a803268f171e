#include "analysis/batch_means.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/no_answer.h"
#include "tests/analysis/known_series.h"

namespace basin {
namespace {

// 99.95% quantile of the normal: two-sided tests at 0.1%.
constexpr double z_999 = 3.29;

TEST(BatchMeans, by_hand) {
  // One value over, at the beginning; batches 2, 4, 9 of two values each.
  const BatchMeans result = batch_means(std::vector<double>{99, 1, 3, 4, 4, 10, 8}, 3);
  EXPECT_EQ(result.batches, 3U);
  EXPECT_EQ(result.batch_size, 2U);
  EXPECT_EQ(result.unused, 1U);
  EXPECT_DOUBLE_EQ(result.estimate.mean, 5);
  // Deviations -3, -1, 4: squares 26, products 3 - 4.
  EXPECT_DOUBLE_EQ(result.variance_constant, 2 * 13);
  EXPECT_DOUBLE_EQ(result.lag_one, -1.0 / 26);
  // t quantile with 2 degrees of freedom at 97.5%: 4.30265.
  EXPECT_NEAR(result.estimate.high - 5, 4.30265 * std::sqrt(13.0 / 3), 1e-4);
}

TEST(BatchMeans, a_constant_has_no_error_and_no_correlation) {
  const BatchMeans result = batch_means(std::vector<double>(100, 0.1));
  EXPECT_DOUBLE_EQ(result.estimate.low, 0.1);
  EXPECT_DOUBLE_EQ(result.estimate.high, 0.1);
  EXPECT_FALSE(result.correlated);
  EXPECT_EQ(result.lag_one, 0);
}

// AR(1), phi = 0.9: n times the variance of the mean tends to 1/(1 - phi)^2 = 100.
TEST(BatchMeans, the_variance_constant_of_an_autoregression) {
  constexpr std::size_t batches = 2'000;
  const BatchMeans result =
      batch_means(KnownSeries{1}.autoregressive(0.9, batches * 1'000), batches);
  // Of the batch means' variance by theory: 100 (1 - 2 phi (1 - phi^m) / (m (1 -
  // phi^2))).
  const double theory = 100 * (1 - 1.8 / (1'000 * 0.19));
  EXPECT_NEAR(
      result.variance_constant, theory, z_999 * theory * std::sqrt(2.0 / batches));
  EXPECT_LT(result.estimate.high - result.estimate.low, 2 * 2 * 10 / std::sqrt(2e6));
}

// Neighbouring means of m values of an AR(1) have the correlation
// phi (1 - phi^m)^2 / (m (1 - phi^2) - 2 phi (1 - phi^m)).
TEST(BatchMeans, the_correlation_of_neighbouring_batches) {
  const auto theory = [](double phi, double m) {
    double power = 1;
    for (int i = 0; i < static_cast<int>(m); ++i) {
      power *= phi;
    }
    return phi * (1 - power) * (1 - power) /
           (m * (1 - phi * phi) - 2 * phi * (1 - power));
  };
  constexpr std::size_t batches = 20'000;
  for (const std::size_t size : {1U, 3U, 10U, 50U}) {
    const BatchMeans result =
        batch_means(KnownSeries{size}.autoregressive(0.9, batches * size), batches);
    const double expected = theory(0.9, static_cast<double>(size));
    EXPECT_NEAR(result.lag_one, expected, z_999 / std::sqrt(batches)) << size;
    EXPECT_TRUE(result.correlated) << size;
  }
}

// Intervals of 95% cover the mean in 95% of the runs when batches are long, and say so
// when they are not; the check errs in 5%.
TEST(BatchMeans, intervals_cover_and_short_batches_are_noticed) {
  KnownSeries random{3};
  constexpr int runs = 2'000;
  int covered = 0;
  int suspected = 0;
  int covered_by_short = 0;
  int noticed = 0;
  for (int run = 0; run < runs; ++run) {
    const std::vector<double> series = random.autoregressive(0.8, 6'000);
    const BatchMeans long_ones = batch_means(series);
    covered += long_ones.estimate.low <= 0 && 0 <= long_ones.estimate.high ? 1 : 0;
    suspected += long_ones.correlated ? 1 : 0;
    const BatchMeans short_ones = batch_means(series, 2'000);
    covered_by_short +=
        short_ones.estimate.low <= 0 && 0 <= short_ones.estimate.high ? 1 : 0;
    noticed += short_ones.correlated ? 1 : 0;
  }
  const double error = z_999 * std::sqrt(0.95 * 0.05 * runs);
  EXPECT_NEAR(covered, 0.95 * runs, error + 0.01 * runs);
  EXPECT_NEAR(suspected, 0.05 * runs, error + 0.015 * runs);
  EXPECT_LT(covered_by_short, 0.85 * runs);
  EXPECT_EQ(noticed, runs);
}

// The number in an M/M/1 system, averaged over time: t times the variance tends to
// 2 rho (1 + rho) / ((1 - rho)^4 mu), 1800 at rho = 0.8. Whitt, "Planning queueing
// simulations", Management Science 35 (1989).
TEST(BatchMeans, the_variance_constant_of_a_queue) {
  constexpr double rho = 0.8;
  constexpr double bin = 100;
  constexpr std::size_t batches = 1'000;
  constexpr std::size_t bins = batches * 100;
  const std::vector<double> series = KnownSeries{5}.mm1_number(rho, bin, bins + 100);
  const BatchMeans result = batch_means(std::span{series}.subspan(100), batches);
  EXPECT_NEAR(result.variance_constant * bin,
              1'800,
              1'800 * z_999 * std::sqrt(2.0 / batches) + 1'800 * 0.03);
  const double error = std::sqrt(1'800 / (bin * bins));
  EXPECT_NEAR(result.estimate.mean, rho / (1 - rho), z_999 * error);
  EXPECT_NEAR(result.estimate.high - result.estimate.low, 2 * 1.96 * error, 0.4 * error);
  EXPECT_FALSE(result.correlated);
}

TEST(BatchMeans, refuses_what_is_too_short_or_no_number) {
  EXPECT_THROW(batch_means(std::vector<double>(29, 1)), NoAnswer);
  EXPECT_THROW(batch_means(std::vector<double>(29, 1), 2), NoAnswer);
  EXPECT_NO_THROW(batch_means(std::vector<double>(30, 1)));
  std::vector<double> series(30, 1);
  series[29] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(batch_means(series), NoAnswer);
}

}  // namespace
}  // namespace basin
