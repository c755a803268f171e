// The highest load a system carries: undisturbed (advertised), and behind a backlog or
// after its own incidents (hidden). By search, with intervals.
//
// A replication carries a load if its verdict is stable: undisturbed, healthy over the
// tail of the horizon; disturbed, recovered by the horizon. The capacity is the load that
// half of the replications carry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/stochastic_search.h"
#include "engine/time.h"
#include "experiments/lever.h"
#include "experiments/scenario.h"
#include "experiments/search_runs.h"

namespace basin {

struct CapacityOptions {
  std::optional<std::string> load = {};  // its key; arrivals.rate if not said
  std::optional<std::string> from = {};  // as written in a scenario file
  std::optional<std::string> to = {};
  double precision = 0.01;  // relative
  std::optional<Duration> saturated_delay = {};
  std::int64_t most_runs = 240;          // of each search
  std::optional<std::string> over = {};  // "key=v1,v2" or "key=from:to:steps"
};

// What flow balance says: consumers work off C, and a request that is never answered in
// time takes A = 1 + r + … + r^(N-1) attempts. In the load's own unit; of a schedule that
// does not repeat, by its highest rate.
struct CapacityTheory {
  double capacity = 0;  // C
  double attempts = 1;  // A
};

// One value of the second parameter, or the scenario alone.
struct CapacityRow {
  std::string value;  // of the second parameter; empty without one
  double today = 0;   // the load
  CapacityTheory theory;
  Crossing advertised;
  Crossing saturated;
  std::optional<Crossing> own_trigger;  // of a scenario with incidents
  double saturated_delay = 0;           // s
  double saturated_messages = 0;
  bool messages_refused = false;  // the queue does not hold so many
};

struct Capacity {
  Scenario scenario;
  Lever load;
  double low = 0;  // the range searched, of the first row
  double high = 0;
  CapacityOptions options;
  std::optional<OverAxis> over;
  std::vector<CapacityRow> rows;
};

// The depth of the saturated start over horizon * A: by how much it moves the edge, since
// it has to be worked off by the horizon.
double edge_shift(const Capacity& capacity, const CapacityRow& row);

// Throws ScenarioError and NoAnswer for what cannot be searched, SearchError where a run
// fails.
Capacity search_capacity(const Scenario& scenario,
                         const CapacityOptions& options,
                         const RunScenarios& run);

// Searches and arms of each, for progress: runs that are likely.
std::size_t expected_capacity_runs(const Scenario& scenario,
                                   const CapacityOptions& options);

// What the reader should know before trusting the numbers, one sentence each.
std::vector<std::string> capacity_cautions(const Capacity& capacity);

std::string capacity_text(const Capacity& capacity);  // at most 80 columns
std::string capacity_json(const Capacity& capacity);

}  // namespace basin
