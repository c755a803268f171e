#include "analysis/markov_chain.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/birth_death.h"
#include "analysis/no_answer.h"
#include "analysis/pair_chain.h"
#include "analysis/quasi_stationary.h"
#include "analysis/slow_modes.h"
#include "analysis/transient.h"

namespace basin {
namespace {

void expect_digits(double value, double expected, double relative = 1e-12) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

// Numbers in [0, 1) from a seed, the same everywhere.
class Scatter {
 public:
  explicit Scatter(std::uint64_t seed) : state_{seed} {}
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

using Matrix = std::vector<std::vector<long double>>;

// Gaussian elimination with exchange of rows, in long double.
std::vector<long double> dense_solution(Matrix a, std::vector<long double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i) {
      best = std::abs(a[i][k]) > std::abs(a[best][k]) ? i : best;
    }
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) {
        a[i][j] -= factor * a[k][j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) {
      b[k] -= a[k][j] * b[j];
    }
    b[k] /= a[k][k];
  }
  return b;
}

Matrix generator(const MarkovChain& chain) {
  Matrix q(chain.states(), std::vector<long double>(chain.states(), 0));
  const SparseRates& rates = chain.rates();
  for (std::size_t i = 0; i < chain.states(); ++i) {
    for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
      q[i][rates.target[k]] += static_cast<long double>(rates.rate[k]);
      q[i][i] -= static_cast<long double>(rates.rate[k]);
    }
  }
  return q;
}

// A random sparse chain with a cycle through all states, rates over six decades.
MarkovChain random_chain(std::size_t states, std::uint64_t seed) {
  Scatter scatter{seed};
  std::vector<Transition> transitions;
  for (std::size_t i = 0; i < states; ++i) {
    transitions.push_back({i, (i + 1) % states, std::exp(6 * scatter())});
    for (int k = 0; k < 3; ++k) {
      const auto to = static_cast<std::size_t>(scatter() * static_cast<double>(states));
      transitions.push_back({i, to, std::exp(12 * scatter() - 6)});
    }
  }
  return MarkovChain{states, transitions};
}

TEST(MarkovChain, two_states_by_hand) {
  const std::vector<Transition> transitions{{0, 1, 2}, {1, 0, 3}, {1, 1, 7}, {0, 1, 1}};
  const MarkovChain chain{2, transitions};
  EXPECT_DOUBLE_EQ(chain.exit_rate(0), 3);
  EXPECT_DOUBLE_EQ(chain.exit_rate(1), 3);
  EXPECT_THAT(stationary_distribution(chain), testing::ElementsAre(0.5, 0.5));
  EXPECT_THAT(mean_passage_times(chain, chain.only(1)),
              testing::ElementsAre(testing::DoubleEq(1.0 / 3), 0));
  expect_digits(spectral_gap(chain), 6);
  EXPECT_THAT(drift(chain, std::vector<double>{0, 10}), testing::ElementsAre(30, -30));
  // p(t) = 1/2 + 1/2 exp(-6 t)
  const std::vector<double> after =
      distribution_after(chain, std::vector<double>{1, 0}, 0.25);
  expect_digits(after[0], 0.5 + 0.5 * std::exp(-1.5));
  expect_digits(expectation_after(chain, std::vector<double>{1, 0}, 0.25)[1],
                0.5 - 0.5 * std::exp(-1.5));
}

// At a time that is long for the chain: what the Poisson weights leave out shows as a sum
// below 1, and the limit is the stationary distribution.
TEST(Transient, forgets_where_it_began) {
  const MarkovChain chain = random_chain(60, 5);
  std::vector<double> start(60, 0.0);
  start[17] = 1;
  const std::vector<double> pi = stationary_distribution(chain);
  const double gap = spectral_gap(chain);
  const std::vector<double> late = distribution_after(chain, start, 45 / gap);
  std::vector<double> number(60);
  double mean = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_NEAR(late[i], pi[i], 1e-13);
    number[i] = static_cast<double>(i);
    mean += pi[i] * number[i];
  }
  expect_digits(expectation_after(chain, number, 45 / gap)[3], mean);
  EXPECT_THROW(distribution_after(chain, start, 1e12), NoAnswer);
  EXPECT_THROW(distribution_after(chain, start, -1), NoAnswer);
  EXPECT_THROW(distribution_after(chain, start, std::nan("")), NoAnswer);
  EXPECT_EQ(distribution_after(chain, start, 0), start);
}

