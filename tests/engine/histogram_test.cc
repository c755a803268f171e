#include "engine/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "engine/contract.h"
#include "engine/random.h"

namespace basin {
namespace {

// Spread over all magnitudes.
std::int64_t some_value(RandomStream& stream) {
  const std::uint64_t word = stream();
  return static_cast<std::int64_t>(stream() >> (1 + word % 63));
}

double exact_quantile(std::vector<std::int64_t> values, double p) {
  std::sort(values.begin(), values.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size())));
  return static_cast<double>(values[std::max<std::size_t>(rank, 1) - 1]);
}

TEST(Histogram, is_exact_for_small_values) {
  Histogram histogram;
  for (std::int64_t value = 0; value < 256; ++value) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.quantile(0), 0);
  EXPECT_EQ(histogram.quantile(0.5), 127);
  EXPECT_EQ(histogram.quantile(1), 255);
}

TEST(Histogram, a_single_value_is_found_within_half_a_percent_at_any_magnitude) {
  for (int exponent = 0; exponent < 63; ++exponent) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::int64_t value = (std::int64_t{1} << exponent) + offset;
      Histogram histogram;
      histogram.add(value);
      const auto truth = static_cast<double>(value);
      EXPECT_NEAR(histogram.quantile(0.5), truth, truth / 256) << value;
    }
  }
  Histogram histogram;
  histogram.add(INT64_MAX);
  EXPECT_NEAR(histogram.quantile(0.5), 0x1p63, 0x1p63 / 256);
}

TEST(Histogram, quantiles_are_those_of_the_sorted_values_within_half_a_percent) {
  RandomStream stream{{.seed = 5}, {}};
  for (const int size : {1, 2, 3, 10, 999, 20'000}) {
    Histogram histogram;
    std::vector<std::int64_t> values;
    for (int i = 0; i < size; ++i) {
      values.push_back(some_value(stream));
      histogram.add(values.back());
    }
    for (const double p : {0.0, 0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999, 1.0}) {
      const double truth = exact_quantile(values, p);
      EXPECT_NEAR(histogram.quantile(p), truth, truth / 256)
          << size << " values, p = " << p;
    }
  }
}

TEST(Histogram, merging_parts_in_any_order_equals_adding_everything) {
  RandomStream stream{{.seed = 6}, {}};
  Histogram whole;
  std::vector<Histogram> parts(5);
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t value = some_value(stream);
    Histogram& part = parts[stream() % parts.size()];
    whole.add(value);
    part.add(value);
    if (i % 10 == 0) {
      whole.add_infinite();
      part.add_infinite();
    }
  }
  Histogram forwards;
  Histogram backwards;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    forwards.merge(parts[i]);
    backwards.merge(parts[parts.size() - 1 - i]);
  }
  EXPECT_EQ(forwards, whole);
  EXPECT_EQ(backwards, whole);
  EXPECT_EQ(whole.count(), 11'000U);
}

TEST(Histogram, equality_ignores_how_far_the_bins_have_grown) {
  Histogram small;
  small.add(3);
  Histogram grown;
  grown.add(3);
  grown.add(1'000'000, 0);
  EXPECT_EQ(small, grown);
  grown.add(1'000'000);
  EXPECT_NE(small, grown);
}

TEST(Histogram, adding_a_value_many_times_is_adding_it_that_often) {
  Histogram at_once;
  at_once.add(12'345, 3);
  Histogram one_by_one;
  for (int i = 0; i < 3; ++i) {
    one_by_one.add(std::chrono::nanoseconds{12'345});
  }
  EXPECT_EQ(at_once, one_by_one);
}

TEST(Histogram, a_quantile_among_the_infinite_values_is_infinite) {
  Histogram histogram;
  histogram.add(10, 95);
  histogram.add_infinite(5);
  EXPECT_EQ(histogram.quantile(0.95), 10);
  EXPECT_EQ(histogram.quantile(0.96), std::numeric_limits<double>::infinity());
  EXPECT_EQ(histogram.count(), 100U);
  EXPECT_EQ(histogram.infinite_count(), 5U);
}

TEST(Histogram, an_empty_one_has_no_quantiles) {
  EXPECT_TRUE(std::isnan(Histogram{}.quantile(0.5)));
}

TEST(Histogram, refuses_negative_values_and_impossible_quantiles) {
  Histogram histogram;
  EXPECT_THROW(histogram.add(-1), ContractViolation);
  EXPECT_THROW(histogram.quantile(1.5), ContractViolation);
  EXPECT_THROW(histogram.quantile(std::nan("")), ContractViolation);
}

}  // namespace
}  // namespace basin
