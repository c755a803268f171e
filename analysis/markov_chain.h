// Continuous-time Markov chains on a finite set of states, by their rates.
//
// Stationary probabilities, passage times and hitting probabilities come from elimination
// without subtraction (sparse_elimination.h) and keep their digits in chains whose rates
// or times differ by many orders of magnitude. Times are in the unit whose inverse the
// rates have. Where a question has no answer (a target that cannot be reached, a chain in
// parts) NoAnswer says why. States after a time: transient.h; slow eigenvalues:
// slow_modes.h; a subset that the chain leaves in the end: quasi_stationary.h.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/sparse_elimination.h"

namespace basin {

struct Transition {
  std::size_t from = 0;
  std::size_t to = 0;
  double rate = 0;
};

// One flag for each state.
using StateSet = std::vector<bool>;

class MarkovChain {
 public:
  // Rates of the same transition add up; a rate of 0 and a transition from a state to
  // itself do nothing. NoAnswer for a rate that is negative or not finite, a state that
  // does not exist, or a chain without states.
  MarkovChain(std::size_t states, std::span<const Transition> transitions);

  std::size_t states() const { return rates_.states(); }
  const SparseRates& rates() const { return rates_; }
  // The rate of transitions out of the state.
  double exit_rate(std::size_t state) const;

  // The set that holds the states for which `is_in(state)`.
  template <typename Predicate>
  StateSet where(Predicate is_in) const {
    StateSet set(states());
    for (std::size_t state = 0; state < states(); ++state) {
      set[state] = is_in(state);
    }
    return set;
  }
  StateSet only(std::size_t state) const {
    return where([state](std::size_t other) { return other == state; });
  }

 private:
  SparseRates rates_;
};

// The stationary distribution. NoAnswer unless every state can be reached from every
// other.
std::vector<double> stationary_distribution(const MarkovChain& chain);

// Mean time to the target from every state; 0 within it. NoAnswer if a state cannot reach
// it, or may get to a state from which it cannot be reached.
std::vector<double> mean_passage_times(const MarkovChain& chain, const StateSet& target);
// From one state: only what it can reach on the way counts.
double mean_passage_time(const MarkovChain& chain,
                         std::size_t from,
                         const StateSet& target);

// Probability, from every state, of reaching `reach` before `avoid`. NoAnswer if the sets
// meet, one is empty, or a state can reach neither.
std::vector<double> committor(const MarkovChain& chain,
                              const StateSet& avoid,
                              const StateSet& reach);

// Mean rate of change of a coordinate (one value a state) in each state.
std::vector<double> drift(const MarkovChain& chain, std::span<const double> coordinate);

// NoAnswer, naming a state that cannot be reached or cannot return, unless the chain is
// irreducible.
void expect_irreducible(const MarkovChain& chain);

// The chain watched until it leaves `inside`: rates among those states, renumbered in
// their order, and the rate at which each leaves.
struct KilledChain {
  SparseRates rates;
  std::vector<double> leaving;
  std::vector<std::size_t> state;  // its number in the whole chain
};
KilledChain killed_outside(const MarkovChain& chain, const StateSet& inside);

}  // namespace basin