TEST(MarkovChain, one_state_is_certain) {
  const MarkovChain chain{1, {}};
  EXPECT_THAT(stationary_distribution(chain), testing::ElementsAre(1));
  EXPECT_THROW(spectral_gap(chain), NoAnswer);
}

TEST(MarkovChain, random_chains_agree_with_dense_elimination_in_long_double) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    const std::size_t n = 20 + 9 * seed;
    const MarkovChain chain = random_chain(n, seed);
    const Matrix q = generator(chain);

    Matrix transposed(n, std::vector<long double>(n));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        transposed[j][i] = j + 1 == n ? 1 : q[i][j];
      }
    }
    std::vector<long double> unit(n, 0);
    unit[n - 1] = 1;
    const std::vector<long double> exact = dense_solution(transposed, unit);
    const std::vector<double> pi = stationary_distribution(chain);
    for (std::size_t i = 0; i < n; ++i) {
      expect_digits(pi[i], static_cast<double>(exact[i]), 1e-11);
    }

    Matrix killed = q;
    std::vector<long double> ones(n, -1);
    killed[0].assign(n, 0);
    killed[0][0] = 1;
    ones[0] = 0;
    const std::vector<long double> times = dense_solution(killed, ones);
    const std::vector<double> found = mean_passage_times(chain, chain.only(0));
    for (std::size_t i = 1; i < n; ++i) {
      expect_digits(found[i], static_cast<double>(times[i]), 1e-11);
    }
    expect_digits(mean_passage_time(chain, n / 2, chain.only(0)), found[n / 2], 1e-12);
  }
}

TEST(MarkovChain, stationary_flows_balance_and_committors_are_harmonic) {
  const MarkovChain chain = random_chain(500, 99);
  const std::vector<double> pi = stationary_distribution(chain);
  const StateSet avoid = chain.where([](std::size_t i) { return i % 50 == 0; });
  const StateSet reach = chain.where([](std::size_t i) { return i % 50 == 25; });
  const std::vector<double> h = committor(chain, avoid, reach);
  const std::vector<double> other = committor(chain, reach, avoid);
  const SparseRates& rates = chain.rates();
  std::vector<double> in(chain.states(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < chain.states(); ++i) {
    total += pi[i];
    double mean = 0;
    for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
      in[rates.target[k]] += pi[i] * rates.rate[k];
      mean += rates.rate[k] * h[rates.target[k]];
    }
    if (!avoid[i] && !reach[i]) {
      expect_digits(mean / chain.exit_rate(i), h[i]);
    }
    EXPECT_NEAR(h[i] + other[i], 1, 1e-13);
  }
  expect_digits(total, 1, 1e-14);
  for (std::size_t i = 0; i < chain.states(); ++i) {
    expect_digits(in[i], pi[i] * chain.exit_rate(i));
  }
}

