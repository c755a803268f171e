// Reads an output file back: what it is of, and the records of its cells.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "experiments/cell_result.h"
#include "experiments/grid.h"
#include "experiments/netcdf_reader.h"
#include "experiments/scenario.h"
#include "experiments/shard_sink.h"
#include "experiments/sweep_output.h"

namespace basin {

class OutputReader {
 public:
  // Throws InputError for what is no output file of this version, as every member does.
  explicit OutputReader(const std::string& path);

  const Scenario& scenario() const { return scenario_; }
  const std::vector<Arm>& arms() const { return layout_.arms; }
  // With scenario().
  const OutputLayout& layout() const { return layout_; }
  const std::string& experiment_values() const { return experiment_values_; }

  CellStatus status(std::size_t cell) const { return statuses_[cell]; }
  // Assembled from its records, without trajectories; from the file for what they do not
  // say. `message` of a failed cell is that of the file.
  CellResult cell(std::size_t cell) const;
  // As it was at a look of a refined sweep, with so many of its replications.
  CellResult cell(std::size_t cell, std::size_t replications) const;
  Trajectory trajectory(std::size_t cell, std::size_t arm, std::size_t replication) const;

  // Hands all results of the cells that `wanted` takes to `sink`.
  void unpack(ShardSink& sink, const std::function<bool(std::size_t)>& wanted) const;

 private:
  struct Block {
    std::size_t first = 0;
    std::size_t end = 0;
    std::vector<std::vector<double>> columns;  // of record_columns
    std::vector<double> objectives;
    std::vector<double> certain;
  };
  const Block& block_of(std::size_t cell) const;
  std::vector<std::vector<ArmRecord>> records(std::size_t cell) const;
  TrajectorySummary summary(std::size_t cell, std::size_t arm, std::size_t series) const;

  NetcdfReader file_;
  Scenario scenario_;
  OutputLayout layout_;
  Grid grid_{{}};
  std::string experiment_values_;
  std::vector<CellStatus> statuses_;
  std::vector<std::string> messages_;
  mutable Block block_;
};

// The scenario that a file says it is of, as if read from there; data files are not
// touched, unless `with_data_files`. Throws InputError.
Scenario scenario_in_file(const std::string& file,
                          const std::string& text,
                          const std::string& scenario_path,
                          const std::string& overrides,
                          bool with_data_files = false);

}  // namespace basin
