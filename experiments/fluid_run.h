// A scenario in its fluid limit: the same result as from the event engine, from a delay
// equation (analysis/fluid_queue.h), in a fraction of a second and without chance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/random.h"
#include "experiments/scenario.h"
#include "models/run_result.h"

namespace basin {

// What of a scenario the fluid limit does not represent.
struct FluidMisfit {
  std::string table;      // "queue", "producer", "incident", "intervention"
  std::size_t entry = 0;  // of a list of tables
  std::string key;
  std::string problem;
};
// The first; absent where it can be run.
std::optional<FluidMisfit> fluid_misfit(const Scenario& scenario);

// What it leaves out without misleading, in sentences.
std::vector<std::string> fluid_notes(const Scenario& scenario);

// Metrics as in run_result.h, with what the limit makes of them: a count is a mass, a
// latency is that of each request by its time of creation, a peak is that of the mean.
// The key decides durations of incidents that are drawn, and nothing else. Throws
// NoAnswer where the limit would need too many steps, std::runtime_error as simulate().
RunResult fluid_run(const SystemConfig& system, const RandomKey& key);

}  // namespace basin
