#include "experiments/single_run.h"

#include <array>
#include <cmath>
#include <vector>

#include "analysis/batch_means.h"
#include "analysis/no_answer.h"
#include "experiments/cell_result.h"

namespace basin {

namespace {

constexpr std::array<std::size_t, 3> batch_counts{20, 15, 10};

std::vector<double> measured(const std::vector<float>& series,
                             const SystemConfig& system) {
  const auto first =
      (system.warmup + system.sample_interval - Duration{1}) / system.sample_interval;
  std::vector<double> part;
  // Rates are over the interval before a sample: from the one after the warm-up on.
  for (auto k = static_cast<std::size_t>(first) + 1; k < series.size(); ++k) {
    part.push_back(static_cast<double>(series[k]));
  }
  return part;
}

// Absent where batches are correlated even if there are few of them.
std::optional<BatchMeans> independent_batches(const std::vector<double>& series) {
  for (const std::size_t count : batch_counts) {
    const BatchMeans batches = batch_means(series, count);
    if (!batches.correlated) {
      return batches;
    }
  }
  return std::nullopt;
}

MeanEstimate around(double mean, const MeanEstimate& estimate) {
  const double half_width = (estimate.high - estimate.low) / 2;
  return {.mean = mean, .low = mean - half_width, .high = mean + half_width};
}

}  // namespace

SingleRun single_run(const Scenario& scenario,
                     const ArmRecord& control,
                     const WarmupReport& warmup) {
  SingleRun result;
  if (!warmup.mser5) {
    result.why_none = warmup.why_none;
    return result;
  }
  if (!warmup.enough.value_or(true)) {
    result.why_none = "the warm-up is too short";
    return result;
  }
  try {
    const std::vector<double> depth = measured(control.trajectory.depth, scenario.system);
    const std::optional<BatchMeans> of_depth = independent_batches(depth);
    if (!of_depth) {
      result.why_none =
          "the run is too short: means of a tenth of it are still correlated";
      return result;
    }
    const Metrics& metrics = control.metrics;
    // Samples that miss the short moments in which messages wait have no spread.
    const MeanEstimate& sampled = of_depth->estimate;
    if (std::abs(sampled.mean - metrics.mean_depth) > sampled.high - sampled.low) {
      result.why_none =
          "samples are too rare to see the queue (a shorter simulation.sample_interval "
          "helps)";
      return result;
    }
    result.batches = of_depth->batches;
    result.lag_one = of_depth->lag_one;
    result.mean_depth = around(metrics.mean_depth, of_depth->estimate);

    const double rate = metrics.effective_rate;
    if (metrics.redelivery_rate == 0 && metrics.expired_rate == 0 &&
        std::isfinite(metrics.mean_wait) && rate > 0) {
      // The ratio of two means: the error of depth - wait * rate, over the rate (Law,
      // "Simulation Modeling and Analysis", section 9.5.2 on regenerative ratios).
      const std::vector<double> rates =
          measured(control.trajectory.effective_rate, scenario.system);
      std::vector<double> errors;
      for (std::size_t k = 0; k < depth.size(); ++k) {
        errors.push_back((depth[k] - metrics.mean_wait * rates[k]) / rate);
      }
      if (const std::optional<BatchMeans> of_wait = independent_batches(errors)) {
        result.mean_wait = around(metrics.mean_wait, of_wait->estimate);
      }
    }
  } catch (const NoAnswer& no_answer) {
    result.why_none = no_answer.what();
  }
  return result;
}

}  // namespace basin
