#include "analysis/quasi_stationary.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "analysis/no_answer.h"
#include "analysis/transient.h"

namespace basin {

namespace {

MarkovChain chain_of(const SparseRates& rates) {
  std::vector<Transition> transitions;
  transitions.reserve(rates.target.size());
  for (std::size_t i = 0; i < rates.states(); ++i) {
    for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
      transitions.push_back({.from = i, .to = rates.target[k], .rate = rates.rate[k]});
    }
  }
  return MarkovChain{rates.states(), transitions};
}

void expect_can_be_left(const KilledChain& killed) {
  if (killed.state.empty()) {
    throw NoAnswer("the set to stay in is empty");
  }
  if (std::ranges::all_of(killed.leaving, [](double rate) { return rate == 0; })) {
    throw NoAnswer("the set to stay in is never left");
  }
  try {
    expect_irreducible(chain_of(killed.rates));
  } catch (const NoAnswer&) {
    throw NoAnswer(
        "no single quasi-stationary distribution: within the set some states cannot be "
        "reached from others");
  }
}

}  // namespace

QuasiStationary quasi_stationary(const MarkovChain& chain, const StateSet& inside) {
  if (inside.size() != chain.states()) {
    throw std::invalid_argument("a set to stay in needs one flag for each state");
  }
  KilledChain killed = killed_outside(chain, inside);
  expect_can_be_left(killed);
  const std::size_t n = killed.state.size();
  std::vector<double> survival(n, 1.0);
  double shift = 0;  // below the exit rate, and rising to it
  constexpr int most_factorizations = 100;
  constexpr int solves_each = 6;
  bool converged = false;
  for (int round = 0; round < most_factorizations && !converged; ++round) {
    const SparseElimination elimination{killed.rates, killed.leaving};
    std::vector<double> vector(n, 1.0);
    std::vector<double> ratio(n);
    double low = 0;
    double high = 0;
    for (int solve = 0; solve < solves_each && !converged; ++solve) {
      std::vector<double> next = elimination.solve(vector);
      const double largest = std::ranges::max(next);
      if (!std::isfinite(largest)) {
        throw NoAnswer("the set to stay in is left after a mean time above 1e308");
      }
      for (std::size_t i = 0; i < n; ++i) {
        ratio[i] = vector[i] / next[i];
        next[i] /= largest;
      }
      vector = std::move(next);
      // The rate lies between these, beyond the shift (Collatz and Wielandt).
      low = std::ranges::min(ratio);
      high = std::ranges::max(ratio);
      converged = high - low <= 1e-15 * (shift + low);
    }
    for (std::size_t i = 0; i < n; ++i) {
      survival[i] *= vector[i];
      for (std::size_t k = killed.rates.row[i]; k < killed.rates.row[i + 1]; ++k) {
        killed.rates.rate[k] *= vector[killed.rates.target[k]] / vector[i];
      }
      killed.leaving[i] = ratio[i] - low;
    }
    shift += low;
  }
  if (!converged) {
    throw NoAnswer("the quasi-stationary distribution did not settle");
  }
  QuasiStationary result{.exit_rate = shift,
                         .distribution = std::vector<double>(chain.states(), 0.0),
                         .survival = std::vector<double>(chain.states(), 0.0),
                         .surviving = chain_of(killed.rates),
                         .state = killed.state};
  // The surviving chain is distributed as distribution * survival.
  const std::vector<double> product = stationary_distribution(result.surviving);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += product[i] / survival[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    result.distribution[killed.state[i]] = product[i] / survival[i] / total;
    result.survival[killed.state[i]] = survival[i] * total;
  }
  return result;
}

double autocorrelation(const QuasiStationary& quasi,
                       std::span<const double> value,
                       double lag) {
  const std::size_t n = quasi.state.size();
  if (value.size() != quasi.distribution.size()) {
    throw std::invalid_argument("an autocorrelation needs one value for each state");
  }
  std::vector<double> weight(n);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t state = quasi.state[i];
    weight[i] = quasi.distribution[state] * quasi.survival[state];
    mean += weight[i] * value[state];
  }
  std::vector<double> centered(n);
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    centered[i] = value[quasi.state[i]] - mean;
    variance += weight[i] * centered[i] * centered[i];
  }
  if (!(variance > 0)) {
    throw NoAnswer("no autocorrelation: the value does not vary in the set");
  }
  const std::vector<double> later = expectation_after(quasi.surviving, centered, lag);
  double covariance = 0;
  for (std::size_t i = 0; i < n; ++i) {
    covariance += weight[i] * centered[i] * later[i];
  }
  return covariance / variance;
}

}  // namespace basin
