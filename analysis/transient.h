// A Markov chain after a time.
//
// By uniformization (Jensen 1953): the chain jumps at one constant rate, sometimes to
// where it is, and the number of jumps is Poisson. Sums of positive terms only. Takes as
// long as the number of jumps in that time; NoAnswer above 1e8 of them.
#pragma once

#include <span>
#include <vector>

#include "analysis/markov_chain.h"

namespace basin {

// The expectation, from each state, of a value (one for each state) after the time.
std::vector<double> expectation_after(const MarkovChain& chain,
                                      std::span<const double> value,
                                      double time);

// The distribution that began as `initial`.
std::vector<double> distribution_after(const MarkovChain& chain,
                                       std::span<const double> initial,
                                       double time);

}  // namespace basin
