// What a design adds to the output file beside its dimensions: values of the keys that
// move together, as further coordinates along the dimension of their axis.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/time.h"
#include "experiments/netcdf_file.h"
#include "experiments/scenario.h"

namespace basin {

// The keys of Axis::with, axis by axis, each with the name it has in the file: by the
// rules of axis_names, different from the dimensions and from `taken`.
struct DesignCoordinate {
  std::string name;
  std::string dimension;
  const AxisKey* key = nullptr;  // of the axes given
};
std::vector<DesignCoordinate> design_coordinates(const std::vector<Axis>& axes,
                                                 std::span<const std::string> dimensions,
                                                 std::vector<std::string> taken);

// Writes them, and names them in the file's attribute `coordinates`, by which xarray
// knows that they are no data. After the dimensions.
void add_design_coordinates(NetcdfFile& file,
                            const std::vector<Axis>& axes,
                            std::span<const std::string> dimensions,
                            std::vector<std::string> taken);

// Where the horizon is an axis, the longest of its cells, else the scenario's: how far
// the trajectories of a file reach.
Duration longest_horizon(const Scenario& scenario);

}  // namespace basin
