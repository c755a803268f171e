// M/G/1, first come first served: the Pollaczek-Khinchine formula and Takács' second
// moment of the wait. Kleinrock, Queueing Systems vol. 1 (1975), section 5.
#pragma once

#include <optional>

#include "analysis/time_law.h"

namespace basin {

struct Mg1 {
  double arrival_rate = 0;  // lambda, > 0
  Moments service;          // mean > 0
};

struct Mg1Answers {
  double utilization = 0;  // rho, also the probability to wait
  double mean_number = 0;
  double mean_waiting = 0;
  double mean_sojourn = 0;
  double mean_wait = 0;
  // Absent where the third moment of the service is infinite.
  std::optional<double> wait_second_moment;
  std::optional<double> wait_variance;
  double busy_period_mean = 0;      // E[S] / (1 - rho)
  double busy_period_variance = 0;  // (Var S + rho E[S]^2) / (1 - rho)^3
};
// Wq = lambda E[S^2] / (2 (1 - rho)); E[Wq^2] = 2 Wq^2 + lambda E[S^3] / (3 (1 - rho)).
// NoAnswer without a steady state, and for a second moment that is infinite (the mean
// wait is too).
Mg1Answers answers(const Mg1& queue);

}  // namespace basin
