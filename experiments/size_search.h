// The least (or greatest) value of a key at which the system recovers within its recovery
// time with a given probability, over the cases of the scenario's incidents.
//
// A replication runs every case, and counts by the weights of those it recovered from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/intervals.h"
#include "analysis/stochastic_search.h"
#include "experiments/headroom.h"
#include "experiments/lever.h"
#include "experiments/scenario.h"
#include "experiments/search_runs.h"

namespace basin {

struct SizeOptions {
  std::string lever;
  std::optional<std::string> from = {};  // as written in a scenario file
  std::optional<std::string> to = {};
  double probability = 0.95;
  double precision = 0.02;  // of a lever that is not a whole number; relative
  // Smallest: recovery becomes likelier as the lever grows, and its least value is
  // sought.
  enum class Wanted : std::uint8_t { find_out, smallest, largest };
  Wanted wanted = Wanted::find_out;
  std::int64_t most_runs = 400;  // replications of the search, each of all cases
};

// One case at one value, in replications that the search did not use.
struct CaseOutcome {
  std::int64_t recovered = 0;  // in time
  std::int64_t replications = 0;
  Interval interval;                // Jeffreys
  double recovery_time_median = 0;  // s, infinite where not reached
  double recovery_time_95 = 0;
  double drain_time_median = 0;
  double peak_depth = 0;     // means over replications
  double base_rate = 0;      // of the triggered arm
  double extra_retries = 0;  // messages more than in the control
  double extra_redeliveries = 0;
  double extra_waste = 0;          // completions
  std::int64_t sick_controls = 0;  // not healthy without the incidents
};
struct SizeOutcome {
  double value = 0;
  double probability = 0;  // weighted over the cases
  Interval interval;       // bounded_mean_interval
  std::vector<CaseOutcome> cases;
};

struct Size {
  Scenario scenario;
  SizeOptions options;
  Lever lever;
  double low = 0;
  double high = 0;
  Trend trend = Trend::rising;  // of recovery, along the lever
  Crossing crossing;
  // Where nothing of the range suffices, or all of it does, and no level is found; else
  // empty.
  std::string nothing_to_find;
  SizeOutcome found;                    // at the level
  std::optional<SizeOutcome> short_of;  // one step on the other side
  // What the arithmetic reckons with: the scenario of today, at the level found unless
  // the lever is the number of consumers; in step with the cases.
  Scenario reckoned;
  std::vector<Headroom> headroom;
  // The most that the arithmetic asks for, of the cases; at it, where the lever is the
  // number of consumers.
  double headroom_consumers = 0;
  std::optional<SizeOutcome> at_headroom;
};

// Throws ScenarioError and NoAnswer for what cannot be searched, SearchError where a run
// fails.
Size search_size(const Scenario& scenario,
                 const SizeOptions& options,
                 const RunScenarios& run);

std::size_t expected_size_runs(const Scenario& scenario, const SizeOptions& options);

// Why the arithmetic and the simulation differ, as seen in the runs; one sentence each.
std::vector<std::string> size_reasons(const Size& size);
std::vector<std::string> size_cautions(const Size& size);
std::string size_text(const Size& size);  // at most 80 columns
std::string size_json(const Size& size);

}  // namespace basin
