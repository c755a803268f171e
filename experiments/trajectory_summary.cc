#include "experiments/trajectory_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/contract.h"

namespace basin {

TrajectorySummary summarize_trajectories(
    std::span<const std::span<const float>> trajectories, std::size_t length) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  TrajectorySummary summary{.mean = std::vector<float>(length, nan),
                            .p10 = std::vector<float>(length, nan),
                            .p90 = std::vector<float>(length, nan)};
  if (trajectories.empty()) {
    return summary;
  }
  std::size_t common = length;
  for (const std::span<const float> trajectory : trajectories) {
    common = std::min(common, trajectory.size());
  }
  const std::size_t count = trajectories.size();
  // ceil(share * count) - 1 in whole numbers, so that 0.1 * 10 is 1.
  const std::size_t rank10 = (count + 9) / 10 - 1;
  const std::size_t rank90 = (9 * count + 9) / 10 - 1;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < common; ++i) {
    std::ranges::transform(
        trajectories, values.begin(), [i](std::span<const float> t) { return t[i]; });
    if (std::ranges::any_of(values, [](float value) { return std::isnan(value); })) {
      continue;
    }
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::ranges::sort(values);
    summary.mean[i] = static_cast<float>(sum / static_cast<double>(count));
    summary.p10[i] = values[rank10];
    summary.p90[i] = values[rank90];
  }
  return summary;
}

TrajectorySummary summarize_series(std::span<const Trajectory* const> trajectories,
                                   std::size_t series,
                                   std::size_t length) {
  std::vector<std::span<const float>> values;
  values.reserve(trajectories.size());
  for (const Trajectory* const trajectory : trajectories) {
    values.emplace_back(trajectory->*trajectory_table[series].member);
  }
  return summarize_trajectories(values, length);
}

std::vector<float> padded_series(const Trajectory& trajectory,
                                 std::size_t series,
                                 std::size_t length) {
  std::vector<float> padded = trajectory.*trajectory_table[series].member;
  BASIN_EXPECT(padded.size() <= length);
  padded.resize(length, std::numeric_limits<float>::quiet_NaN());
  return padded;
}

}  // namespace basin
