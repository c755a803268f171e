// MMPP/M/1: an exponential server whose Poisson arrivals change their rate with the state
// of a Markov chain. First come first served.
//
// Matrix-geometric (Neuts 1981): the vector of probabilities of n in the system, one
// entry for each state of the modulation, is pi_n = pi_0 R^n. G, from which R follows,
// comes from logarithmic reduction (Latouche and Ramaswami 1993). All linear systems are
// M-matrices of known row sums and are solved without subtraction (Grassmann, Taksar and
// Heyman 1985), so that results keep their digits at loads near 1 and with modulations
// far slower or faster than the queue.
#pragma once

#include <cstdint>
#include <vector>

namespace basin {

struct MmppM1 {
  std::vector<double> arrival_rates;  // by state; may be 0, not in all
  // From the state of the row to that of the column; the diagonal does not count.
  std::vector<std::vector<double>> switching_rates;
  double service_rate = 1;  // mu, > 0
};

struct MmppM1Answers {
  double mean_arrival_rate = 0;
  double utilization = 0;        // rho, of the mean arrival rate
  double empty_probability = 0;  // 1 - rho
  double wait_probability = 0;   // that an arrival finds the server busy
  double mean_number = 0;        // L, waiting and in service
  double mean_waiting = 0;       // Lq
  double mean_sojourn = 0;       // W
  double mean_wait = 0;          // Wq
  // P(more than n) decays as this to the power n: the spectral radius of R.
  double decay = 0;
};
// NoAnswer unless rho < 1, and every state of the modulation can be reached from every
// other; at most 300 states.
MmppM1Answers answers(const MmppM1& queue);

// Probability of more than `number` in the system, and that an arrival finds more.
double number_tail(const MmppM1& queue, std::int64_t number);
double arrival_tail(const MmppM1& queue, std::int64_t number);

}  // namespace basin
