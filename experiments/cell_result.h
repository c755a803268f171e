// From the runs of one cell to what is reported of it: its arms, the verdict, and why it
// failed if it did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/verdict.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"
#include "models/run_result.h"

namespace basin {

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

// What is kept of a run of that arm; `scenario` is that of the cell. A run that cannot be
// judged has an error.
ArmRecord record_of(const RunResult& run,
                    const Scenario& scenario,
                    Arm arm,
                    TrajectoriesToKeep trajectories);

// "triggered arm, replication 3, seed 1: out of memory"
std::string blame(Arm arm,
                  std::size_t replication,
                  std::uint64_t seed,
                  std::string_view what);

// The verdict of a cell; arms are control, then triggered and unamplified where there are
// any, each with a record for each replication. An error of a record makes the cell
// failed, with the first one as its message.
CellResult assemble_cell(const std::vector<Arm>& arms,
                         std::vector<std::vector<ArmRecord>> records);

}  // namespace basin
