// Markov chains whose states are pairs of counts: queue and orbit, live and dead work.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/markov_chain.h"

namespace basin {

class PairChain {
 public:
  struct Move {
    int first = 0;
    int second = 0;
    double rate = 0;
  };
  using IsState = std::function<bool(int first, int second)>;
  // Appends the moves out of a state, to states of the chain only.
  using Moves = std::function<void(int first, int second, std::vector<Move>& moves)>;

  // The states are those of 0 .. most_first by 0 .. most_second that `is_state` accepts.
  PairChain(std::array<std::string, 2> names,
            int most_first,
            int most_second,
            const IsState& is_state,
            const Moves& moves);

  const MarkovChain& chain() const { return chain_; }
  // What the two counts are.
  const std::array<std::string, 2>& names() const { return names_; }
  std::array<int, 2> counts(std::size_t state) const { return counts_[state]; }
  // NoAnswer if the chain has no such state.
  std::size_t state(int first, int second) const;

  template <typename Predicate>  // of first and second
  StateSet where(Predicate is_in) const {
    return chain_.where(
        [&](std::size_t state) { return is_in(counts_[state][0], counts_[state][1]); });
  }
  // The sum of weight * f(first, second) over states.
  template <typename Function>
  double mean(std::span<const double> weight, Function f) const {
    double sum = 0;
    for (std::size_t state = 0; state < counts_.size(); ++state) {
      sum += weight[state] * static_cast<double>(f(counts_[state][0], counts_[state][1]));
    }
    return sum;
  }
  // One count of every state, for drift() and expectation_after(): 0 the first, 1 the
  // second.
  std::vector<double> coordinate(std::size_t which) const;

 private:
  MarkovChain build(const Moves& moves) const;

  std::array<std::string, 2> names_;
  std::size_t width_;               // of the table, most_second + 1
  std::vector<std::size_t> table_;  // state by counts
  std::vector<std::array<int, 2>> counts_;
  MarkovChain chain_;
};

// NoAnswer for a chain that would take minutes: `first` by `second` values (a double,
// since the product may be large), above 1.1 million states in a strip and 400,000 in a
// square.
void expect_solvable(double first, double second);

}  // namespace basin
