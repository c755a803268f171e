// GI/M/1, first come first served: independent gaps of any law, one exponential server.
//
// All is in sigma, the root in (0, 1) of sigma = A*(mu (1 - sigma)), A* the transform of
// the gaps: an arrival finds n with probability (1 - sigma) sigma^n. Kleinrock, Queueing
// Systems vol. 1 (1975), section 6.
#pragma once

#include "analysis/time_law.h"

namespace basin {

struct GiM1 {
  TimeLaw gap;              // mean > 0
  double service_rate = 1;  // mu, > 0
};

struct GiM1Answers {
  double utilization = 0;   // rho
  double sigma = 0;         // probability to wait
  double sojourn_rate = 0;  // mu (1 - sigma): the sojourn is exponential with it
  double mean_number = 0;
  double mean_waiting = 0;
  double mean_sojourn = 0;
  double mean_wait = 0;
  double wait_variance = 0;
};
// NoAnswer without a steady state.
GiM1Answers answers(const GiM1& queue);

// Probability of a longer wait or sojourn, and the time exceeded with probability 1 - p
// (0 <= p < 1).
double wait_tail(const GiM1Answers& queue, double time);
double sojourn_tail(const GiM1Answers& queue, double time);
double wait_quantile(const GiM1Answers& queue, double p);
double sojourn_quantile(const GiM1Answers& queue, double p);

}  // namespace basin
