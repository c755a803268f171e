// From the runs of one cell to what is reported of it: its arms, the verdict, and why it
// failed if it did.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"
#include "models/run_result.h"

namespace basin {

// All replications of one arm: a result or the reason why there is none.
struct ArmRuns {
  std::vector<std::optional<RunResult>> results;
  std::vector<std::string> errors;
};

struct CellResult {
  std::size_t cell = 0;  // place in the grid
  CellOutput output;
  std::optional<Explanation> explanation;  // with a third arm and a verdict
};

// What the system is in each arm: control has no incidents and no interventions;
// unamplified keeps them, but sends no retry and hands nothing out again (max_attempts =
// 1, no visibility timeout, and none of what needs one).
SystemConfig system_of_arm(const SystemConfig& system, Arm arm);

// Work in the system at each sample: waiting + in flight + retries pending.
std::vector<float> work_in_system(const Trajectory& trajectory);

// `arms` and `runs` in step; arms are control, then triggered and unamplified where there
// are any. `scenario` is that of the cell. A replication that failed, or cannot be
// judged, makes the cell failed with a message that names arm, replication and seed.
CellResult assemble_cell(const Scenario& scenario,
                         const std::vector<Arm>& arms,
                         const std::vector<const ArmRuns*>& runs,
                         TrajectoriesToKeep trajectories);

}  // namespace basin
