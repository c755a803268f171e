// The variables of the output file: names, dimensions, units and meaning.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "experiments/netcdf_file.h"
#include "experiments/sweep_output.h"

namespace basin {

// Dimensions of every file, beside the axes.
inline constexpr const char* arm_dimension = "arm";
inline constexpr const char* replication_dimension = "replication";
inline constexpr const char* time_dimension = "time";

// "p_stable", …, in the order of Phase.
std::string probability_name(Phase phase);
// "_p10", "_p50", "_p90", in the order of reported_quantiles.
inline constexpr std::array<const char*, reported_quantiles.size()> quantile_suffixes{
    "_p10", "_p50", "_p90"};

// Every variable of a file that keeps these trajectories.
std::vector<NetcdfVariable> output_variables(std::span<const std::string> axes,
                                             TrajectoriesToKeep trajectories);

}  // namespace basin
