// How a Markov chain forgets: the eigenvalues of its generator that are nearest to zero.
//
// Inverse iteration (Arnoldi) on the space without the stationary distribution, in the
// norm that the stationary distribution weights, with the factors of the elimination
// without subtraction, grounded at the likeliest state. The slowest rate keeps about 12
// digits even where it is 1e-12 of the others; faster ones have the same absolute error.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "analysis/markov_chain.h"

namespace basin {

// The nonzero eigenvalues of the generator that fade most slowly, `count` of them (all,
// in a smaller chain), by decreasing real part; of a conjugate pair the one with the
// positive imaginary part first. A multiple eigenvalue may come once. Above 150 states
// they are chosen among the count + 2 nearest to zero: in a chain that turns fast and
// fades slowly, slower ones may lie farther away. NoAnswer for a chain that is not
// irreducible or has one state only, when the eigenvalues are too dense to tell apart, or
// where stationary probabilities span more than doubles hold.
std::vector<std::complex<double>> slow_eigenvalues(const MarkovChain& chain,
                                                   std::size_t count);

// Minus the real part of the slowest: the rate at which the last memory of the initial
// state fades.
double spectral_gap(const MarkovChain& chain);

struct SlowMode {
  std::complex<double> eigenvalue;
  // Q right = eigenvalue * right: how far an initial state lies along the mode. Mean 0
  // and mean square 1 under the stationary distribution, real and positive where largest.
  std::vector<std::complex<double>> right;
  // left Q = eigenvalue * left: where probability moves while the mode fades. Sum 0, and
  // sum of left * right 1.
  std::vector<std::complex<double>> left;
};
SlowMode slowest_mode(const MarkovChain& chain);

}  // namespace basin
