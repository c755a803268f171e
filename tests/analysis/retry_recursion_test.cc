#include "analysis/retry_recursion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/no_answer.h"

namespace basin {
namespace {

// 32 consumers of 400/s at 10,000/s, callers wait 30 s: a surplus of 2,800/s.
RetryLoop fleet(double retries, double consumers = 32) {
  return {.flow = {.arrival_rate = 10'000, .consumers = consumers, .service_rate = 400},
          .retries_per_timeout = retries,
          .timeout = 30};
}
constexpr double backlog = 3.6e6;
constexpr double ten_hours = 36'000;

// The formula, one step at a time.
std::vector<double> stepped(const RetryLoop& loop, double depth, int steps) {
  const Flow& flow = loop.flow;
  std::vector<double> depths{depth};
  for (int i = 0; i < steps; ++i) {
    const double timing_out = std::min(1.0, depth / (flow.arrival_rate * loop.timeout));
    depth += flow.arrival_rate * (1 + loop.retries_per_timeout * timing_out) -
             flow.consumers * flow.service_rate;
    depth = std::max(depth, 0.0);
    depths.push_back(depth);
  }
  return depths;
}

TEST(RetryRecursion, the_published_numbers) {
  EXPECT_FALSE(
      retry_outlook(fleet(0, 25), backlog, ten_hours).steps_to_drain.is_finite());
  EXPECT_EQ(retry_outlook(fleet(0), backlog, ten_hours).steps_to_drain.value, 1'286);
  const RetryOutlook storm = retry_outlook(fleet(1.5), backlog, ten_hours);
  EXPECT_FALSE(storm.steps_to_drain.is_finite());
  EXPECT_EQ(storm.depth_before_last, 442'787'800);
  EXPECT_EQ(storm.final_depth, 442'800'000);
  EXPECT_EQ(storm.peak_depth, 442'800'000);
  EXPECT_EQ(storm.saturated_arrival_rate, 25'000);
  EXPECT_EQ(storm.saturated_growth, 12'200);
  EXPECT_EQ(storm.critical_retries.value, 0.28);
  EXPECT_EQ(storm.critical_retries_at_any_depth.value, 0.28);
  EXPECT_EQ(storm.critical_depth.value, 56'000);
  const RetryOutlook slow = retry_outlook(fleet(0.25), backlog, ten_hours);
  EXPECT_EQ(slow.steps_to_drain.value, 11'270);  // 187.8 min
  EXPECT_EQ(slow.peak_depth, backlog);
  EXPECT_EQ(slow.final_depth, 0);
}

// 10,000 * 0.28 - 2,800 is 0, but 4.5e-13 in doubles.
TEST(RetryRecursion, a_surplus_of_zero_drains_nothing) {
  const RetryOutlook outlook = retry_outlook(fleet(0.28), backlog, 1e9);
  EXPECT_EQ(outlook.steps_to_drain.why_infinite, "retries take up the whole surplus");
  EXPECT_EQ(outlook.final_depth, backlog);
  EXPECT_EQ(outlook.saturated_growth, 0);
  EXPECT_TRUE(retry_outlook(fleet(0.279999999), backlog, 1).steps_to_drain.is_finite());
  EXPECT_EQ(retry_outlook(fleet(0.280000001), backlog, 1).steps_to_drain.why_infinite,
            "retries exceed the surplus, so the backlog grows");
}

TEST(RetryRecursion, every_exact_balance_in_hundredths_keeps_its_depth) {
  for (int hundredths = 1; hundredths <= 300; ++hundredths) {
    const double retries = hundredths / 100.0;
    RetryLoop loop = fleet(retries);
    loop.flow.consumers = 25 * (100 + hundredths) / 100.0;
    const RetryOutlook outlook = retry_outlook(loop, backlog, 1e9);
    EXPECT_FALSE(outlook.steps_to_drain.is_finite()) << retries;
    EXPECT_EQ(outlook.final_depth, backlog) << retries;
  }
}

// Below lambda T not every attempt times out, and more retries are survived.
TEST(RetryRecursion, a_shallow_backlog_survives_more_retries) {
  // surplus T / depth = 2800 * 30 / 84,000 = 1.
  EXPECT_EQ(retry_outlook(fleet(0.5), 84'000, 10).critical_retries.value, 1);
  EXPECT_TRUE(retry_outlook(fleet(0.99), 84'000, 10).steps_to_drain.is_finite());
  const RetryOutlook balanced = retry_outlook(fleet(1), 84'000, 1e9);
  EXPECT_FALSE(balanced.steps_to_drain.is_finite());
  EXPECT_EQ(balanced.final_depth, 84'000);
  EXPECT_EQ(balanced.critical_depth.value, 84'000);
  const RetryOutlook over = retry_outlook(fleet(1.01), 84'000, 1e9);
  EXPECT_FALSE(over.steps_to_drain.is_finite());
  EXPECT_GT(over.final_depth, 1e12);
}

// Random loops against the plain iteration, away from the balance where noise decides.
TEST(RetryRecursion, agrees_with_the_iteration_step_by_step) {
  std::mt19937_64 random{1};
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  int drained = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const RetryLoop loop{.flow = {.arrival_rate = uniform(0, 20),
                                  .consumers = std::floor(uniform(0, 20)),
                                  .service_rate = uniform(0.1, 2)},
                         .retries_per_timeout = uniform(-0.5, 2) < 0 ? 0 : uniform(0, 2),
                         .timeout = uniform(0.1, 40)};
    const double start = std::floor(uniform(-100, 800));
    const double depth = std::max(start, 0.0);
    const std::vector<double> plain = stepped(loop, depth, 400);
    const RetryOutlook outlook = retry_outlook(loop, depth, 400);
    for (const int at : {1, 2, 3, 10, 57, 399, 400}) {
      const double expected = plain[static_cast<std::size_t>(at)];
      EXPECT_NEAR(depth_after(loop, depth, at), expected, 1e-8 * (1 + expected))
          << trial << " at " << at;
    }
    EXPECT_NEAR(outlook.peak_depth,
                *std::max_element(plain.begin(), plain.end()),
                1e-8 * (1 + outlook.peak_depth));
    const auto empty = std::find(plain.begin(), plain.end(), 0.0);
    if (depth > 0 && empty != plain.end()) {
      EXPECT_EQ(outlook.steps_to_drain.value, empty - plain.begin()) << trial;
      ++drained;
    }
    if (depth > 0) {
      EXPECT_EQ(loop.retries_per_timeout < outlook.critical_retries.value,
                outlook.steps_to_drain.is_finite())
          << trial;
      EXPECT_EQ(depth < outlook.critical_depth.value, outlook.steps_to_drain.is_finite())
          << trial;
    }
  }
  EXPECT_GT(drained, 3'000);
}

TEST(RetryRecursion, a_thousand_million_steps_end_at_once) {
  const RetryOutlook up = retry_outlook(fleet(1.5), backlog, 1e9);
  EXPECT_EQ(up.final_depth, backlog + 1e9 * 12'200);
  // 1e-7 of the surplus is left: 3.6e6 / 2.8e-4 steps or so.
  const RetryOutlook down = retry_outlook(fleet(0.28 * (1 - 1e-7)), backlog, 1e9);
  EXPECT_NEAR(down.steps_to_drain.value, 3.3e6 / 2.8e-4, 1e6);
  EXPECT_NEAR(down.final_depth, backlog - 1e9 * 2.8e-4, 1);
}

TEST(RetryRecursion, an_empty_queue_stays_empty_unless_capacity_is_missing) {
  EXPECT_EQ(retry_outlook(fleet(1), 0, 100).steps_to_drain.value, 0);
  EXPECT_EQ(retry_outlook(fleet(1), 0, 100).peak_depth, 0);
  EXPECT_EQ(retry_outlook(fleet(1, 25), 0, 100).final_depth, 0);
  const RetryOutlook short_of = retry_outlook(fleet(1, 24), 0, 1);
  EXPECT_FALSE(short_of.steps_to_drain.is_finite());
  EXPECT_EQ(short_of.final_depth, 400);
  EXPECT_EQ(short_of.critical_retries.value, 0);
}

TEST(RetryRecursion, without_arrivals_nothing_is_retried) {
  RetryLoop loop = fleet(100);
  loop.flow.arrival_rate = 0;
  const RetryOutlook outlook = retry_outlook(loop, 12'801, 10);
  EXPECT_EQ(outlook.steps_to_drain.value, 2);
  EXPECT_FALSE(outlook.critical_retries.is_finite());
}

TEST(RetryRecursion, holds_at_extremes) {
  EXPECT_EQ(retry_outlook(fleet(1e-300), backlog, 10).steps_to_drain.value, 1'286);
  RetryLoop patient = fleet(1);
  patient.timeout = 1e12;
  EXPECT_EQ(retry_outlook(patient, backlog, 10).steps_to_drain.value, 1'286);
  RetryLoop hasty = fleet(0.2);
  hasty.timeout = 1e-9;
  EXPECT_EQ(retry_outlook(hasty, backlog, 10).steps_to_drain.value, 4'500);
  EXPECT_GT(retry_outlook(fleet(1e9), 1, 100).final_depth, 1e9);
  EXPECT_THROW(retry_outlook(fleet(1e306), backlog, 100), NoAnswer);
}

TEST(RetryRecursion, refuses_what_is_no_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, -1.0}) {
    EXPECT_THROW(retry_outlook(fleet(bad), 1, 1), NoAnswer);
    EXPECT_THROW(retry_outlook(fleet(1), bad, 1), NoAnswer);
    EXPECT_THROW(retry_outlook(fleet(1), 1, bad), NoAnswer);
    RetryLoop loop = fleet(1);
    loop.timeout = bad;
    EXPECT_THROW(retry_outlook(loop, 1, 1), NoAnswer);
  }
  EXPECT_THROW(retry_outlook(fleet(1), 1, 0.5), NoAnswer);
  EXPECT_THROW(retry_outlook(fleet(1), 1, 0), NoAnswer);
}

}  // namespace
}  // namespace basin
