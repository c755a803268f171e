// Trajectories of the replications, summarized instant by instant.
#pragma once

#include <span>
#include <vector>

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

}  // namespace basin
