// The rules of models/README.md a second time, written from that page alone and as
// plainly as can be: a sorted map of closures, vectors, linear searches. Slow; it exists
// to be compared with models/system.h.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/random.h"
#include "engine/time.h"
#include "models/event_log.h"
#include "models/run_result.h"
#include "models/system_config.h"

namespace basin {

struct PlainRequest {
  RequestKey key;
  SimTime created{};
  bool succeeded = false;
  Duration latency{0};  // creation to answer, where it succeeded
  bool operator==(const PlainRequest&) const = default;
};

// Levels from `time` on.
struct PlainLevels {
  SimTime time{};
  std::int64_t waiting = 0;
  std::int64_t in_flight = 0;
  std::int64_t at_work = 0;       // consumers with a batch, and up
  std::int64_t with_a_batch = 0;  // frozen ones too
};

struct PlainCompletion {
  SimTime time{};
  bool made_success = false;
};

struct PlainResult {
  std::vector<LoggedEvent> events;
  MessageCounts counts;
  InterventionCounts interventions;
  OutcomeSeries outcomes;
  Trajectory trajectory;
  std::vector<PlainRequest> requests;  // also those created past the horizon
  std::vector<PlainLevels> levels;     // after each event that changed one
  std::vector<PlainCompletion> completions;
  std::vector<std::pair<SimTime, Duration>>
      waits;                          // first receives: when, since the send
  std::vector<SimTime> redeliveries;  // hand-outs after the first
  std::vector<SimTime> retries;       // sends of attempts after the first
  std::optional<SimTime> first_incident_start;
  std::optional<SimTime> last_incident_end;
  SimTime ended{};  // the instant of the last event
};

PlainResult plain_run(const SystemConfig& config, const RandomKey& key);

// The numbers of run_result.h from what plain_run recorded.
Metrics plain_metrics(const SystemConfig& config, const PlainResult& run);
// RunResult::drained_at.
std::optional<SimTime> plain_drained_at(const SystemConfig& config,
                                        const PlainResult& run);

}  // namespace basin
