// Queues with retries as Markov chains: each model a struct of named parameters, its
// chain, and the quantities that are asked of it.
//
// Rates are per unit of time; counts are whole. Where an orbit is unbounded, the chain is
// cut at `orbit_limit`; without one the limit grows until what it cuts off is below
// rounding, and NoAnswer says so if there is no steady state to find. Parameters out of
// their range are NoAnswer too.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analysis/pair_chain.h"

namespace basin {

// Passage between the healthy and the stormy side of a chain, and how slow it is.
struct Switching {
  double time_to_storm = 0;          // mean, from the empty system
  std::array<int, 2> storm_state{};  // where the way back starts
  double time_to_empty = 0;          // mean, from there
  double spectral_gap = 0;           // minus the real part of the slowest eigenvalue,
  double second_rate = 0;            // and of the next
};

// --- Processor sharing with timeouts that cancel nothing.
//
// One processor-sharing server of total rate service_rate. A live request times out at
// timeout_rate and becomes a zombie, which goes on taking its share; its client sends a
// new request with retry_probability if there is room, else gives up. Live and zombie
// requests together are at most `capacity`; arrivals beyond are lost.
struct PsZombie {
  double arrival_rate = 0;
  double service_rate = 1;
  double timeout_rate = 0;  // positive
  double retry_probability = 0;
  int capacity = 0;
  bool operator==(const PsZombie&) const = default;
};
PairChain chain_of(const PsZombie& model);  // (live, zombie)

struct PsZombieAnswers {
  double mean_live = 0;
  double mean_zombie = 0;
  double goodput = 0;               // live requests served per unit of time
  double blocking_probability = 0;  // of the state, by time; arrivals see the same
  double crowded_probability = 0;   // 90 % of the capacity or more
  double empty_probability = 0;
};
PsZombieAnswers answers(const PsZombie& model);
// The storm begins at 90 % of the capacity; the way back starts from the likeliest full
// state.
Switching switching(const PsZombie& model);

// --- An orbit fed by what was served too late.
//
// M/M/1/K first come first served. A completion that leaves failure_depth or more behind
// counts as timed out. A failed or blocked attempt joins the orbit with
// retry_probability, else gives up; each in orbit tries again at retry_rate.
struct DepthFailure {
  double arrival_rate = 0;
  double service_rate = 1;
  double retry_rate = 0;
  double retry_probability = 0;
  int failure_depth = 0;
  int capacity = 0;
  std::optional<int> orbit_limit{};  // a failure at the limit gives up
  bool operator==(const DepthFailure&) const = default;
};
PairChain chain_of(const DepthFailure& model);  // (depth, orbit)

struct DepthFailureAnswers {
  double mean_depth = 0;
  double mean_orbit = 0;
  double goodput = 0;               // completions in time per unit of time
  double blocking_probability = 0;  // the system is full, by time
  double failing_probability = 0;   // failure_depth or more in the system, by time
  int orbit_limit = 0;
  double limit_probability = 0;  // of the orbit at its limit
};
DepthFailureAnswers answers(const DepthFailure& model);
// The storm begins when the system is full; the way back starts from the likeliest such
// state.
Switching switching(const DepthFailure& model);
// Probability that a full system comes before the empty one (nobody in orbit either),
// from one request in service.
double overflow_probability(const DepthFailure& model);

// --- M/M/c/K with an orbit (the classical retrial queue).
//
// An arrival or retry that finds `capacity` in the system joins the orbit (stays in it)
// with retry_probability, else is lost; each in orbit tries again at retry_rate.
struct RetrialQueue {
  double arrival_rate = 0;
  double service_rate = 1;
  double retry_rate = 0;
  double retry_probability = 1;
  int servers = 1;
  int capacity = 1;                  // K, in service and waiting; servers or more
  std::optional<int> orbit_limit{};  // what would join beyond is lost
  bool operator==(const RetrialQueue&) const = default;
};
PairChain chain_of(const RetrialQueue& model);  // (in system, orbit)

struct RetrialAnswers {
  double mean_orbit = 0;
  double mean_in_system = 0;        // without the orbit
  double blocking_probability = 0;  // the system is full, by time
  double throughput = 0;
  int orbit_limit = 0;
  double limit_probability = 0;  // of the orbit at its limit
};
RetrialAnswers answers(const RetrialQueue& model);

// --- Queue and orbit with a timeout bound by Chebyshev's inequality.
//
// The chain of the tool metafor (github.com/mpi-sws-rse/metafor) for one server with a
// pool of threads. With u in the queue, served at min(u, threads) * service_rate, a
// request is late with probability tail(u) = variance / (timeout - mean)^2 of u services
// one after the other, or 1 where that bound says nothing. A late arrival sends a copy
// besides, into queue and orbit, with probability copy_share. Each in orbit retries at
// retries / ((retries + 1) timeout), and stays there if it is late again; it drops out at
// 1 / ((retries + 1) timeout).
struct QueueOrbit {
  double arrival_rate = 0;
  double service_rate = 1;
  double timeout = 0;
  double retries = 0;  // at most, each request
  double copy_share = 0.25;
  int threads = 1;
  int queue = 100;  // number of values of u, from 0; two or more
  int orbit = 20;   // number of values of v, from 0
  // A full queue, as published, sends what retries away; with this it feeds the orbit
  // instead.
  bool retry_when_full = false;
  bool operator==(const QueueOrbit&) const = default;
};
PairChain chain_of(const QueueOrbit& model);  // (queue, orbit)

struct QueueOrbitAnswers {
  double mean_queue = 0;
  double mean_orbit = 0;
  double full_probability = 0;
  double drain_time = 0;    // mean, from queue and orbit full to both empty
  double slowest_rate = 0;  // real part of the second eigenvalue, negative
};
QueueOrbitAnswers answers(const QueueOrbit& model);

}  // namespace basin
