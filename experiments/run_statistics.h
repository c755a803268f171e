// What is said of one run beside its metrics: whether its warm-up is long enough, how its
// replications were chosen, and intervals where there is but one.
#pragma once

#include <optional>
#include <vector>

#include "experiments/cell_result.h"
#include "experiments/precision.h"
#include "experiments/single_run.h"
#include "experiments/warmup_check.h"

namespace basin {

struct RunStatistics {
  std::optional<WarmupReport> warmup;
  std::optional<SingleRun> single;           // of the control arm of one replication
  std::optional<PrecisionReport> precision;  // with --precision
};

// Warm-up and single run; the cell was run with its trajectories.
RunStatistics run_statistics(const Scenario& scenario, const CellResult& cell);

// The estimate of a metric of an arm: over the replications, or by batch means of the
// single one.
MeanEstimate estimate_of(const std::vector<ArmRecord>& records,
                         double Metrics::*metric,
                         const std::optional<SingleRun>& single);

}  // namespace basin