// Two cliques of three coupled at 1e-12: LU with a diagonal by subtraction keeps four
// digits of what couples them. By symmetry of the couplings, pi(second) / pi(first) = 3.
TEST(MarkovChain, nearly_decomposable_chains_keep_their_digits) {
  const double small = 1e-12;
  std::vector<Transition> transitions;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      transitions.push_back({i, j, 1});
      transitions.push_back({i + 3, j + 3, 1});
    }
  }
  transitions.push_back({0, 3, 3 * small});
  transitions.push_back({3, 0, small});
  const MarkovChain chain{6, transitions};
  const std::vector<double> pi = stationary_distribution(chain);
  for (std::size_t i = 0; i < 3; ++i) {
    expect_digits(pi[i], 1.0 / 12, 1e-14);
    expect_digits(pi[i + 3], 3.0 / 12, 1e-14);
  }
  // From 0: each visit of the clique spends 1/3 of the time in state 0.
  expect_digits(mean_passage_time(chain, 0, chain.only(3)), 1 / small, 1e-14);
  // The gap: 3 small / 3 + small / 3, less a part of relative size 1e-12.
  expect_digits(spectral_gap(chain), small * 4 / 3, 3e-12);
  const QuasiStationary first =
      quasi_stationary(chain, chain.where([](std::size_t i) { return i < 3; }));
  expect_digits(first.exit_rate, small, 2e-12);
  expect_digits(first.distribution[0], 1.0 / 3, 2e-12);
}

TEST(MarkovChain, chains_in_parts_are_named) {
  const std::vector<Transition> absorbing{{0, 1, 1}, {1, 0, 1}, {1, 2, 1}};
  const MarkovChain chain{3, absorbing};
  EXPECT_THAT([&] { stationary_distribution(chain); },
              testing::ThrowsMessage<NoAnswer>(
                  testing::HasSubstr("state 0 cannot be reached from state 2, which is "
                                     "absorbing")));
  EXPECT_THAT([&] { mean_passage_times(chain, chain.only(0)); },
              testing::ThrowsMessage<NoAnswer>(
                  testing::HasSubstr("the target cannot be reached from state 2")));
  EXPECT_THAT(mean_passage_times(chain, chain.only(2)), testing::ElementsAre(3, 2, 0));
  EXPECT_THAT(committor(chain, chain.only(0), chain.only(2)),
              testing::ElementsAre(0, testing::DoubleEq(0.5), 1));
  EXPECT_THROW(spectral_gap(chain), NoAnswer);
  EXPECT_THROW(mean_passage_time(chain, 0, chain.only(5)), NoAnswer);
  EXPECT_THROW(committor(chain, chain.only(0), chain.only(0)), NoAnswer);
  EXPECT_THROW(quasi_stationary(chain, StateSet(3, true)), NoAnswer);
  EXPECT_THROW(quasi_stationary(chain, StateSet(3, false)), NoAnswer);
  const std::vector<Transition> outside{{0, 3, 1}};
  EXPECT_THROW((MarkovChain{3, outside}), NoAnswer);
  const std::vector<Transition> negative{{0, 1, -1}};
  EXPECT_THROW((MarkovChain{3, negative}), NoAnswer);
  const std::vector<Transition> not_a_number{{0, 1, std::nan("")}};
  EXPECT_THROW((MarkovChain{3, not_a_number}), NoAnswer);
  EXPECT_THROW((MarkovChain{0, {}}), NoAnswer);
}

// Only what lies on the way counts: state 2 is absorbing, but not reached before state 1.
TEST(MarkovChain, passage_from_one_state_ignores_what_it_does_not_meet) {
  const std::vector<Transition> transitions{{0, 1, 4}, {1, 2, 1}};
  const MarkovChain chain{3, transitions};
  EXPECT_DOUBLE_EQ(mean_passage_time(chain, 0, chain.only(1)), 0.25);
  EXPECT_THROW(mean_passage_times(chain, chain.only(1)), NoAnswer);
}

// Beyond the range of double, where the elimination goes on in long double.
TEST(MarkovChain, steady_states_over_a_thousand_decades) {
  const std::size_t capacity = 4000;
  const BirthDeath product{std::vector<double>(capacity, 0.5),
                           std::vector<double>(capacity, 1.0)};
  const std::vector<double> pi = stationary_distribution(product.chain());
  const std::vector<double> expected = product.stationary();
  for (std::size_t n = 0; n < 900; n += 50) {
    expect_digits(pi[n], expected[n], 1e-11);
  }
}

