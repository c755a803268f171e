#include "analysis/birth_death.h"

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
  // The gap of the cut queue: 1 + rho - 2 sqrt(rho), and 1e-10 of it.
  expect_digits(chain.spectral_gap(), 1.5 - std::sqrt(2.0), 1e-8);
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
