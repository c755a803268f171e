// Shards: small files in which the runs of a sweep are kept until they are joined into
// the output file. Each is a netCDF-4 file valid by itself, with one row for each run:
// its key, the values of its axes, all numbers of its record and, where they are kept,
// its trajectories; or their summary, where all replications of an arm are in the shard.
//
// A shard is called runs-<SHA-1 of its bytes>.h5, so that a damaged one is known before
// HDF5 is let near it.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/cell_keys.h"
#include "experiments/netcdf_reader.h"
#include "experiments/sweep_output.h"
#include "experiments/trajectory_summary.h"

namespace basin {

struct RunKey {
  CellKey cell;
  Arm arm = Arm::control;
  std::size_t replication = 0;
  auto operator<=>(const RunKey&) const = default;
};

struct ShardRow {
  RunKey key;
  std::vector<double> axis_values;  // one an axis, SI units
  ArmRecord record;                 // its trajectory is kept if there is one
};

// Over replications 0, 1, … of one arm.
struct ShardSummary {
  CellKey cell;
  Arm arm = Arm::control;
  std::size_t replications = 0;
  std::vector<TrajectorySummary> series;  // in the order of trajectory_table
};

// What all shards of a sweep say of it: enough to read the scenario again.
struct ShardHeader {
  std::string experiment_values;
  std::string scenario_text;
  std::string scenario_path;
  std::string overrides;  // overrides_json
  std::string command_line;
  std::vector<std::string> axes;  // keys
  bool explain = false;
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::none;
  std::vector<double> time;  // s, sample instants
};
ShardHeader header_of(const OutputLayout& layout);

// Writes a shard into `folder`, synced, and returns its path. Throws OutputError.
std::string write_shard(const std::string& folder,
                        const ShardHeader& header,
                        std::span<const ShardRow> rows,
                        std::span<const ShardSummary> summaries);

// Whether a file's name is that of a shard, and whether its bytes are those it was given
// its name for.
bool is_shard_name(const std::string& file_name);
bool is_intact_shard(const std::string& path);

class ShardReader {
 public:
  // Throws InputError, as every member does.
  explicit ShardReader(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const ShardHeader& header() const { return header_; }
  std::size_t rows() const { return keys_.size(); }
  const RunKey& key(std::size_t row) const { return keys_[row]; }
  bool failed(std::size_t row) const;
  ArmRecord record(std::size_t row) const;  // without its trajectory
  std::size_t bytes() const { return values_.size() * sizeof(double); }

  bool has_trajectory(std::size_t row) const { return trajectory_of_[row] >= 0; }
  Trajectory trajectory(std::size_t row) const;
  RawChunk trajectory_chunk(std::size_t row, std::size_t series) const;

  // The summaries; their series are not read.
  const std::vector<ShardSummary>& summaries() const { return summaries_; }
  RawChunk summary_chunk(std::size_t summary,
                         std::size_t series,
                         std::size_t statistic) const;

 private:
  double value(std::size_t row, std::size_t column) const;

  NetcdfReader file_;
  ShardHeader header_;
  std::vector<RunKey> keys_;
  std::vector<double> values_;       // [row][column]
  std::vector<std::string> errors_;  // of rows, empty if none failed
  std::vector<std::ptrdiff_t> trajectory_of_;
  std::vector<ShardSummary> summaries_;
};

}  // namespace basin
