// What decides of which forms a scenario is a case.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "experiments/scenario.h"

namespace basin {

struct TheoryFacts {
  // Arrivals. The gaps of a renewal process (Poisson and deterministic ones too).
  double arrival_rate = 0;
  bool poisson = false;
  bool constant_rate = true;  // not of a schedule or a trace
  std::optional<Distribution> gap;
  // Of an MMPP, or of on and off periods that are exponential.
  std::optional<MmppArrivals> modulation;
  std::string process;  // "poisson", "mmpp", …

  // Consumers; the service is that of the first group.
  int servers = 0;
  Distribution service;
  double service_mean = 0;
  double capacity = 0;  // messages a second, all at work
  bool exponential_service = false;

  // What the steady-state forms of one queue with alike servers do not represent, one
  // reason each: batches, leases that may run out, consumers that differ.
  std::vector<std::string> obstacles;
  // Of these, that leases may run out; empty where they do not.
  std::string leases;

  // Retries: mean number of attempts of a request that is never answered,
  // A = 1 + r + … + r^(N-1), and why arrivals answer to depth; empty where they do not.
  double attempts = 1;
  std::string loop;
  // The timeout where attempts time out, in seconds; infinite without one.
  double timeout = std::numeric_limits<double>::infinity();

  // Waiting messages beyond which arrivals are refused, and the age beyond which they are
  // dropped: absent where they cannot matter before the horizon.
  std::optional<std::int64_t> waiting_room;
  std::optional<double> time_to_live;

  double load() const { return arrival_rate / capacity; }
};

TheoryFacts facts_of(const Scenario& scenario);

}  // namespace basin