// A ring of n states, one way at rate 1: eigenvalues exp(2 pi i k / n) - 1.
TEST(SlowModes, a_ring_turns) {
  const std::size_t n = 12;
  std::vector<Transition> transitions;
  for (std::size_t i = 0; i < n; ++i) {
    transitions.push_back({i, (i + 1) % n, 1});
  }
  const MarkovChain chain{n, transitions};
  const std::vector<std::complex<double>> values = slow_eigenvalues(chain, 2);
  const double angle = 2 * std::acos(-1.0) / static_cast<double>(n);
  ASSERT_EQ(values.size(), 2U);
  expect_digits(values[0].real(), std::cos(angle) - 1);
  expect_digits(values[0].imag(), std::sin(angle));
  expect_digits(values[1].imag(), -std::sin(angle));
}

// Where f is as large as 1 / sqrt(pi), doubles end before the chain does.
TEST(SlowModes, beyond_the_range_of_doubles_is_a_named_reason) {
  const BirthDeath queue{std::vector<double>(330, 0.01), std::vector<double>(330, 1.0)};
  EXPECT_THAT([&] { spectral_gap(queue.chain()); },
              testing::ThrowsMessage<NoAnswer>(testing::HasSubstr("300 decades")));
}

// A torus that turns one way in each direction: of its modes the slowest is not the
// nearest to zero.
TEST(SlowModes, the_gap_of_a_small_chain_is_the_slowest_fading) {
  const std::size_t n = 7;
  std::vector<Transition> transitions;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      transitions.push_back({i * n + j, (i + 1) % n * n + j, 5.0});
      transitions.push_back({i * n + j, i * n + (j + 1) % n, 4.8});
    }
  }
  const double fading = 1 - std::cos(2 * std::acos(-1.0) / static_cast<double>(n));
  expect_digits(spectral_gap(MarkovChain{n * n, transitions}), 4.8 * fading, 1e-10);
}

TEST(SlowModes, eigenvectors_satisfy_their_equations) {
  for (const std::uint64_t seed : {7U, 8U, 9U}) {
    const MarkovChain chain = random_chain(40, seed);
    const SlowMode mode = slowest_mode(chain);
    const SparseRates& rates = chain.rates();
    const std::vector<double> pi = stationary_distribution(chain);
    std::vector<std::complex<double>> left(chain.states());
    std::complex<double> overlap = 0;
    std::complex<double> sum = 0;
    std::complex<double> mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < chain.states(); ++i) {
      std::complex<double> right = 0;
      for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
        right += rates.rate[k] * (mode.right[rates.target[k]] - mode.right[i]);
        left[rates.target[k]] += mode.left[i] * rates.rate[k];
      }
      left[i] -= mode.left[i] * chain.exit_rate(i);
      EXPECT_LT(std::abs(right - mode.eigenvalue * mode.right[i]),
                1e-9 * chain.exit_rate(i) * (1 + std::abs(mode.right[i])));
      overlap += mode.left[i] * mode.right[i];
      sum += mode.left[i];
      mean += pi[i] * mode.right[i];
      square += pi[i] * std::norm(mode.right[i]);
    }
    for (std::size_t i = 0; i < chain.states(); ++i) {
      EXPECT_LT(std::abs(left[i] - mode.eigenvalue * mode.left[i]), 1e-9);
    }
    EXPECT_LT(std::abs(overlap - 1.0), 1e-10);
    EXPECT_LT(std::abs(sum), 1e-10);
    EXPECT_LT(std::abs(mean), 1e-10);
    expect_digits(square, 1, 1e-10);
  }
}

