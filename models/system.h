// The system under test: producers, a queue, consumers and incidents, run to a horizon.
#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>

#include "engine/random.h"
#include "models/event_log.h"
#include "models/run_result.h"
#include "models/system_config.h"

namespace basin {

struct RunLimits {
  // For waiting messages and the requests they belong to; the run stops beyond it.
  std::int64_t memory_bytes = std::int64_t{4} << 30;
  // When set and true, the run is given up with RunStopped within milliseconds.
  const std::atomic<bool>* stop = nullptr;
};

class RunStopped : public std::runtime_error {
 public:
  RunStopped() : std::runtime_error{"stopped"} {}
};

// Runs the system once. A pure function of its arguments: the same bits for any thread,
// any machine and any build. Throws std::runtime_error with a message where the run
// cannot be judged (an incident's drawn duration passes the horizon; no progress in
// time).
//
// Without `log` nothing is recorded and the recording costs nothing.
RunResult simulate(const SystemConfig& config,
                   const RandomKey& key,
                   const RunLimits& limits = {},
                   EventLog* log = nullptr);

}  // namespace basin
