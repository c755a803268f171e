// M/M/c, first come first served, with and without a bound on the number in the system.
//
// Erlang's formulas by their recursion over servers, which only adds, multiplies and
// divides: stable for any number of servers and loads up to 1. Kleinrock, Queueing
// Systems vol. 1 (1975), sections 3.4 to 3.6; Cooper, Introduction to Queueing Theory
// (1981).
#pragma once

#include <cstdint>

namespace basin {

// Erlang B: the probability that all of `servers` (>= 0) are busy, of Poisson arrivals
// that are lost then; `offered_load` = lambda / mu >= 0.
double erlang_b(double offered_load, std::int64_t servers);
// Erlang C: the probability to wait in M/M/c. NoAnswer unless offered_load < servers.
double erlang_c(double offered_load, std::int64_t servers);

struct Mmc {
  double arrival_rate = 0;  // lambda, > 0
  double service_rate = 1;  // mu of one server, > 0
  std::int64_t servers = 1;
};

struct MmcAnswers {
  double utilization = 0;       // lambda / (c mu)
  double wait_probability = 0;  // Erlang C
  double mean_number = 0;       // L
  double mean_waiting = 0;      // Lq
  double mean_sojourn = 0;      // W
  double mean_wait = 0;         // Wq
  double wait_variance = 0;
  double empty_probability = 0;  // P0; 0 where it is below 1e-308
};
// NoAnswer without a steady state.
MmcAnswers answers(const Mmc& queue);

// Probability of a longer wait or sojourn, and the time exceeded with probability 1 - p
// (0 <= p < 1).
double wait_tail(const Mmc& queue, double time);
double sojourn_tail(const Mmc& queue, double time);
double wait_quantile(const Mmc& queue, double p);
double sojourn_quantile(const Mmc& queue, double p);

// At most `capacity` (>= servers) in the system; arrivals beyond are lost. Any load.
struct MmcK {
  double arrival_rate = 0;
  double service_rate = 1;
  std::int64_t servers = 1;
  std::int64_t capacity = 1;  // K, at most 1e7
};
struct MmcKAnswers {
  double blocking_probability = 0;
  double throughput = 0;
  double utilization = 0;  // share of the servers' time
  double mean_number = 0;
  double mean_waiting = 0;
  double mean_sojourn = 0;  // of those let in
  double mean_wait = 0;
  double empty_probability = 0;
};
MmcKAnswers answers(const MmcK& queue);

}  // namespace basin
