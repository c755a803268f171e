// Trajectories of the replications, summarized instant by instant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/run_result.h"

namespace basin {

struct TrajectorySummary {
  std::vector<float> mean;
  std::vector<float> p10;
  std::vector<float> p90;
};

// `length` instants. A quantile is that of censored_quantile: the smallest value with at
// least that share of the replications at or below it. Where one of the trajectories has
// ended early (the memory limit) all three are NaN: the rest are those that did better,
// and their mean would show a recovery that did not happen.
TrajectorySummary summarize_trajectories(
    std::span<const std::span<const float>> trajectories, std::size_t length);

// The same of one series of trajectory_table.
TrajectorySummary summarize_series(std::span<const Trajectory* const> trajectories,
                                   std::size_t series,
                                   std::size_t length);

// One series at `length` instants, NaN after its end.
std::vector<float> padded_series(const Trajectory& trajectory,
                                 std::size_t series,
                                 std::size_t length);

}  // namespace basin
