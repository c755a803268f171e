// A sweep whose results survive: they are kept in shards as they come, what is there
// already is not run again, and in the end all is joined into the output file.
//
// F.h5.parts holds the shards (parts_folder.h). F.h5 is replaced in one step, by a file
// that holds all it held before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/parts_folder.h"
#include "experiments/progress.h"
#include "experiments/refined_map.h"
#include "experiments/runner.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"

namespace basin {

struct SweepJobOptions {
  std::string output;
  RunnerOptions runner;  // its trajectories are what the output keeps
  std::optional<Task> task = {};
  bool retry_failed = false;
  std::string command_line = {};
};

struct SweepJobReport {
  RunnerReport runs;
  std::size_t runs_in_all = 0;  // of this sweep, or of this task
  std::size_t reused = 0;       // found done
  // Done before, and run again since only a summary of their trajectories was kept.
  std::size_t without_trajectory = 0;
  bool joined = false;  // the output file is complete
  std::optional<RefinedMap> refined;
  // Results of other values stay in the folder.
  std::size_t left_in_parts = 0;
  std::vector<std::string> damaged;  // shards that were set aside
};

// The cells go to `sink` when all are there, in their order and without trajectories; a
// task or a sweep that is stopped delivers none. Throws ForeignOutput where the output
// belongs to another scenario or holds results that this sweep has not, OutputError and
// InputError; what was done until then is kept.
SweepJobReport run_sweep_job(const Scenario& scenario,
                             const SweepJobOptions& options,
                             CellSink& sink,
                             Progress& progress);

struct MergeReport {
  Scenario scenario;
  std::vector<Arm> arms;
  std::size_t shards = 0;
  std::size_t missing_cells = 0;
  std::size_t failed_cells = 0;
  std::vector<std::string> damaged;
};

// Joins what lies in the folder of `output`, in `output` itself and in `others` (folders
// of shards or output files, which stay as they are). The folder goes when no cell is
// missing. Throws as run_sweep_job does; InputError where there is nothing at all.
MergeReport merge_parts(const std::string& output,
                        const std::vector<std::string>& others,
                        const std::string& command_line);

// How far an output is, from the file and the folder, without touching either.
struct OutputStatus {
  Scenario scenario;
  std::vector<Arm> arms;
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::none;
  bool has_file = false;
  std::size_t shards = 0;
  std::size_t damaged = 0;
  std::size_t runs = 0;
  std::size_t runs_done = 0;
  std::size_t runs_failed = 0;
  std::size_t cells = 0;
  std::size_t cells_done = 0;
  std::size_t cells_failed = 0;
  std::size_t cells_excluded = 0;
  std::vector<std::string> failures;  // the first ones: values of the cell, message
};
OutputStatus status_of(const std::string& output);

}  // namespace basin
