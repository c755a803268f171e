#include "analysis/mm1.h"

#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

constexpr Mm1 four_fifths{.arrival_rate = 0.8, .service_rate = 1};

// A birth-death chain truncated at 1,200 and solved in 40 digits gives the same.
TEST(Mm1, steady_state_at_four_fifths) {
  const Mm1Answers result = answers(four_fifths);
  expect_relative(result.utilization, 0.8);
  expect_relative(result.mean_number, 4);
  expect_relative(result.mean_waiting, 3.2);
  expect_relative(result.mean_sojourn, 5);
  expect_relative(result.mean_wait, 4);
  expect_relative(result.number_variance, 20);
  expect_relative(result.time_average_variance, 1800);
  expect_relative(result.relaxation_rate, 0.011145618000168242873);
  expect_relative(result.busy_period_mean, 5);
  expect_relative(result.busy_period_variance, 225);
  expect_relative(number_tail(four_fifths, 20), 0.009223372036854775808);
  expect_relative(sojourn_quantile(four_fifths, 0.5), 3.4657359027997265471);
  expect_relative(sojourn_quantile(four_fifths, 0.99), 23.02585092994045684);
  expect_relative(sojourn_quantile(four_fifths, 0.999), 34.53877639491068526);
  expect_relative(wait_quantile(four_fifths, 0.99), 21.910133173369408061);
  EXPECT_EQ(wait_quantile(four_fifths, 0.1), 0);
}

TEST(Mm1, tails_and_quantiles_are_inverse) {
  for (const double p : {0.0, 0.3, 0.9, 0.99999}) {
    expect_relative(sojourn_tail(four_fifths, sojourn_quantile(four_fifths, p)), 1 - p);
  }
  expect_relative(wait_tail(four_fifths, wait_quantile(four_fifths, 0.9)), 0.1);
}

// Gambler's ruin, from a scale function's recursion in 40 digits.
TEST(Mm1, overflow_before_empty) {
  const Mm1 half{.arrival_rate = 0.5, .service_rate = 1};
  expect_relative(overflow_probability(half, 20), 9.5367522590181913549e-7);
  expect_relative(mean_time_to_level(half, 20), 4194260);
  expect_relative(overflow_probability(four_fifths, 100), 5.0925899418735941081e-11);
  expect_relative(mean_time_to_level(four_fifths, 100), 122727336107.44316383);
  expect_relative(overflow_probability(half, 1), 1);
  expect_relative(overflow_probability({.arrival_rate = 1, .service_rate = 1}, 50), 0.02);
  expect_relative(mean_time_to_level({.arrival_rate = 1, .service_rate = 1}, 50), 1275);
  expect_relative(overflow_probability({.arrival_rate = 2, .service_rate = 1}, 1000),
                  0.5);
  EXPECT_EQ(overflow_probability(half, 100'000), 0);
  EXPECT_THROW(mean_time_to_level(half, 100'000), NoAnswer);
}

// Uniformization with 400 states and the matrix exponential agree on these to 4e-16.
TEST(Mm1, transient_from_empty) {
  const Mm1Transient result = transient(four_fifths, 0, 10);
  expect_relative(result.mean_number, 2.030281563579, 1e-12);
  expect_relative(result.empty_probability, 0.2864225932848, 1e-12);
  expect_relative(result.number_variance, 4.440750554947, 1e-12);
}

TEST(Mm1, transient_ends_in_the_steady_state) {
  for (const std::int64_t initial : {0, 3, 20}) {
    const Mm1Transient result = transient(four_fifths, initial, 20'000);
    expect_relative(result.mean_number, 4, 1e-9);
    expect_relative(result.number_variance, 20, 1e-9);
    expect_relative(result.empty_probability, 0.2, 1e-9);
  }
}

// The spectral sum and uniformization are two ways; a start at 61 takes the second.
TEST(Mm1, transient_two_ways_agree) {
  const Mm1 half{.arrival_rate = 0.5, .service_rate = 1};
  const Mm1Transient near = transient(half, 26, 30);  // loses 3.9 digits
  const Mm1Transient far = transient(half, 27, 30);
  // One more at the start is one more until the queue is nearly empty.
  EXPECT_GT(far.mean_number, near.mean_number + 0.9);
  EXPECT_LT(far.mean_number, near.mean_number + 1);
  // Far from empty the walk is free: mean n + (lambda - mu) t, variance (lambda + mu) t.
  const Mm1Transient free = transient(half, 400, 30);
  expect_relative(free.mean_number, 385);
  expect_relative(free.number_variance, 45, 1e-9);
}

TEST(Mm1, transient_of_an_overloaded_queue_grows) {
  const Mm1 over{.arrival_rate = 2, .service_rate = 1};
  const Mm1Transient result = transient(over, 0, 1000);
  // (lambda - mu) t, and mu / (lambda - mu) for the time spent empty.
  expect_relative(result.mean_number, 1001, 1e-9);
  EXPECT_LT(result.empty_probability, 1e-12);
}

TEST(Mm1, transient_near_saturation_stays_finite) {
  const Mm1 near{.arrival_rate = 0.9999, .service_rate = 1};
  const Mm1Transient result = transient(near, 0, 1000);
  EXPECT_GT(result.mean_number, 20);
  // Less than reflected Brownian motion's sqrt(2 * 2 * t / pi).
  EXPECT_LT(result.mean_number, 36);
}

// First passage of a random walk, by Wald's identities.
TEST(Mm1, drain_time_has_mean_and_variance) {
  const DrainTime result = drain_time({.arrival_rate = 8, .service_rate = 10}, 1000);
  expect_relative(result.mean, 500);
  expect_relative(result.variance, 2250);
  EXPECT_EQ(drain_time(four_fifths, 0).mean, 0);
}

TEST(Mm1, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(answers({.arrival_rate = 1, .service_rate = 1}), NoAnswer);
  EXPECT_THROW(answers({.arrival_rate = 0, .service_rate = 1}), NoAnswer);
  EXPECT_THROW(answers({.arrival_rate = 1, .service_rate = -1}), NoAnswer);
  EXPECT_THROW(answers({.arrival_rate = std::nan(""), .service_rate = 1}), NoAnswer);
  EXPECT_THROW(drain_time({.arrival_rate = 2, .service_rate = 1}, 10), NoAnswer);
  EXPECT_THROW(wait_quantile(four_fifths, 1), NoAnswer);
  EXPECT_THROW(overflow_probability(four_fifths, 0), NoAnswer);
  EXPECT_THROW(transient(four_fifths, -1, 1), NoAnswer);
  try {
    answers({.arrival_rate = 1.5, .service_rate = 1});
    FAIL();
  } catch (const NoAnswer& reason) {
    EXPECT_STREQ(reason.what(),
                 "no steady state: the load is 1.5 of the capacity, not below 1");
  }
}

}  // namespace
}  // namespace basin
