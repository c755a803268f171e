// One result of a sweep, run again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/runner.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"

namespace basin {

struct StoredRun {
  std::vector<std::size_t> indices;  // one an axis
  Arm arm = Arm::triggered;
  std::size_t replication = 0;
};

struct Reproduction {
  Scenario cell;     // as it was run
  ArmRecord record;  // with its trajectory
  // Numbers that are not, bit for bit, what the file holds: "peak_depth is 12, was 11".
  std::vector<std::string> differences;
  std::size_t numbers = 0;  // compared
};

// Finds the result in an output file or its shards and runs it again. Throws InputError
// where there is none, and std::invalid_argument for a cell, replication or arm that the
// sweep has not.
Reproduction reproduce(const std::string& output,
                       const StoredRun& run,
                       const RunnerOptions& options);

// Writes its trajectory as a file of one arm and one replication.
void write_reproduction(const std::string& path,
                        const Reproduction& reproduction,
                        const StoredRun& run,
                        const std::string& command_line);

}  // namespace basin
