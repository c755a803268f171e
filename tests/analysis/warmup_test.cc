#include "analysis/warmup.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/no_answer.h"
#include "tests/analysis/known_series.h"

namespace basin {
namespace {

// Each batch as five equal values.
std::vector<double> repeated(const std::vector<double>& batches) {
  std::vector<double> series;
  for (const double batch : batches) {
    series.insert(series.end(), 5, batch);
  }
  return series;
}

// Kept are eight batches 1, -1, …: mean 0, squares 8, MSER 8/64. One batch more: the 9 on
// top raises the squares to 8 + 9^2 * 8/9 = 80, MSER 80/81.
TEST(Warmup, leaves_out_what_raises_the_error_of_the_mean) {
  const Warmup warmup = find_warmup(repeated({9, 9, 1, -1, 1, -1, 1, -1, 1, -1}));
  EXPECT_TRUE(warmup.found);
  EXPECT_EQ(warmup.discard, 10U);
  EXPECT_NEAR(warmup.mean, 0, 1e-15);
  EXPECT_DOUBLE_EQ(warmup.standard_error, std::sqrt(8.0 / 64));
}

TEST(Warmup, keeps_all_of_a_constant) {
  const Warmup warmup = find_warmup(std::vector<double>(100, 0.1));
  EXPECT_TRUE(warmup.found);
  EXPECT_EQ(warmup.discard, 0U);
  EXPECT_DOUBLE_EQ(warmup.mean, 0.1);
  EXPECT_NEAR(warmup.standard_error, 0, 1e-9);
}

TEST(Warmup, finds_none_where_the_series_never_settles) {
  std::vector<double> ramp;
  for (int i = 0; i < 1'000; ++i) {
    ramp.push_back(i);
  }
  const Warmup warmup = find_warmup(ramp);
  EXPECT_FALSE(warmup.found);
  EXPECT_EQ(warmup.discard, 500U);
}

// The definition, term by term, for series of all kinds of length.
TEST(Warmup, is_the_least_of_the_definition) {
  KnownSeries random{7};
  for (std::size_t length = 50; length < 400; length += 7) {
    std::vector<double> series = random.autoregressive(0.8, length);
    for (std::size_t i = 0; i < length; ++i) {
      series[i] += 100 + 20 * std::exp(-static_cast<double>(i) / 30);
    }
    const std::size_t k = length / 5;
    std::vector<double> z(k, 0);
    for (std::size_t i = 0; i < 5 * k; ++i) {
      z[i / 5] += series[i] / 5;
    }
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d <= k / 2; ++d) {
      double mean = 0;
      for (std::size_t i = d; i < k; ++i) {
        mean += z[i] / static_cast<double>(k - d);
      }
      double mser = 0;
      for (std::size_t i = d; i < k; ++i) {
        mser += (z[i] - mean) * (z[i] - mean) / static_cast<double>((k - d) * (k - d));
      }
      if (mser < least) {
        least = mser;
        best = d;
      }
    }
    const Warmup warmup = find_warmup(series);
    EXPECT_EQ(warmup.discard, 5 * best) << length;
    EXPECT_EQ(warmup.found, best < k / 2) << length;
    EXPECT_NEAR(warmup.standard_error * warmup.standard_error, least, 1e-9 * least);
  }
}

// A bias of 20 that fades with a time constant of 200: at the truncation point it should
// be of the order of the noise, whose standard deviation is 1/sqrt(1 - 0.81) = 2.3.
TEST(Warmup, cuts_off_a_fading_bias) {
  KnownSeries random{11};
  double with = 0;
  double without = 0;
  constexpr int runs = 100;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> series = random.autoregressive(0.9, 10'000);
    for (std::size_t i = 0; i < series.size(); ++i) {
      series[i] += 20 * std::exp(-static_cast<double>(i) / 200);
      with += series[i] / static_cast<double>(series.size()) / runs;
    }
    const Warmup warmup = find_warmup(series);
    EXPECT_TRUE(warmup.found);
    EXPECT_GE(warmup.discard, 200U);
    EXPECT_LE(warmup.discard, 2'000U);
    without += warmup.mean / runs;
  }
  EXPECT_NEAR(with, 0.4, 0.05);  // 20 * 200 / 10,000
  EXPECT_NEAR(without, 0, 0.08);
}

// An M/M/1 system with rho = 0.8 and 200 customers to begin with works off 0.2 a time
// unit: steady after 1,000, at a mean number of 4.
TEST(Warmup, cuts_off_a_backlog) {
  KnownSeries random{17};
  double with = 0;
  double without = 0;
  double discarded = 0;
  constexpr int runs = 50;
  for (int run = 0; run < runs; ++run) {
    const std::vector<double> series = random.mm1_number(0.8, 10, 2'000, 200);
    for (const double value : series) {
      with += value / static_cast<double>(series.size()) / runs;
    }
    const Warmup warmup = find_warmup(series);
    EXPECT_TRUE(warmup.found);
    EXPECT_GE(warmup.discard, 50U);  // 800 to 1,000 of the 2,000 now and then
    discarded += static_cast<double>(warmup.discard) / runs;
    without += warmup.mean / runs;
  }
  EXPECT_GT(with, 8);
  EXPECT_LT(discarded, 300);
  // 0.1% of a mean over 50 * 19,000 time units: 3.29 sqrt(1800 / 950,000) = 0.14.
  EXPECT_NEAR(without, 4, 0.25);
}

TEST(Warmup, leaves_most_of_a_stationary_series) {
  KnownSeries random{13};
  double discarded = 0;
  int found = 0;
  constexpr int runs = 200;
  for (int run = 0; run < runs; ++run) {
    const Warmup warmup = find_warmup(random.autoregressive(0.5, 5'000));
    discarded += static_cast<double>(warmup.discard) / 5'000 / runs;
    found += warmup.found ? 1 : 0;
  }
  EXPECT_GE(found, 190);
  EXPECT_LT(discarded, 0.1);
}

TEST(Warmup, refuses_what_is_too_short_or_no_number) {
  EXPECT_THROW(find_warmup(std::vector<double>(49, 1)), NoAnswer);
  EXPECT_NO_THROW(find_warmup(std::vector<double>(50, 1)));
  EXPECT_THROW(find_warmup({}), NoAnswer);
  EXPECT_THROW(find_warmup(std::vector<double>(50, 1), 0), NoAnswer);
  std::vector<double> series(50, 1);
  series[20] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(find_warmup(series), NoAnswer);
}

}  // namespace
}  // namespace basin
