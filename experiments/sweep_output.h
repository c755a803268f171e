// What a run or a sweep hands to the output file, cell by cell.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "experiments/scenario.h"
#include "models/run_result.h"

namespace basin {

enum class Arm : std::uint8_t { control = 0, triggered = 1, unamplified = 2 };
std::string_view name_of(Arm arm);  // in sweep_output.cc

// inferred: not run, since the cells around it agree.
enum class CellStatus : std::int8_t {
  missing = 0,
  done = 1,
  failed = 2,
  excluded = 3,
  inferred = 4
};

// One arm of one replication: what is kept of a run.
struct ArmRecord {
  bool present = false;  // false where the arm was not run or failed
  std::string error;     // why it failed, or cannot be judged
  Metrics metrics;
  bool truncated = false;
  double recovery_time = 0;  // s, infinite if not recovered by the horizon
  double drain_time = 0;     // s after the last incident, infinite if not drained
  InterventionCounts interventions;
  Trajectory trajectory;

  // How it looks by itself; without an objective there is none. `recovery_objective` is
  // objective.recovery_time, NaN without one; `certain` tells a run of the fluid limit.
  std::optional<ArmAssessment> assessment;
  double recovery_objective = std::numeric_limits<double>::quiet_NaN();
  bool certain = false;
  bool stuck = false;  // the verdict, which takes the control too
};

// A value of each replication, NaN where the record is not present.
template <class Value>
std::vector<double> over_replications(const std::vector<ArmRecord>& records,
                                      const Value& value) {
  std::vector<double> values;
  values.reserve(records.size());
  for (const ArmRecord& record : records) {
    values.push_back(record.present ? value(record)
                                    : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

inline std::vector<double> metric_values(const std::vector<ArmRecord>& records,
                                         double Metrics::*metric) {
  return over_replications(
      records, [&](const ArmRecord& record) { return record.metrics.*metric; });
}

struct CellOutput {
  std::vector<std::size_t> indices;  // one an axis; empty for a single run
  CellStatus status = CellStatus::missing;
  std::string message;  // why it failed
  bool has_verdict = false;
  CellVerdict verdict;
  std::vector<Phase> phases;  // one a replication
  // [arm][replication], arms in the order of OutputLayout::arms.
  std::vector<std::vector<ArmRecord>> arms;
};

// Whether its verdict has a phase, be it that of the cells around it.
inline bool has_phase(const CellOutput& cell) {
  return cell.has_verdict || cell.status == CellStatus::inferred;
}

enum class TrajectoriesToKeep : std::uint8_t { none, summary, all };

// Everything about the file that does not depend on the results.
struct OutputLayout {
  const Scenario* scenario = nullptr;  // outlives the layout
  std::vector<Arm> arms;
  int replications = 1;
  std::vector<double> time;  // s, sample instants
  std::size_t first_replication = 0;
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::summary;
  std::string command_line;
};

}  // namespace basin
