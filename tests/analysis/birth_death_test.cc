#include "analysis/birth_death.h"

#include <array>
#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/no_answer.h"
#include "analysis/quasi_stationary.h"
#include "analysis/slow_modes.h"

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
TEST(BirthDeathRetry, deep_wells_agree_with_forty_digits) {
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

TEST(BirthDeathRetry, shallow_wells_agree_with_forty_digits) {
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
TEST(BirthDeathRetry, the_unit_of_time_is_free) {
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

TEST(BirthDeathRetry, one_well_is_a_named_reason) {
  BirthDeathRetry model = shallow;
  model.retry_factor = 0.5;
  EXPECT_THAT([&] { wells(birth_death(model)); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("never outrun")));
  model.base_rate = 2;
  EXPECT_THAT([&] { wells(birth_death(model)); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("every state")));
}

// The low well until it is left: mean and variance of its quasi-stationary law,
// relaxation within it, autocorrelation of the number in the system given that it stays.
TEST(BirthDeathRetry, the_low_well_has_the_known_quasi_stationary_statistics) {
  const MarkovChain chain = birth_death(shallow).chain();
  const QuasiStationary low =
      quasi_stationary(chain, chain.where([](std::size_t n) { return n < 11; }));
  double mean = 0;
  double square = 0;
  for (std::size_t n = 0; n < chain.states(); ++n) {
    mean += static_cast<double>(n) * low.distribution[n];
    square += static_cast<double>(n * n) * low.distribution[n];
  }
  expect_digits(mean, 1.00324309493);
  expect_digits(square - mean * mean, 2.00604851169);
  expect_digits(low.exit_rate, 0.000516981705724460265, 1e-12);
  expect_digits(spectral_gap(low.surviving), 0.171039160922);

  const std::vector<double> pi = stationary_distribution(low.surviving);
  std::vector<double> number(pi.size());
  double surviving_mean = 0;
  double surviving_square = 0;
  for (std::size_t n = 0; n < pi.size(); ++n) {
    number[n] = static_cast<double>(n);
    surviving_mean += pi[n] * number[n];
    surviving_square += pi[n] * number[n] * number[n];
  }
  const auto autocorrelation = [&](double lag) {
    const std::vector<double> later = expectation_after(low.surviving, number, lag);
    double product = 0;
    for (std::size_t n = 0; n < pi.size(); ++n) {
      product += pi[n] * number[n] * later[n];
    }
    return (product - surviving_mean * surviving_mean) /
           (surviving_square - surviving_mean * surviving_mean);
  };
  expect_digits(autocorrelation(1), 0.778056660801);
  expect_digits(autocorrelation(10), 0.138656497056);
}

BirthDeath single_server(double arrival_rate, double service_rate, std::size_t capacity) {
  return BirthDeath{std::vector<double>(capacity, arrival_rate),
                    std::vector<double>(capacity, service_rate)};
}

// Takacs (1962): M/M/1/K has eigenvalues lambda + mu - 2 sqrt(lambda mu) cos(pi k / (K +
// 1)).
TEST(BirthDeath, decay_rates_of_one_server_agree_with_the_closed_form) {
  for (const std::size_t capacity : {1U, 2U, 7U, 300U}) {
    const BirthDeath chain = single_server(0.7, 1, capacity);
    for (std::size_t k = 1; k <= capacity; k += 1 + capacity / 5) {
      const double angle =
          std::acos(-1.0) * static_cast<double>(k) / static_cast<double>(capacity + 1);
      expect_digits(
          chain.decay_rate(k), 1.7 - 2 * std::sqrt(0.7) * std::cos(angle), 1e-12);
    }
  }
}

// M/M/1/K at load 1/2: pi(n) = 2^-(n + 1), but for the cut at K.
TEST(BirthDeath, nothing_overflows_far_from_the_center) {
  const BirthDeath chain = single_server(0.5, 1, 100'000);
  const std::vector<double> pi = chain.stationary();
  expect_digits(pi[0], 0.5, 1e-14);
  expect_digits(pi[1000], std::ldexp(1.0, -1001), 1e-12);
  expect_digits(chain.log_stationary(100'000), -100'001 * std::log(2.0), 1e-12);
  // The time from 0 to K is a sum of powers of two, 2^(K + 2) before smaller terms.
  expect_digits(chain.log_mean_passage_time(0, 100'000), 100'002 * std::log(2.0), 1e-12);
  EXPECT_THAT([&] { chain.mean_passage_time(0, 100'000); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("larger than 1e308")));
  // 50,000 busy periods of mean 1 / (mu - lambda).
  expect_digits(chain.mean_passage_time(50'000, 0), 100'000, 1e-12);
}

TEST(BirthDeath, a_tiny_gap_has_all_its_digits) {
  // Two wells of 40 states with a barrier between them.
  std::vector<double> birth;
  std::vector<double> death;
  for (int n = 0; n < 80; ++n) {
    birth.push_back(n < 40 ? 0.4 : 1.0);
    death.push_back(n < 40 ? 1.0 : 0.4);
  }
  const BirthDeath chain{birth, death};
  const double up = chain.mean_passage_time(0, 80);
  EXPECT_GT(up, 1e15);
  // Both wells alike: the gap is 2 / (the time to the other well) to first order in a
  // number that is as small as the gap.
  const QuasiStationary left = quasi_stationary(
      chain.chain(), chain.chain().where([](std::size_t n) { return n < 40; }));
  expect_digits(chain.exit_rate(0, 39), left.exit_rate, 1e-12);
  // Antisymmetric eigenvectors vanish in the middle.
  expect_digits(chain.spectral_gap(), left.exit_rate, 1e-12);
  expect_digits(spectral_gap(chain.chain()), left.exit_rate, 1e-11);
}

TEST(BirthDeath, agrees_with_elimination_at_passage_times_of_1e12) {
  const BirthDeath chain = birth_death({.base_rate = 0.55,
                                        .retry_factor = 2,
                                        .timeout = 44,
                                        .service_rate = 1,
                                        .capacity = 100});
  const MarkovChain sparse = chain.chain();
  const std::vector<double> down =
      mean_passage_times(sparse, sparse.where([](std::size_t n) { return n == 0; }));
  const std::vector<double> up =
      mean_passage_times(sparse, sparse.where([](std::size_t n) { return n == 100; }));
  EXPECT_GT(down[100], 1e12);
  for (std::size_t n = 0; n <= 100; ++n) {
    expect_digits(down[n], chain.mean_passage_time(n, 0), 1e-12);
    expect_digits(up[n], chain.mean_passage_time(n, 100), 1e-12);
  }
}

TEST(BirthDeath, bad_numbers_are_named) {
  EXPECT_THROW((BirthDeath{{1, 0}, {1, 1}}), NoAnswer);
  EXPECT_THROW((BirthDeath{{1}, {std::nan("")}}), NoAnswer);
  EXPECT_THROW((BirthDeath{{1}, {}}), NoAnswer);
  const BirthDeath chain = single_server(1, 2, 3);
  EXPECT_THROW(chain.mean_passage_time(0, 4), NoAnswer);
  EXPECT_THROW(chain.decay_rate(0), NoAnswer);
  EXPECT_THROW(chain.decay_rate(4), NoAnswer);
  EXPECT_THROW(chain.exit_rate(0, 3), NoAnswer);
  EXPECT_THROW(chain.committor(2, 2, 2), NoAnswer);
  EXPECT_THROW(birth_death({.base_rate = 0, .capacity = 3}), NoAnswer);
  EXPECT_THROW(birth_death({.base_rate = 1, .timeout = -1, .capacity = 3}), NoAnswer);
}

}  // namespace
}  // namespace basin
