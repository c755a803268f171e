#include "analysis/retry_planning.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analysis/no_answer.h"

namespace basin {
namespace {

RetryLoop fleet(double retries, double consumers = 32) {
  return {.flow = {.arrival_rate = 10'000, .consumers = consumers, .service_rate = 400},
          .retries_per_timeout = retries,
          .timeout = 30};
}
constexpr double backlog = 3.6e6;

double steps(const RetryLoop& loop, double from) {
  return steps_to_drain(loop, from).value;
}

TEST(RetryPlanning, the_consumers_needed_drain_in_time_and_one_fewer_do_not) {
  EXPECT_EQ(consumers_to_recover(fleet(0), backlog, 1'800).value, 30);
  for (const double retries : {0.1, 0.25, 1.0, 1.5, 20.0}) {
    for (const double start : {1e3, 84e3, backlog}) {
      const double needed = consumers_to_recover(fleet(retries), start, 1'800).value;
      EXPECT_LE(steps(fleet(retries, needed), start), 1'800);
      EXPECT_GT(steps(fleet(retries, needed - 1), start), 1'800)
          << retries << " from " << start;
    }
  }
}

TEST(RetryPlanning, a_message_more_than_drains_in_time_does_not) {
  EXPECT_EQ(backlog_drained_within(fleet(0), 1'800), 2'800 * 1'800);
  EXPECT_EQ(backlog_drained_within(fleet(0, 25), 1'800), 0);
  for (const double retries : {0.1, 0.25, 0.28, 1.0, 1.5}) {
    const double most = backlog_drained_within(fleet(retries), 1'800);
    EXPECT_LE(steps(fleet(retries), most), 1'800);
    EXPECT_GT(steps(fleet(retries), most + 1), 1'800) << retries;
  }
  // Never more than drains at all: the critical depth is 2800 * 30 / 1.5.
  EXPECT_LT(backlog_drained_within(fleet(1.5), 1'800), 56'000);
}

TEST(RetryPlanning, retries_shorten_the_incident_that_is_survived) {
  EXPECT_EQ(longest_incident(fleet(0, 30), 1'800, 10'000).value, 360);
  for (const double retries : {0.1, 0.25, 1.5}) {
    const double longest = longest_incident(fleet(retries), 1'800, 10'000).value;
    EXPECT_LT(longest, 504);
    const auto after = [&](double seconds) {
      return steps(fleet(retries),
                   depth_while_growing(fleet(retries), 0, 10'000, seconds));
    };
    EXPECT_LE(after(longest), 1'800);
    EXPECT_GT(after(longest + 1), 1'800) << retries;
  }
  EXPECT_FALSE(longest_incident(fleet(1), 1'800, -1).is_finite());
  EXPECT_EQ(longest_incident(fleet(1, 25), 1'800, 10'000).value, 0);
}

TEST(RetryPlanning, sheds_down_to_what_drains_in_time) {
  const Shedding storm = shedding(fleet(1.5), backlog, 600);
  EXPECT_TRUE(storm.shed);
  EXPECT_LE(steps(fleet(1.5), backlog - storm.excess), 600);
  EXPECT_EQ(storm.depth_bound, 15e6);
  EXPECT_FALSE(shedding(fleet(0.25), backlog, 11'270).shed);
  EXPECT_TRUE(shedding(fleet(0.25), backlog, 11'269).shed);
}

TEST(RetryPlanning, without_retries_an_order_is_the_plain_one) {
  for (const double growth : {6'000.0, 0.0, -2'800.0}) {
    const Order plain = order(fleet(0).flow, backlog, growth, 1'800, 300);
    const Order loop = order(fleet(0), backlog, growth, 1'800, 300);
    EXPECT_EQ(loop.backlog_then, plain.backlog_then);
    EXPECT_EQ(loop.needed_from_arrival.value, plain.needed_from_arrival.value);
    EXPECT_EQ(loop.more_from_now.value, plain.more_from_now.value);
  }
  // Saturated throughout: 2,500/s more for five minutes.
  EXPECT_EQ(order(fleet(0.25), backlog, 6'000, 1'800, 300).backlog_then,
            backlog + 300 * 8'500);
  EXPECT_FALSE(order(fleet(0.25), backlog, 0, 300, 300).needed_from_now.is_finite());
  // Drained by then without retries, and by no means with them.
  EXPECT_EQ(order(fleet(1.5).flow, backlog, -2'800, 1'800, 1'800).more_from_now.value, 0);
  EXPECT_FALSE(
      order(fleet(1.5), backlog, -2'800, 1'800, 1'800).more_from_now.is_finite());
}

TEST(RetryPlanning, half_a_second_of_growth_is_half_a_step) {
  EXPECT_EQ(depth_while_growing(fleet(0), 0, 6'000, 2.5), 15'000);
  EXPECT_EQ(depth_while_growing(fleet(0), 1'000, -6'000, 0.25), 750);
}

TEST(RetryPlanning, refuses_what_is_no_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(consumers_to_recover(fleet(1), 1, nan), NoAnswer);
  EXPECT_THROW(consumers_to_recover(fleet(nan), 1, 1), NoAnswer);
  EXPECT_THROW(backlog_drained_within(fleet(1), 0), NoAnswer);
  EXPECT_THROW(longest_incident(fleet(1), 1, nan), NoAnswer);
  EXPECT_THROW(shedding(fleet(1), -1, 1), NoAnswer);
  EXPECT_THROW(order(fleet(1), 1, nan, 1, 1), NoAnswer);
  EXPECT_THROW(order(fleet(1), 1, 1, 1, -1), NoAnswer);
}

}  // namespace
}  // namespace basin
