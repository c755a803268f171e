#include "analysis/wells.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/no_answer.h"

namespace basin {
namespace {

void expect_digits(double value, double expected, double relative = 1e-10) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

const BirthDeathRetry deep{.base_rate = 0.6,
                           .retry_factor = 1.5,
                           .timeout = 20,
                           .service_rate = 1,
                           .capacity = 60};
const BirthDeathRetry shallow{.base_rate = 0.5,
                              .retry_factor = 1.5,
                              .timeout = 10,
                              .service_rate = 1,
                              .capacity = 40};

// Reference values: the product forms in 40 digits, eigenvalues by Sturm bisection in 40.
TEST(Wells, deep_wells_agree_with_forty_digits) {
  const BirthDeath chain = birth_death(deep);
  const WellAnswers result = answers(chain);
  EXPECT_EQ(result.wells.barrier, 19U);
  EXPECT_EQ(result.wells.low, 0U);
  EXPECT_EQ(result.wells.high, 60U);
  const std::vector<double> pi = chain.stationary();
  expect_digits(result.mean, 57.958828901948828, 1e-12);
  expect_digits(result.high_probability, 0.999271625663770482, 1e-12);
  expect_digits(pi[0], 0.000291175132454151053, 1e-12);
  expect_digits(pi[19], 9.47896799135355724e-8, 1e-12);
  expect_digits(pi[60], 0.333090297911964377, 1e-12);
  expect_digits(result.time_low_to_high, 73816.0401533106396, 1e-12);
  expect_digits(result.time_high_to_low, 101213080.857246836, 1e-12);
  expect_digits(result.time_low_to_barrier, 36979.6404081273573, 1e-12);
  expect_digits(result.spectral_gap, 0.0000135786068306129073, 1e-12);
  expect_digits(result.second_rate, 0.0521100515870482584, 1e-12);
  // The gap is nearly the sum of the two rates of switching.
  expect_digits(
      (1 / result.time_low_to_high + 1 / result.time_high_to_low) / result.spectral_gap,
      0.998414004111564208,
      1e-11);
  expect_digits(result.low_exit_rate, 0.0000270659518795401479, 1e-12);
  expect_digits(result.barrier_committor, 0.501865180462445611, 1e-12);
  expect_digits(chain.committor(0, 60, 16), 0.214246802640133448, 1e-12);
  expect_digits(chain.committor(0, 60, 22), 0.774167611008193579, 1e-12);
  expect_digits(result.low_quasipotential, 8.03001965320254202, 1e-12);
  expect_digits(result.high_quasipotential, 15.0722636344234065, 1e-12);
}

TEST(Wells, shallow_wells_agree_with_forty_digits) {
  const BirthDeath chain = birth_death(shallow);
  const WellAnswers result = answers(chain);
  EXPECT_EQ(result.wells.barrier, 11U);
  EXPECT_EQ(result.wells.high, 40U);
  expect_digits(result.mean, 29.096307330775369, 1e-12);
  expect_digits(result.high_probability, 0.801924729637030984, 1e-12);
  expect_digits(result.time_low_to_high, 4887.66444739146249, 1e-12);
  expect_digits(result.time_high_to_low, 19366.3817038294496, 1e-12);
  expect_digits(result.time_low_to_barrier, 1947.72027628139272, 1e-12);
  expect_digits(result.spectral_gap, 0.000263283478595383359, 1e-12);
  expect_digits(result.second_rate, 0.0307858629483029782, 1e-12);
  expect_digits(result.low_exit_rate, 0.000516981705724460265, 1e-12);
  expect_digits(result.barrier_committor, 0.409853166323170997, 1e-12);
  expect_digits(chain.committor(0, 40, 8), 0.144148342158662184, 1e-12);
  expect_digits(chain.committor(0, 40, 14), 0.668048477821737957, 1e-12);
  expect_digits(result.low_quasipotential, 5.44548022794202068, 1e-12);
  expect_digits(result.high_quasipotential, 5.93784682045968668, 1e-12);
}

// A clock that runs at another speed changes times and nothing else.
TEST(Wells, the_unit_of_time_is_free) {
  BirthDeathRetry fast = deep;
  fast.base_rate *= 1000;
  fast.service_rate *= 1000;
  fast.timeout /= 1000;
  const WellAnswers slow_answers = answers(birth_death(deep));
  const WellAnswers fast_answers = answers(birth_death(fast));
  EXPECT_EQ(slow_answers.wells.barrier, fast_answers.wells.barrier);
  expect_digits(
      fast_answers.time_high_to_low * 1000, slow_answers.time_high_to_low, 1e-11);
  expect_digits(fast_answers.spectral_gap / 1000, slow_answers.spectral_gap, 1e-11);
}

TEST(Wells, one_well_is_a_named_reason) {
  BirthDeathRetry model = shallow;
  model.retry_factor = 0.5;
  EXPECT_THAT([&] { wells(birth_death(model)); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("never outrun")));
  model.base_rate = 2;
  EXPECT_THAT([&] { wells(birth_death(model)); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("every state")));
}

// Reference values: LAPACK on the killed generator and on the chain that never leaves.
TEST(LowWell, has_the_known_quasi_stationary_statistics) {
  const std::vector<double> lags{0, 1, 10};
  const WellStatistics low = low_well_statistics(birth_death(shallow), lags);
  expect_digits(low.mean, 1.00324309493);
  expect_digits(low.variance, 2.00604851169);
  expect_digits(low.relaxation_rate, 0.171039160922);
  expect_digits(low.exit_rate, 0.000516981705724460265, 1e-12);
  expect_digits(low.autocorrelation[0], 1);
  expect_digits(low.autocorrelation[1], 0.778056660801);
  expect_digits(low.autocorrelation[2], 0.138656497056);
}

// Far from the barrier the well is an M/M/1 queue: mean rho / (1 - rho), variance
// rho / (1 - rho)^2.
TEST(LowWell, a_deep_one_is_an_undisturbed_queue) {
  const BirthDeath chain =
      birth_death({.base_rate = 0.3, .retry_factor = 4, .timeout = 100, .capacity = 300});
  const WellStatistics low = low_well_statistics(chain, {});
  expect_digits(low.mean, 3.0 / 7, 1e-9);
  expect_digits(low.variance, 0.3 / 0.49, 1e-9);
}

TEST(Wells, deeper_than_double_reaches_have_logarithms) {
  const BirthDeath chain = birth_death(
      {.base_rate = 0.9, .retry_factor = 1.5, .timeout = 3000, .capacity = 10'000});
  const WellAnswers result = answers(chain);
  EXPECT_TRUE(std::isinf(result.time_high_to_low));
  EXPECT_GT(result.log_time_high_to_low, 700);
  EXPECT_TRUE(std::isfinite(result.log_time_high_to_low));
  // The gap is the sum of the rates of switching.
  expect_digits(std::exp(result.log_spectral_gap + result.log_time_low_to_high), 1, 0.01);
}

}  // namespace
}  // namespace basin
