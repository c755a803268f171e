// Intervals from one replication alone, by batch means over its time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/intervals.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"
#include "experiments/warmup_check.h"

namespace basin {

struct SingleRun {
  std::optional<MeanEstimate> mean_depth;
  // By Little's law from depth and arrivals, batch by batch; where each message is
  // received once.
  std::optional<MeanEstimate> mean_wait;
  std::size_t batches = 0;
  double lag_one = 0;    // correlation of neighbouring batch means of the depth
  std::string why_none;  // why there is no mean_depth
};

// The means are those of the metrics; their intervals are at 95%. Of the control arm: the
// triggered one is not stationary. The number of batches is 20, or 15 or 10 where the
// means of so many are correlated. In a run of few busy periods they cover less often
// than 95%: replications do better.
SingleRun single_run(const Scenario& scenario,
                     const ArmRecord& control,
                     const WarmupReport& warmup);

}  // namespace basin
