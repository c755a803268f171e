// The fluid limit of processor sharing whose callers give up and try again while their
// work goes on: a live requests and z zombies share one server.
//
//   da/dt = lambda - mu min(n, 1) a/n - theta (1 - q) a
//   dz/dt = theta a - mu min(n, 1) z/n,            n = a + z
//
// theta the rate of timeouts of a live request, q the probability that its caller sends
// it again. Below n = 1 the server is not saturated. Chain: PsZombie in retry_chains.h.
#pragma once

#include <vector>

namespace basin {

struct ZombieFluid {
  double arrival_rate = 0;       // lambda, >= 0
  double service_rate = 1;       // mu, > 0
  double timeout_rate = 0;       // theta, > 0
  double retry_probability = 1;  // q, in (0, 1]
};

// Loads between (1 - q) mu and mu have a saddle: below its stable manifold the system
// empties, above it the zombies take over.
struct ZombieSaddle {
  double live = 0;
  double zombie = 0;
  double stable_rate = 0;  // the two eigenvalues, negative and positive
  double unstable_rate = 0;
  double window_low = 0;   // (1 - q) mu
  double window_high = 0;  // mu
};
// NoAnswer outside of the window, or where the saddle lies below n = 1.
ZombieSaddle saddle(const ZombieFluid& model);

struct ZombieState {
  double live = 0;
  double zombie = 0;
};
// After `time` from a state, to about 12 digits.
ZombieState state_after(const ZombieFluid& model, ZombieState from, double time);

// From the empty system: arrivals at `trigger_rate`, for how long so that it does not
// come back at the usual rate afterwards. NoAnswer where no trigger of that rate does it.
double critical_trigger(const ZombieFluid& model, double trigger_rate);

}  // namespace basin
