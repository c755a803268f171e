// The output file of a run or a sweep (output_variables.cc lists what it holds).
//
// One HDF5 file that is a netCDF-4 file too. A cell's values lie at its place in arrays
// over (axes…), (axes…, arm, replication) and (axes…, arm, time); a run without axes
// lacks the leading ones. All that depends on the hour or the machine is in attributes,
// so two files of one scenario hold equal arrays.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/netcdf_file.h"
#include "experiments/sweep_output.h"

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

  // In any order; a cell never written stays `missing`. One thread at a time.
  void write_cell(const CellOutput& cell);

  // Closes and syncs the file and gives it its name. The last call.
  void commit();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The name of each axis in the file. They depend on the keys alone.
std::vector<std::string> dimension_names(const std::vector<Axis>& axes);

// The variable that holds a metric: its name, with mean_ before it where the trajectory
// has that name ("mean_goodput" over the run, "goodput" over time).
std::string metric_variable_name(const MetricInfo& metric);

// SHA-1 of a scenario's values (scenario_values.h), as "sha1:" and 40 hexadecimal digits.
std::string scenario_hash(std::string_view values);

}  // namespace basin
