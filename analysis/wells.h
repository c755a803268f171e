// A birth-death chain with two wells: the healthy state, the storm, and what lies
// between.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/birth_death.h"

namespace basin {

struct Wells {
  std::size_t barrier = 0;  // the first state where births are no slower than deaths
  std::size_t low = 0;      // the likeliest state below the barrier,
  std::size_t high = 0;     // and from it on
};
// NoAnswer if there is no state below the barrier, or no barrier.
Wells wells(const BirthDeath& chain);

// Times are infinite above 1e308 and rates 0 below 1e-308; their natural logarithms are
// beside them.
struct WellAnswers {
  Wells wells;
  double mean = 0;              // number in the system
  double high_probability = 0;  // of the barrier and above
  double time_low_to_high = 0;  // mean passage times
  double time_high_to_low = 0;
  double time_low_to_barrier = 0;
  double log_time_low_to_high = 0;
  double log_time_high_to_low = 0;
  double spectral_gap = 0;
  double log_spectral_gap = 0;
  double second_rate = 0;        // the next eigenvalue; 0 in a chain of two states
  double low_exit_rate = 0;      // of the states below the barrier, in the long run
  double barrier_committor = 0;  // probability of the high state before the low one
  double low_quasipotential = 0;
  double high_quasipotential = 0;
};
WellAnswers answers(const BirthDeath& chain);

// The states below the barrier for as long as the chain stays there: what can be seen of
// the healthy state before it is lost.
struct WellStatistics {
  double mean = 0;  // number in the system, quasi-stationary
  double variance = 0;
  double exit_rate = 0;
  double relaxation_rate = 0;  // within the well: the gap of the chain that never leaves
  std::vector<double> autocorrelation;  // of that chain, at the lags asked for
};
// NoAnswer as wells(), and for a well of one state, which has nothing to relax.
WellStatistics low_well_statistics(const BirthDeath& chain, std::span<const double> lags);

}  // namespace basin
