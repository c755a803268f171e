// Birth-death chains: the number in a system that changes by one at a time.
//
// Everything is a product form in logarithms (long double), so that nothing overflows,
// and eigenvalues come from bisection on the bidiagonal factor of the generator, which
// keeps their relative accuracy (Demmel and Kahan, SIAM J. Sci. Stat. Comput. 11, 1990):
// a gap of 1e-12 has as many digits as one of 1. Times are in the unit whose inverse the
// rates have.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/markov_chain.h"

namespace basin {

class BirthDeath {
 public:
  // birth[n] is the rate from n to n + 1, death[n] the rate from n + 1 to n; the states
  // are 0 .. birth.size(). NoAnswer unless all rates are positive and finite.
  BirthDeath(std::vector<double> birth, std::vector<double> death);

  std::size_t top() const { return birth_.size(); }
  double birth(std::size_t n) const { return n < top() ? birth_[n] : 0; }
  double death(std::size_t n) const { return n > 0 ? death_[n - 1] : 0; }

  std::vector<double> stationary() const;
  // Natural logarithm of the stationary probability of n.
  double log_stationary(std::size_t n) const;
  // ln(pi(well) / pi(barrier)): how deep a well is under a barrier.
  double quasipotential(std::size_t well, std::size_t barrier) const;

  // From one state to another, in either direction; 0 to itself. NoAnswer above 1e308,
  // where the logarithm still has its value.
  double mean_passage_time(std::size_t from, std::size_t to) const;
  double log_mean_passage_time(std::size_t from, std::size_t to) const;
  // Probability of reaching `high` before `low`, from n; low < high, low <= n <= high.
  double committor(std::size_t low, std::size_t high, std::size_t n) const;

  // The k-th smallest eigenvalue of minus the generator above zero, k from 1 to top().
  // NoAnswer below 1e-308, where the logarithm still has its value.
  double decay_rate(std::size_t k) const;
  double log_decay_rate(std::size_t k) const;
  double spectral_gap() const { return decay_rate(1); }
  // The rate of leaving the states first .. last in the long run. NoAnswer for all
  // states.
  double exit_rate(std::size_t first, std::size_t last) const;
  double log_exit_rate(std::size_t first, std::size_t last) const;

  MarkovChain chain() const;

 private:
  void expect_state(std::size_t n) const;
  long double decay(std::size_t k) const;
  long double exit(std::size_t first, std::size_t last) const;

  std::vector<double> birth_;
  std::vector<double> death_;
  std::vector<long double> log_weight_;  // ln pi(n) / pi(0)
  long double log_total_ = 0;            // of the weights
};

// Clients that try again after a timeout, as a birth-death chain: an arrival that finds n
// waits for n + 1 services, and each that takes longer than the timeout adds
// `retry_factor` further arrivals. Births at base_rate * (1 + retry_factor * Q(n + 1)),
// Q(k) the probability that an Erlang(k, service_rate) time is longer than the timeout.
struct BirthDeathRetry {
  double base_rate = 0;
  double retry_factor = 0;
  double timeout = 0;
  double service_rate = 1;
  std::size_t capacity = 0;  // arrivals that find so many are lost
  bool operator==(const BirthDeathRetry&) const = default;
};
BirthDeath birth_death(const BirthDeathRetry& model);

}  // namespace basin
