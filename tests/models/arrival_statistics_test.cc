// Counts of arrivals in a window, over many replications, against theory: their mean and
// their index of dispersion (IDC), variance / mean.
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/random.h"
#include "engine/time.h"
#include "models/arrivals.h"
#include "tests/models/sample_check.h"

namespace basin {
namespace {

struct Window {
  double from;
  double to;
};

struct Counts {
  Observations count;
  Observations variance;  // unbiased, of 20 replications each
};

Counts counts_in(const Arrivals& arrivals, Window window, int groups = 300) {
  const SimTime from{from_seconds(window.from)};
  const SimTime to{from_seconds(window.to)};
  Counts result;
  std::uint64_t replication = 0;
  for (int group = 0; group < groups; ++group) {
    Observations of_group;
    for (int i = 0; i < 20; ++i) {
      ArrivalStream stream{
          arrivals, {.seed = 21, .replication = replication++}, 0, SimTime{}};
      int count = 0;
      for (SimTime instant = stream.next().time; instant < to;
           instant = stream.next().time) {
        count += instant >= from ? 1 : 0;
      }
      of_group.add(count);
      result.count.add(count);
    }
    result.variance.add(of_group.variance());
  }
  return result;
}

void expect_counts(const Arrivals& arrivals, Window window, double mean, double idc) {
  const Counts counts = counts_in(arrivals, window);
  expect_mean(counts.count, mean, 0.05);
  expect_mean(counts.variance, mean * idc, 0.2);
}

// 1 - (1 - exp(-x)) / x: how much of a correlation that decays in 1/x of the window
// counts.
double within_window(double x) {
  return 1 + std::expm1(-x) / x;
}

TEST(PoissonArrivals, have_a_dispersion_of_one) {
  expect_counts(PoissonArrivals{5}, {0, 20}, 100, 1);
}

// Compound Poisson: IDC = E[B^2] / E[B].
TEST(BatchPoissonArrivals, have_the_dispersion_of_their_batches) {
  expect_counts(
      BatchPoissonArrivals{5, 4, BatchPoissonArrivals::Size::constant}, {0, 40}, 200, 4);
  expect_counts(BatchPoissonArrivals{5, 4, BatchPoissonArrivals::Size::geometric},
                {0, 40},
                200,
                2 * 4 - 1);
}

// A stationary two-state MMPP with rates r1, r2 out of its states: IDC(t) = 1 + A *
// within_window((r1 + r2) t), A = 2 r1 r2 (l1 - l2)^2 / ((r1 + r2)^2 (l1 r2 + l2 r1)).
// Fischer and Meier-Hellstern, "The Markov-modulated Poisson process cookbook", 1993.
double mmpp_idc(double l1, double l2, double r1, double r2, double window) {
  const double both = r1 + r2;
  const double asymptote =
      2 * r1 * r2 * (l1 - l2) * (l1 - l2) / (both * both * (l1 * r2 + l2 * r1));
  return 1 + asymptote * within_window(both * window);
}

TEST(MmppArrivals, of_two_states_have_the_dispersion_of_the_cookbook) {
  expect_counts(MmppArrivals{{10, 1}, {{0, 0.5}, {1, 0}}, {}},
                {0, 20},
                20 * 7,
                mmpp_idc(10, 1, 0.5, 1, 20));
  // Anywhere on the axis: the initial state is drawn from the stationary law.
  expect_counts(MmppArrivals{{10, 1}, {{0, 0.5}, {1, 0}}, {}},
                {30, 31},
                7,
                mmpp_idc(10, 1, 0.5, 1, 1));
}

// From a given state: E[N] = l t + (l(state) - l) (1 - exp(-(r1 + r2) t)) / (r1 + r2).
TEST(MmppArrivals, begin_in_the_state_that_is_given) {
  const MmppArrivals arrivals{{10, 1}, {{0, 0.5}, {1, 0}}, 1};
  const Counts counts = counts_in(arrivals, {0, 1});
  expect_mean(counts.count, 7 + (1 - 7) * -std::expm1(-1.5) / 1.5, 0.05);
}

// Exponential periods make a two-state MMPP, and a fresh period is a stationary one.
TEST(OnOffArrivals, with_exponential_periods_have_the_dispersion_of_an_mmpp) {
  expect_counts(OnOffArrivals{10, 0, Exponential{2}, Exponential{1}},
                {0, 20},
                20 * 10 * 2.0 / 3,
                mmpp_idc(10, 0, 0.5, 1, 20));
}

TEST(OnOffArrivals, have_their_long_run_rate_with_other_periods_too) {
  const OnOffArrivals arrivals{20, 2, Gamma{2, 0.5}, Uniform{0.5, 1.5}};
  const Counts counts = counts_in(arrivals, {100, 120}, 50);
  expect_mean(counts.count, 20 * mean_rate(arrivals), 0.05);
}

// Begins without a history: with k = decay (1 - n), E[N(t)] = rate * (t - n (1 - exp(-k
// t)) / k).
TEST(HawkesArrivals, have_the_mean_of_a_start_without_history) {
  const double n = 0.6;
  const double k = 2 * (1 - n);
  const Counts counts = counts_in(HawkesArrivals{5, n, 2}, {0, 3});
  expect_mean(counts.count, 5 * (3 + n * std::expm1(-3 * k) / k), 0.05);
}

// In steady state, the covariance density is rate * decay * n (2 - n) / (2 (1 - n)) *
// exp(-k age) (Hawkes, Biometrika 58, 1971), so that IDC(t) = 1 + (1 / (1 - n)^2 - 1) *
// within_window(k t).
TEST(HawkesArrivals, have_the_dispersion_of_their_branching) {
  const double n = 0.5;
  const double k = 4 * (1 - n);
  const double asymptote = 1 / ((1 - n) * (1 - n)) - 1;
  expect_counts(
      HawkesArrivals{5, n, 4}, {20, 60}, 200, 1 + asymptote * within_window(k * 40));
  expect_counts(HawkesArrivals{5, n, 4}, {20, 21}, 5, 1 + asymptote * within_window(k));
}

// Counts of an inhomogeneous Poisson process are Poisson with the integrated rate.
TEST(ScheduleArrivals, have_the_integrated_rate_in_every_part_of_the_schedule) {
  // Up from 0 to 10 in 4 s, 10 until 6 s, down to 2 in 2 s, then 2.
  const ScheduleArrivals once{{{0, 10, 4}, {6, 2, 2}}, {}, 3};
  expect_counts(once, {0, 2}, 3 * 5, 1);
  expect_counts(once, {2, 4}, 3 * 15, 1);
  expect_counts(once, {4, 6}, 3 * 20, 1);
  expect_counts(once, {6, 7}, 3 * 8, 1);
  expect_counts(once, {7, 8}, 3 * 4, 1);
  expect_counts(once, {50, 60}, 3 * 20, 1);
}

TEST(ScheduleArrivals, repeat_with_their_period) {
  // From the last rate, 8, down to 2 in 1 s, 2 until 3 s, 8 until 4 s.
  const ScheduleArrivals daily{{{0, 2, 1}, {3, 8, 0}}, 4.0, 1};
  for (const double cycle : {0.0, 4.0, 80.0}) {
    expect_counts(daily, {cycle, cycle + 1}, 5, 1);
    expect_counts(daily, {cycle + 1, cycle + 3}, 4, 1);
    expect_counts(daily, {cycle + 3, cycle + 4}, 8, 1);
  }
}

TEST(ScheduleArrivals, have_no_request_while_the_rate_is_zero) {
  const Arrivals pulse = ScheduleArrivals{{{0, 0, 0}, {5, 100, 0}, {6, 0, 0}}, 10.0, 1};
  ArrivalStream stream{pulse, {.seed = 3}, 0, SimTime{}};
  for (int i = 0; i < 10'000; ++i) {
    const double place = std::fmod(to_seconds(stream.next().time), 10);
    ASSERT_GE(place, 5 - 1e-6);
    ASSERT_LE(place, 6 + 1e-6);
  }
}

// A uniform instant lies in a third of the interval with probability 1/3: binomial.
TEST(CountTraceArrivals, are_uniform_in_their_intervals) {
  const auto counts =
      std::make_shared<const std::vector<double>>(std::vector<double>{30, 60});
  const CountTraceArrivals arrivals{counts, 3, 1, 1, true};
  for (const double third : {0.0, 1.0, 2.0}) {
    expect_counts(arrivals, {6 + third, 7 + third}, 10, 2.0 / 3);
    expect_counts(arrivals, {9 + third, 10 + third}, 20, 2.0 / 3);
  }
}

TEST(CountTraceArrivals, resolve_fractions_by_a_coin) {
  const auto counts =
      std::make_shared<const std::vector<double>>(std::vector<double>{0.5, 1});
  const CountTraceArrivals arrivals{counts, 1, 1, 0.5, true};
  expect_mean(counts_in(arrivals, {0, 1}).count, 0.25, 0.1);
  expect_mean(counts_in(arrivals, {101, 102}).count, 0.5, 0.1);
}

TEST(TraceArrivals, with_half_a_rate_keep_every_other_record_on_average) {
  const auto times =
      std::make_shared<const std::vector<double>>(std::vector<double>{0.5});
  const TraceArrivals arrivals{times, 1, 1, 0.5, true};
  expect_counts(arrivals, {0, 100}, 50, 0.5);  // binomial
}

}  // namespace
}  // namespace basin
