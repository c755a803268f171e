// The output file of a run or a sweep (output_variables.cc lists what it holds).
//
// One HDF5 file that is a netCDF-4 file too. A cell's values lie at its place in arrays
// over (axes…), (axes…, arm, replication) and (axes…, arm, time); a run without axes
// lacks the leading ones. All that depends on the hour or the machine is in attributes,
// so two files of one scenario hold equal arrays.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/netcdf_file.h"
#include "experiments/refined_map.h"
#include "experiments/sweep_output.h"
#include "experiments/trajectory_summary.h"

namespace basin {

class SweepFile {
 public:
  // Creates a temporary file beside `path`. Throws OutputError, as every member does.
  SweepFile(const std::string& path, const OutputLayout& layout);
  // Without commit(), nothing is left and what was at `path` is as before.
  ~SweepFile();
  SweepFile(const SweepFile&) = delete;
  SweepFile& operator=(const SweepFile&) = delete;
  SweepFile(SweepFile&&) = delete;
  SweepFile& operator=(SweepFile&&) = delete;

  // In any order; a cell never written stays `missing`. One thread at a time, as for all
  // members.
  void write_cell(const CellOutput& cell);

  // Cells are stored in blocks of consecutive cells (row-major); writing whole ones is
  // what is fast. The end of the block that `cell` lies in.
  std::size_t block_end(std::size_t cell) const;
  // Consecutive cells from `first` on, without their trajectories.
  void write_cells(std::size_t first, std::span<const CellOutput> cells);

  // The trajectories of an arm of a cell: their summary (in the order of
  // trajectory_table), or as chunks from a file in which they lie as trajectory_chunk
  // says.
  void write_summary(std::size_t cell,
                     std::size_t arm,
                     std::size_t series,
                     const TrajectorySummary& summary);
  void write_summary_chunk(std::size_t cell,
                           std::size_t arm,
                           std::size_t series,
                           std::size_t statistic,  // of trajectory_statistics
                           const RawChunk& chunk);
  void write_trajectory(std::size_t cell,
                        std::size_t arm,
                        std::size_t replication,
                        const Trajectory& trajectory);
  void write_trajectory_chunk(std::size_t cell,
                              std::size_t arm,
                              std::size_t replication,
                              std::size_t series,
                              const RawChunk& chunk);

  // Of a refined sweep: how closely and how often each cell was looked at, and the line
  // where the system comes back in half of the runs.
  void write_refinement(const RefinedMap& map);

  // Closes and syncs the file and gives it its name. The last call.
  void commit();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// With the sample instants of the scenario.
OutputLayout layout_of(const Scenario& scenario,
                       std::vector<Arm> arms,
                       TrajectoriesToKeep trajectories,
                       std::string command_line);

// The name of each axis in the file. They depend on the keys alone.
std::vector<std::string> dimension_names(const std::vector<Axis>& axes);

// Statistics over the replications of an arm, as suffixes of a trajectory's name.
inline constexpr std::array<const char*, 3> trajectory_statistics{
    "_mean", "_p10", "_p90"};

// SHA-1 of a scenario's values (scenario_values.h), as "sha1:" and 40 hexadecimal digits.
std::string scenario_hash(std::string_view values);

}  // namespace basin
