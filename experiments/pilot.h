// What a sweep will cost, from a few timed runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/runner.h"

namespace basin {

struct PilotOptions {
  double seconds_per_run = 2;  // processor time at most, of each run
  double seconds_in_all = 10;
  std::size_t most_cells = 9;
};

struct PilotRun {
  std::vector<std::size_t> indices;
  Arm arm = Arm::control;
  double cpu_seconds = 0;
  bool cut_short = false;      // took longer than the pilot waits
  bool out_of_memory = false;  // met the memory limit of one thread
  std::string error;           // did not run
};

struct CostEstimate {
  std::vector<PilotRun> runs;
  // Of the whole sweep, single-threaded. From the mean of each arm over the pilot's
  // cells.
  double cpu_seconds = 0;
  bool at_least = false;  // a pilot run was cut short, or nothing could be timed
};

// The corners of the grid, as many as most_cells allows, and its middle.
std::vector<std::size_t> pilot_cells(const Grid& grid, std::size_t most_cells);

// Uses simulate, at_cell, threads, memory_bytes, explain and stop of `options`. Returns
// early after a stop.
CostEstimate estimate_cost(const Scenario& scenario,
                           const RunnerOptions& options,
                           const PilotOptions& pilot);

// Bytes of the output file before compression.
double estimate_output_bytes(const Scenario& scenario,
                             bool explain,
                             TrajectoriesToKeep trajectories);

}  // namespace basin
