// M/M/1, first come first served: Poisson arrivals, one exponential server.
//
// Kleinrock, Queueing Systems vol. 1 (1975), chapters 2 and 3, where no other source is
// named. Rates are per unit of time. A function that needs a steady state throws NoAnswer
// where the arrival rate is not below the service rate.
#pragma once

#include <cstdint>

namespace basin {

struct Mm1 {
  double arrival_rate = 0;  // lambda, > 0
  double service_rate = 1;  // mu, > 0
};

struct Mm1Answers {
  double utilization = 0;        // rho, also the probability to wait
  double empty_probability = 0;  // 1 - rho
  double mean_number = 0;        // L, waiting and in service
  double mean_waiting = 0;       // Lq
  double mean_sojourn = 0;       // W
  double mean_wait = 0;          // Wq
  double number_variance = 0;    // of the number in the system
  // lim T Var(time average of the number over [0, T]) = 2 rho (1 + rho) / ((1 - rho)^4
  // mu).
  double time_average_variance = 0;
  // The slowest mode decays at (sqrt mu - sqrt lambda)^2.
  double relaxation_rate = 0;
  double busy_period_mean = 0;
  double busy_period_variance = 0;
};
Mm1Answers answers(const Mm1& queue);

// Probability of more than `number` in the system.
double number_tail(const Mm1& queue, std::int64_t number);
// Probability that the wait, or the sojourn, is longer than `time`; and the time that it
// exceeds with probability 1 - p (0 <= p < 1).
double wait_tail(const Mm1& queue, double time);
double sojourn_tail(const Mm1& queue, double time);
double wait_quantile(const Mm1& queue, double p);
double sojourn_quantile(const Mm1& queue, double p);

// Probability that the number reaches `level` (>= 1) before 0, from 1. Gambler's ruin;
// any load.
double overflow_probability(const Mm1& queue, std::int64_t level);
// Mean time from the empty system until the number is `level` for the first time; any
// load.
double mean_time_to_level(const Mm1& queue, std::int64_t level);

// At `time` (>= 0) after a start with `initial` in the system, any load.
struct Mm1Transient {
  double mean_number = 0;
  double number_variance = 0;
  double empty_probability = 0;
};
// From the spectral representation of the chain (Morse, Operations Research 3, 1955)
// where the start is within its reach, else by uniformization; NoAnswer where that would
// take more than 1e9 steps.
Mm1Transient transient(const Mm1& queue, std::int64_t initial, double time);

// The time until `depth` fewer are in the system, while the server never idles: the first
// passage of a random walk, mean depth/(mu - lambda), variance depth (mu + lambda) /
// (mu - lambda)^3. With service_rate c mu also that of a backlog in M/M/c.
struct DrainTime {
  double mean = 0;
  double variance = 0;
};
DrainTime drain_time(const Mm1& queue, double depth);

}  // namespace basin
