// Published numbers: "The Mathematics of Backlogs" (2026), a fleet of 400/s each at
// 10,000/s that loses fifteen of twenty-five consumers for ten minutes.
#include "analysis/drain_arithmetic.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analysis/no_answer.h"

namespace basin {
namespace {

Flow fleet(double consumers) {
  return {.arrival_rate = 10'000, .consumers = consumers, .service_rate = 400};
}

TEST(DrainArithmetic, the_published_numbers) {
  EXPECT_EQ(accumulation_rate(fleet(25), 15) * 600, 3'600'000);
  EXPECT_FALSE(drain_time(fleet(25), 3.6e6).is_finite());
  EXPECT_EQ(drain_time(fleet(30), 3.6e6).value, 1'800);
  EXPECT_EQ(consumers_to_recover(fleet(25), 3.6e6, 1'800).value, 30);
  EXPECT_EQ(longest_incident(fleet(30), 1'800, 10'000).value, 360);
  const Flow half{.arrival_rate = 5'000, .consumers = 20, .service_rate = 400};
  EXPECT_EQ(steady_wait(half, 600'000).value, 120);
  EXPECT_EQ(depth_at_wait(half, 10), 50'000);
  EXPECT_EQ(consumers_to_recover(fleet(25), 5e6, 1'800).value, 32);
  EXPECT_NEAR(drain_time(fleet(32), 3.6e6).value, 1'285.714, 1e-3);
}

TEST(DrainArithmetic, says_why_a_backlog_never_drains) {
  EXPECT_EQ(drain_time(fleet(25), 1).why_infinite,
            "capacity equals arrivals, so there is no surplus");
  EXPECT_EQ(drain_time(fleet(24), 1).why_infinite,
            "arrivals exceed capacity, so the backlog grows");
  EXPECT_EQ(drain_time(fleet(24), 0).why_infinite,
            "arrivals exceed capacity, so the backlog grows");
  EXPECT_EQ(drain_time(fleet(0), 1).why_infinite, "there are no consumers");
  EXPECT_EQ(drain_time(fleet(25), 0).value, 0);
  EXPECT_TRUE(drain_time(fleet(25), 0).is_finite());
}

// Every tenth of a rate: products of decimals leave noise such as 3 * 0.1 - 0.3
// = 5.6e-17, which would drain a message within the age of the universe.
TEST(DrainArithmetic, the_noise_of_decimals_is_no_surplus) {
  for (int consumers = 1; consumers <= 200; ++consumers) {
    for (int tenths = 1; tenths <= 50; ++tenths) {
      const Flow flow{.arrival_rate = consumers * tenths / 10.0,
                      .consumers = static_cast<double>(consumers),
                      .service_rate = tenths / 10.0};
      EXPECT_EQ(surplus(flow), 0) << consumers << " of " << flow.service_rate;
      EXPECT_EQ(utilization(flow).value, 1);
      EXPECT_EQ(consumers_to_recover(flow, 0, 60).value, consumers);
      // A backlog that one consumer more drains in exactly a minute.
      EXPECT_EQ(consumers_to_recover(flow, flow.service_rate * 60, 60).value,
                consumers + 1);
    }
  }
}

TEST(DrainArithmetic, ceiling_forgives_noise_and_nothing_else) {
  EXPECT_EQ(ceiling(25.0000000001), 25);
  EXPECT_EQ(ceiling(24.9999999999), 25);
  EXPECT_EQ(ceiling(25.00001), 26);
  EXPECT_EQ(ceiling(1e9 + 0.5), 1e9 + 1);
  EXPECT_EQ(ceiling(1e12 + 0.25), 1e12 + 1);
  EXPECT_EQ(ceiling(0), 0);
  EXPECT_EQ(ceiling(1e-6), 1);
}

// Whatever the ceiling says is enough, and one consumer fewer is not.
TEST(DrainArithmetic, the_consumers_needed_drain_in_time_and_one_fewer_do_not) {
  for (int step = 1; step <= 2'000; ++step) {
    const double backlog = step * 12'345.0;
    const double needed = consumers_to_recover(fleet(0), backlog, 1'234).value;
    EXPECT_LE(drain_time(fleet(needed), backlog).value, 1'234 * (1 + 1e-9));
    const Answer fewer = drain_time(fleet(needed - 1), backlog);
    EXPECT_GT(fewer.value, 1'234 * (1 + 1e-9)) << backlog;
  }
}

TEST(DrainArithmetic, the_fewest_consumers_with_a_surplus) {
  EXPECT_EQ(consumers_to_drain(fleet(25)).value, 26);
  EXPECT_EQ(
      consumers_to_drain({.arrival_rate = 9'999, .consumers = 1, .service_rate = 400})
          .value,
      25);
  EXPECT_EQ(consumers_to_drain({.arrival_rate = 0.3, .consumers = 1, .service_rate = 0.1})
                .value,
            4);
  EXPECT_FALSE(consumers_to_drain({.arrival_rate = 1, .consumers = 1, .service_rate = 0})
                   .is_finite());
}

TEST(DrainArithmetic, a_bump_takes_from_the_surplus) {
  const Bump small = bump(fleet(32), 0.1, 3.6e6);
  EXPECT_EQ(small.flow.arrival_rate, 11'000);
  EXPECT_EQ(small.surplus, 1'800);
  EXPECT_NEAR(small.surplus_change.value, -1'000.0 / 2'800, 1e-15);
  EXPECT_EQ(small.drain_time.value, 2'000);
  EXPECT_EQ(small.utilization.value, 11.0 / 12.8);
  const Bump all = bump(fleet(32), 0.28, 3.6e6);
  EXPECT_EQ(all.surplus, 0);
  EXPECT_EQ(all.surplus_change.value, -1);
  EXPECT_FALSE(all.drain_time.is_finite());
  EXPECT_EQ(bump(fleet(25), 0.1, 0).surplus_change.why_infinite,
            "there is no surplus to begin with");
  EXPECT_EQ(bump(fleet(25), -1, 10'000).drain_time.value, 1);
}

TEST(DrainArithmetic, a_wait_is_shorter_while_draining) {
  EXPECT_EQ(steady_wait(fleet(32), 3.6e6).value, 360);
  EXPECT_EQ(draining_wait(fleet(32), 3.6e6).value, 281.25);
  const Flow nothing{.arrival_rate = 0, .consumers = 0, .service_rate = 400};
  EXPECT_FALSE(steady_wait(nothing, 1).is_finite());
  EXPECT_FALSE(draining_wait(nothing, 1).is_finite());
  EXPECT_EQ(steady_wait(nothing, 0).value, 0);
}

TEST(DrainArithmetic, without_a_surplus_no_incident_fits_and_without_growth_all_do) {
  EXPECT_EQ(longest_incident(fleet(25), 1'800, 6'000).value, 0);
  EXPECT_EQ(longest_incident(fleet(24), 1'800, 6'000).value, 0);
  EXPECT_FALSE(
      longest_incident(fleet(32), 1'800, accumulation_rate(fleet(32), 3)).is_finite());
  EXPECT_EQ(accumulation_rate(fleet(32), 3), -1'600);
  EXPECT_EQ(accumulation_rate(fleet(32), 7), 0);
  EXPECT_EQ(accumulation_rate(fleet(32), 32), 10'000);
}

TEST(DrainArithmetic, sheds_what_would_outlive_its_time) {
  const Shedding late = shedding(fleet(32), 3.6e6, 600);
  EXPECT_TRUE(late.shed);
  EXPECT_EQ(late.drains_within, 1.68e6);
  EXPECT_EQ(late.excess, 1.92e6);
  EXPECT_EQ(late.depth_bound, 6e6);
  const Shedding exact = shedding(fleet(30), 3.6e6, 1'800);
  EXPECT_FALSE(exact.shed);
  EXPECT_EQ(exact.excess, 0);
  const Shedding never = shedding(fleet(25), 3.6e6, 1'800);
  EXPECT_TRUE(never.shed);
  EXPECT_EQ(never.excess, 3.6e6);
}

TEST(DrainArithmetic, orders_for_the_backlog_that_will_be_there) {
  // 6,000/s for five minutes more: 5.4 million, 25 + 5.4e6/(400 * 1800) = 32.5.
  const Order growing = order(fleet(25), 3.6e6, 6'000, 1'800, 300);
  EXPECT_EQ(growing.backlog_then, 5.4e6);
  EXPECT_EQ(growing.needed_from_arrival.value, 33);
  EXPECT_EQ(growing.more_from_arrival.value, 8);
  EXPECT_EQ(growing.needed_from_now.value, 34);  // 25 + 5.4e6/(400 * 1500) = 34
  EXPECT_EQ(growing.more_from_now.value, 9);
  // With a surplus that is just enough, what is drained meanwhile is not ordered for.
  const Order enough = order(fleet(30), 3.6e6, -surplus(fleet(30)), 1'800, 300);
  EXPECT_EQ(enough.backlog_then, 3e6);
  EXPECT_EQ(enough.more_from_now.value, 0);
  EXPECT_EQ(order(fleet(30), 1'000, -2'000, 1'800, 300).backlog_then, 0);
  const Order late = order(fleet(25), 3.6e6, 0, 300, 300);
  EXPECT_EQ(late.more_from_now.why_infinite,
            "they arrive when the recovery time is already over");
  EXPECT_EQ(late.more_from_arrival.value, 30);
}

TEST(DrainArithmetic, refuses_what_is_no_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -1.0}) {
    EXPECT_THROW(surplus(fleet(bad)), NoAnswer);
    EXPECT_THROW(drain_time(fleet(32), bad), NoAnswer);
    EXPECT_THROW(consumers_to_recover(fleet(32), 1, bad), NoAnswer);
    EXPECT_THROW(shedding(fleet(32), 1, bad), NoAnswer);
    EXPECT_THROW(order(fleet(32), 1, 1, 1, bad), NoAnswer);
    EXPECT_THROW(accumulation_rate(fleet(32), bad), NoAnswer);
  }
  EXPECT_THROW(consumers_to_recover(fleet(32), 1, 0), NoAnswer);
  EXPECT_THROW(accumulation_rate(fleet(32), 33), NoAnswer);
  EXPECT_THROW(bump(fleet(32), -1.5, 0), NoAnswer);
  const Flow huge{.arrival_rate = 1, .consumers = 1e200, .service_rate = 1e200};
  EXPECT_THROW(surplus(huge), NoAnswer);
}

TEST(DrainArithmetic, holds_for_tiny_and_huge_rates) {
  const Flow tiny{.arrival_rate = 1e-12, .consumers = 3, .service_rate = 1e-12};
  EXPECT_DOUBLE_EQ(drain_time(tiny, 2).value, 1e12);
  EXPECT_EQ(consumers_to_recover(tiny, 2, 1e12).value, 3);
  const Flow huge{.arrival_rate = 1e15, .consumers = 1e4, .service_rate = 2e11};
  EXPECT_DOUBLE_EQ(drain_time(huge, 1e18).value, 1e3);
}

}  // namespace
}  // namespace basin