TEST(SlowModes, birth_death_gaps_agree_with_bisection) {
  const BirthDeath chain = birth_death({.base_rate = 0.55,
                                        .retry_factor = 2,
                                        .timeout = 30,
                                        .service_rate = 1,
                                        .capacity = 70});
  const std::vector<std::complex<double>> values = slow_eigenvalues(chain.chain(), 2);
  expect_digits(-values[0].real(), chain.decay_rate(1), 1e-11);
  expect_digits(-values[1].real(), chain.decay_rate(2), 1e-8);
}

// Two queues side by side, each M/M/1/K: the product of two known laws, and the gap of
// one.
PairChain lattice(int most) {
  return PairChain{{"first", "second"},
                   most,
                   most,
                   [](int /*first*/, int /*second*/) { return true; },
                   [most](int first, int second, std::vector<PairChain::Move>& out) {
                     if (first < most) {
                       out.push_back({first + 1, second, 0.9});
                     }
                     if (second < most) {
                       out.push_back({first, second + 1, 1.9});
                     }
                     if (first > 0) {
                       out.push_back({first - 1, second, 1});
                     }
                     if (second > 0) {
                       out.push_back({first, second - 1, 2});
                     }
                   }};
}

void check_lattice(int most) {
  const PairChain pairs = lattice(most);
  const std::vector<double> pi = stationary_distribution(pairs.chain());
  const auto n = static_cast<std::size_t>(most);
  const std::vector<double> first =
      BirthDeath{std::vector<double>(n, 0.9), std::vector<double>(n, 1)}.stationary();
  const std::vector<double> second =
      BirthDeath{std::vector<double>(n, 1.9), std::vector<double>(n, 2)}.stationary();
  for (int i = 0; i <= most; i += 5) {
    for (int j = 0; j <= most; j += 5) {
      expect_digits(
          pi[pairs.state(i, j)],
          first[static_cast<std::size_t>(i)] * second[static_cast<std::size_t>(j)],
          1e-11);
    }
  }
  // The first queue alone decides when it is full.
  const std::vector<double> times = mean_passage_times(
      pairs.chain(), pairs.where([most](int i, int /*j*/) { return i == most; }));
  const BirthDeath alone{std::vector<double>(n, 0.9), std::vector<double>(n, 1)};
  expect_digits(times[pairs.state(0, 0)], alone.mean_passage_time(0, n), 1e-11);
  expect_digits(
      times[pairs.state(most / 2, most)], alone.mean_passage_time(n / 2, n), 1e-11);
}

TEST(MarkovChain, a_lattice_agrees_with_the_product_of_two_queues) {
  check_lattice(40);
}

TEST(MarkovChainSlow, a_lattice_of_100_000_states_takes_seconds) {
  check_lattice(316);
}

TEST(MarkovChainSlow,
     the_gap_of_a_lattice_of_100_000_states_is_that_of_its_slower_queue) {
  const PairChain pairs = lattice(316);
  const BirthDeath second{std::vector<double>(316, 1.9), std::vector<double>(316, 2)};
  expect_digits(spectral_gap(pairs.chain()), second.spectral_gap(), 1e-9);
}

TEST(QuasiStationary, agrees_with_bisection_where_no_well_separates_it) {
  const BirthDeath queue{std::vector<double>(200, 0.8), std::vector<double>(200, 1.0)};
  const MarkovChain chain = queue.chain();
  const QuasiStationary busy =
      quasi_stationary(chain, chain.where([](std::size_t n) { return n > 0; }));
  expect_digits(busy.exit_rate, queue.exit_rate(1, 200), 1e-12);
  const QuasiStationary middle = quasi_stationary(
      chain, chain.where([](std::size_t n) { return n > 20 && n < 100; }));
  expect_digits(middle.exit_rate, queue.exit_rate(21, 99), 1e-12);
  double total = 0;
  double survival = 0;
  for (std::size_t n = 0; n < chain.states(); ++n) {
    total += middle.distribution[n];
    survival += middle.distribution[n] * middle.survival[n];
  }
  expect_digits(total, 1);
  expect_digits(survival, 1);
}

}  // namespace
}  // namespace basin
