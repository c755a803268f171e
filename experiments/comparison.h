// Two scenarios under common random numbers: what is different, and by how much.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/paired.h"
#include "experiments/cell_result.h"
#include "experiments/scenario.h"

namespace basin {

// One of the two, run as one cell. What it points to outlives it.
struct ComparedSide {
  const Scenario* scenario = nullptr;
  const std::vector<Arm>* arms = nullptr;  // those that were run
  const CellResult* result = nullptr;

  // The arm that the verdict is about, as a place in `arms`: triggered, or the control
  // alone.
  std::size_t judged() const { return arms->size() > 1 ? 1 : 0; }
};

// B - A of one arm, or of A's triggered arm and the control of a B without incidents.
struct ComparedArms {
  Arm of_a = Arm::control;
  Arm of_b = Arm::control;
  std::vector<PairedDifference> metrics;  // in step with metric_table

  bool is_identical() const;  // every metric is the same in every replication
};

// B - A over the pairs in which both values are finite: given that both came back.
struct ConditionalDifference {
  std::int64_t pairs = 0;
  MeanEstimate difference;  // NaN without pairs
};

struct Comparison {
  // Those that both have, then the judged arms where they are not the same one.
  std::vector<ComparedArms> arms;
  // Whether the judged arm recovered by the horizon; absent without both verdicts.
  std::optional<PairedOutcomes> recovered;
  // Within each scenario's own objective.recovery_time; absent where one has none.
  std::optional<PairedOutcomes> within_rto;
  ConditionalDifference recovery_time;
  ConditionalDifference drain_time;
};

// Both were run with the same replications and random numbers; replications that failed
// count as missing.
Comparison compare(const ComparedSide& a, const ComparedSide& b);

// A value in force that is not the same in both; "" where the key is not in force.
struct ChangedValue {
  std::string key;
  std::string a;
  std::string b;
};
// In the order of A's keys, then B's own. Seed and replications are left out: the
// comparison takes A's.
std::vector<ChangedValue> changed_values(const Scenario& a, const Scenario& b);

// What the reader of the comparison should know of how far it goes, a sentence each:
// other horizons and warm-ups, other objectives, runs cut short.
std::vector<std::string> cautions(const ComparedSide& a, const ComparedSide& b);

}  // namespace basin
