// A part of a Markov chain that is left in the end: how fast, and what it looks like
// until then.
//
// The smallest eigenvalue of minus the generator within the set, by Noda's iteration
// (Numerische Mathematik 17, 1971) in the coordinates of the current vector, where the
// shifted matrix is again one of rates and rates of leaving: no subtraction touches the
// rate, which has 13 digits whether it is 1 or 1e-12.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/markov_chain.h"

namespace basin {

struct QuasiStationary {
  // The set is left at this rate, exponentially, from `distribution`.
  double exit_rate = 0;
  // One entry for each state of the whole chain, 0 outside the set. The law of the chain
  // given that it has not left, after a long time; the sum is 1.
  std::vector<double> distribution;
  // The chance of surviving long from each state, relative to the start in
  // `distribution`: the right eigenvector, with mean 1 under it.
  std::vector<double> survival;
  // The chain given that it never leaves (the Q-process), and the states that it has,
  // by their numbers in the whole chain. Its spectral gap is the rate of relaxation
  // within the set.
  MarkovChain surviving;
  std::vector<std::size_t> state;
};

// NoAnswer if the set is never left, is empty, or has states between which the chain
// cannot go back and forth without leaving it.
QuasiStationary quasi_stationary(const MarkovChain& chain, const StateSet& inside);

// Autocorrelation, at a lag, of a value (one for each state of the whole chain) in the
// chain that never leaves. NoAnswer if the value is the same in all of the set.
double autocorrelation(const QuasiStationary& quasi,
                       std::span<const double> value,
                       double lag);

}  // namespace basin
