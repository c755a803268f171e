#include "analysis/retry_chains.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/no_answer.h"
#include "analysis/tandem_chains.h"

namespace basin {
namespace {

void expect_digits(double value, double expected, double relative = 1e-10) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

// Reference values below: sparse solutions of the same chains by two independent methods
// (elimination and LU), which agree to the digits used; eigenvalues by Arnoldi iteration.

const PsZombie zombies{.arrival_rate = 0.6,
                       .service_rate = 1,
                       .timeout_rate = 0.1,
                       .retry_probability = 0.9,
                       .capacity = 30};

TEST(PsZombie, steady_state_agrees_with_an_independent_solution) {
  const PsZombieAnswers result = answers(zombies);
  expect_digits(result.mean_live, 6.421545127254);
  expect_digits(result.mean_zombie, 16.11683958875);
  expect_digits(result.goodput, 0.3195568358493);
  expect_digits(result.blocking_probability, 0.1681951557755);
  expect_digits(result.crowded_probability, 0.4872925560559);
  expect_digits(result.empty_probability, 0.0382886514253);
}

TEST(PsZombie, switching_agrees_with_an_independent_solution) {
  const Switching result = switching(zombies);
  expect_digits(result.time_to_storm, 238.6026520304);
  EXPECT_THAT(result.storm_state, testing::ElementsAre(7, 23));
  expect_digits(result.time_to_empty, 1432.100324713);
  expect_digits(result.spectral_gap, 0.006558295130191, 1e-8);
  expect_digits(result.second_rate, 0.07478845120749, 1e-8);
}

const DepthFailure depth_failure{.arrival_rate = 0.6,
                                 .service_rate = 1,
                                 .retry_rate = 0.2,
                                 .retry_probability = 0.7,
                                 .failure_depth = 8,
                                 .capacity = 20,
                                 .orbit_limit = 60};

TEST(DepthFailure, steady_state_agrees_with_an_independent_solution) {
  const DepthFailureAnswers result = answers(depth_failure);
  expect_digits(result.mean_depth, 18.65528444006);
  expect_digits(result.mean_orbit, 6.861591167091);
  expect_digits(result.goodput, 0.01186361424938);
  expect_digits(result.blocking_probability, 0.4900802607979);
  expect_digits(result.failing_probability, 0.9805699733742);
  expect_digits(result.limit_probability, 5.1e-35, 0.02);
}

TEST(DepthFailure, switching_agrees_with_an_independent_solution) {
  const Switching result = switching(depth_failure);
  expect_digits(result.time_to_storm, 1635.418069282);
  EXPECT_THAT(result.storm_state, testing::ElementsAre(20, 6));
  expect_digits(result.time_to_empty, 81441.73225461);
  expect_digits(result.spectral_gap, 0.0006422249697939, 1e-8);
  expect_digits(result.second_rate, 0.05021376973507, 1e-8);
  expect_digits(overflow_probability(depth_failure), 0.002573897551058);
}

TEST(DepthFailure, a_limit_that_nobody_asked_for_is_far_enough) {
  DepthFailure model = depth_failure;
  model.orbit_limit.reset();
  const DepthFailureAnswers result = answers(model);
  expect_digits(result.mean_orbit, 6.861591167091);
  EXPECT_LT(result.limit_probability, 1e-16);
}

TEST(RetrialQueue, agrees_with_an_independent_solution) {
  const RetrialAnswers two = answers(RetrialQueue{.arrival_rate = 1.5,
                                                  .service_rate = 1,
                                                  .retry_rate = 0.5,
                                                  .servers = 2,
                                                  .capacity = 2,
                                                  .orbit_limit = 400});
  expect_digits(two.mean_orbit, 6.31188566042);
  expect_digits(two.mean_in_system, 1.5);
  expect_digits(two.blocking_probability, 0.5990095282983);
  expect_digits(two.throughput, 1.5);
  const RetrialAnswers one = answers(RetrialQueue{.arrival_rate = 0.8,
                                                  .service_rate = 1,
                                                  .retry_rate = 0.1,
                                                  .servers = 1,
                                                  .capacity = 10,
                                                  .orbit_limit = 500});
  expect_digits(one.mean_orbit, 0.6535400135965);
  expect_digits(one.mean_in_system, 3.396149451266);
  expect_digits(one.blocking_probability, 0.04994782591724);
  expect_digits(one.throughput, 0.8);
}

// Falin and Templeton, Retrial Queues (1997): M/M/1 without waiting room has
// E[orbit] = rho (lambda + rho gamma) / ((1 - rho) gamma).
TEST(RetrialQueue, without_a_limit_agrees_with_the_closed_form) {
  for (const double load : {0.1, 0.6, 0.95}) {
    const RetrialAnswers result =
        answers(RetrialQueue{.arrival_rate = load, .retry_rate = 0.5});
    expect_digits(
        result.mean_orbit, load * (load + load * 0.5) / ((1 - load) * 0.5), 1e-9);
    expect_digits(result.blocking_probability, load, 1e-11);
  }
}

TEST(RetrialQueue, without_a_steady_state_says_so) {
  EXPECT_THAT(
      [] { answers(RetrialQueue{.arrival_rate = 1.25, .retry_rate = 0.5}); },
      testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("utilization is 1.25")));
}

// Published numbers of the tool metafor.
TEST(QueueOrbit, agrees_with_the_published_tool) {
  const QueueOrbitAnswers low = answers(
      QueueOrbit{.arrival_rate = 5, .service_rate = 10, .timeout = 3, .retries = 4});
  expect_digits(low.mean_queue, 1.00232, 5e-6);
  expect_digits(low.drain_time, 409.602, 2e-6);
  expect_digits(low.slowest_rate, -2.79933e-3, 3e-6);
  const QueueOrbitAnswers high = answers(
      QueueOrbit{.arrival_rate = 9.5, .service_rate = 10, .timeout = 9, .retries = 3});
  expect_digits(high.mean_queue, 73.3496, 1e-6);
  expect_digits(high.drain_time, 3964.67, 2e-6);
  expect_digits(high.slowest_rate, -1.11015e-3, 5e-6);
}

// With a thread for each request and no orbit it is M/M/c/c.
TEST(QueueOrbit, many_threads_without_an_orbit_are_an_erlang_loss_system) {
  const QueueOrbitAnswers result = answers(QueueOrbit{.arrival_rate = 3,
                                                      .service_rate = 1,
                                                      .timeout = 50,
                                                      .retries = 0,
                                                      .copy_share = 0.5,
                                                      .threads = 6,
                                                      .queue = 7,
                                                      .orbit = 1});
  // Erlang B(6, 3) = (3^6 / 6!) / sum of 3^k / k!
  double sum = 0;
  double term = 1;
  for (int k = 0; k <= 6; ++k) {
    sum += term;
    term *= 3.0 / (k + 1);
  }
  expect_digits(result.full_probability, term * 7 / 3 / sum, 1e-12);
}

TEST(Tandem, overflow_agrees_with_an_independent_solution) {
  const auto probability = [](double arrival, double first, double second, int level) {
    return tandem_overflow_probability(
        {.arrival_rate = arrival, .first_rate = first, .second_rate = second}, level);
  };
  expect_digits(probability(1, 4, 2, 20), 1.907347021088e-06);
  expect_digits(probability(1, 2, 4, 20), 1.907347021088e-06);
  expect_digits(probability(0.1, 0.45, 0.45, 20), 5.951121475027e-12);
  expect_digits(probability(0.05, 0.475, 0.475, 25), 7.624655736685e-23);
}

// Weber, "The interchangeability of ./M/1 queues in series" (1979).
TEST(Tandem, servers_may_be_exchanged) {
  for (const double first : {0.3, 0.55, 2.0}) {
    const double one = tandem_overflow_probability(
        {.arrival_rate = 0.2, .first_rate = first, .second_rate = 0.7}, 40);
    const double other = tandem_overflow_probability(
        {.arrival_rate = 0.2, .first_rate = 0.7, .second_rate = first}, 40);
    expect_digits(one, other, 1e-12);
  }
}

TEST(Tandem, overflow_of_the_second_queue_agrees_with_an_independent_solution) {
  const Tandem tandem{.arrival_rate = 3, .first_rate = 2, .second_rate = 6};
  expect_digits(second_queue_overflow(tandem, 8, 120).probability, 5.60502053326e-06);
  const SecondQueueOverflow grown = second_queue_overflow(tandem, 12);
  expect_digits(grown.probability, 1.86029649316e-08);
  EXPECT_LT(grown.limit_probability, 1e-12 * grown.probability);
  expect_digits(second_queue_overflow(tandem, 14).probability, 1.138964428414e-09);
}

// Nobody retries: Erlang's loss formula, B(2, 1.5) = (1.5^2 / 2) / (1 + 1.5 + 1.5^2 / 2).
TEST(RetrialQueue, without_retries_is_a_loss_system) {
  const RetrialAnswers result = answers(RetrialQueue{.arrival_rate = 1.5,
                                                     .retry_rate = 1,
                                                     .retry_probability = 0,
                                                     .servers = 2,
                                                     .capacity = 2});
  expect_digits(result.blocking_probability, 1.125 / 3.625, 1e-13);
  EXPECT_EQ(result.mean_orbit, 0);
  EXPECT_EQ(result.limit_probability, 0);
}

TEST(DepthFailure, that_retries_everything_has_no_steady_state) {
  DepthFailure model = depth_failure;
  model.orbit_limit.reset();
  model.retry_probability = 1;
  EXPECT_THAT([&] { answers(model); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("no steady state")));
}

// The second queue gets more than it serves and may never empty again, while the first
// grows without bound: P(never empty) = 1 - 1.5 / 2 when the first is never idle again.
TEST(Tandem, an_unstable_pair_has_an_answer) {
  const SecondQueueOverflow result =
      second_queue_overflow({.arrival_rate = 3, .first_rate = 2, .second_rate = 1.5}, 40);
  EXPECT_GT(result.probability, 0.01);
  EXPECT_LT(result.probability, 0.25);
}

TEST(RetryChains, too_many_states_are_refused_at_once) {
  DepthFailure model = depth_failure;
  model.capacity = 1000;
  model.orbit_limit = 1000;
  EXPECT_THAT([&] { answers(model); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("too many to solve")));
  EXPECT_THROW(tandem_overflow_probability({.arrival_rate = 0.1}, 2000), NoAnswer);
}

TEST(RetryChains, bad_parameters_are_named) {
  EXPECT_THROW(answers(PsZombie{.arrival_rate = -1, .capacity = 5}), NoAnswer);
  EXPECT_THROW(answers(PsZombie{.arrival_rate = 1, .timeout_rate = 1, .capacity = 0}),
               NoAnswer);
  EXPECT_THROW(
      answers(PsZombie{.arrival_rate = 1, .timeout_rate = 1, .capacity = 100'000}),
      NoAnswer);
  EXPECT_THROW(answers(RetrialQueue{.arrival_rate = 1, .retry_rate = 0}), NoAnswer);
  EXPECT_THROW(answers(RetrialQueue{
                   .arrival_rate = 1, .retry_rate = 1, .servers = 4, .capacity = 3}),
               NoAnswer);
  EXPECT_THROW(answers(QueueOrbit{.arrival_rate = 1, .timeout = 0}), NoAnswer);
  EXPECT_THROW(answers(QueueOrbit{.arrival_rate = 1, .timeout = 1, .copy_share = 0}),
               NoAnswer);
  EXPECT_THROW(tandem_overflow_probability({.arrival_rate = 1}, 1), NoAnswer);
  EXPECT_THROW(second_queue_overflow({.arrival_rate = 0}, 5), NoAnswer);
}

}  // namespace
}  // namespace basin
