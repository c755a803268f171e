// M/D/1, first come first served: the whole law of number and wait.
//
// The law of the number solves the cut equations of the chain embedded at departures,
// sums of positive terms; that of the wait between multiples of the service is Franx's
// formula (Operations Research Letters 29, 2001), positive terms too, where the classical
// one (Erlang 1909) alternates and loses all digits after some thirty services.
#pragma once

#include <cstddef>
#include <vector>

namespace basin {

class Md1 {
 public:
  // arrival_rate > 0, service time > 0; NoAnswer unless arrival_rate service < 1.
  Md1(double arrival_rate, double service);

  double utilization() const { return load_; }
  double mean_wait() const;  // rho D / (2 (1 - rho))
  double mean_number() const;
  double mean_waiting() const;
  double mean_sojourn() const;

  // Probability of `number` in the system, at any time and at departures.
  double number_probability(std::size_t number) const;
  // P(wait <= time), P(wait > time).
  double wait_distribution(double time) const;
  double wait_tail(double time) const;
  // The least time that the wait exceeds with probability at most 1 - p (0 <= p < 1).
  double wait_quantile(double p) const;

 private:
  // P(more than `number` in the system), by the law as far as it is kept and geometric
  // beyond.
  long double number_tail(std::size_t number) const;

  double arrival_rate_;
  double service_;
  double load_;
  std::vector<long double> tail_;  // P(N > n)
  long double decay_ = 0;          // of tail_ beyond its end
};

}  // namespace basin
