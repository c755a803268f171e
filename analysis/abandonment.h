// M/M/c with customers that give up waiting: after an exponential time (Erlang-A) or
// after a fixed one. First come first served; who gives up leaves the queue unserved, and
// nobody leaves service. There is a steady state at any load.
#pragma once

#include <cstdint>

namespace basin {

// M/M/c+M: patience is exponential. Palm (1957); Mandelbaum and Zeltyn, "Service
// engineering in action: the Palm/Erlang-A queue" (2007).
struct MmcPlusM {
  double arrival_rate = 0;  // lambda, > 0
  double service_rate = 1;  // mu of one server, > 0
  std::int64_t servers = 1;
  double abandonment_rate = 0;  // theta of one who waits, > 0
};

// M/M/c+D: everybody gives up after the same time in the queue. Baccelli and Hebuterne,
// "On queues with impatient customers" (1981); Zeltyn and Mandelbaum, Queueing Systems 51
// (2005).
struct MmcPlusD {
  double arrival_rate = 0;
  double service_rate = 1;
  std::int64_t servers = 1;
  double patience = 0;  // tau, >= 0; with 0 it is Erlang's loss system
};

struct AbandonmentAnswers {
  double wait_probability = 0;     // finds all servers busy
  double abandon_probability = 0;  // share of all arrivals that give up
  double mean_number = 0;          // L, waiting and in service
  double mean_waiting = 0;         // Lq
  double mean_wait = 0;            // in the queue, of all; who gives up waited until then
  double throughput = 0;           // served per unit of time
};

struct MmcPlusMAnswers : AbandonmentAnswers {
  double empty_probability = 0;  // P0; 0 where it is below 1e-308
};
// A sum over the states that matter, those around the likeliest; NoAnswer where they are
// more than 1e8.
MmcPlusMAnswers answers(const MmcPlusM& queue);

struct MmcPlusDAnswers : AbandonmentAnswers {
  double mean_wait_served = 0;
};
MmcPlusDAnswers answers(const MmcPlusD& queue);

}  // namespace basin
