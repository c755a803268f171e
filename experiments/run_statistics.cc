#include "experiments/run_statistics.h"

namespace basin {

RunStatistics run_statistics(const Scenario& scenario, const CellResult& cell) {
  RunStatistics statistics;
  const std::vector<ArmRecord>& control = cell.output.arms.front();
  statistics.warmup = check_warmup(scenario, control);
  // The fluid limit has no error to speak of.
  if (control.size() == 1 && control.front().present &&
      scenario.solver == Solver::event) {
    statistics.single = single_run(scenario, control.front(), *statistics.warmup);
  }
  return statistics;
}

MeanEstimate estimate_of(const std::vector<ArmRecord>& records,
                         double Metrics::*metric,
                         const std::optional<SingleRun>& single) {
  if (single && metric == &Metrics::mean_depth && single->mean_depth) {
    return *single->mean_depth;
  }
  if (single && metric == &Metrics::mean_wait && single->mean_wait) {
    return *single->mean_wait;
  }
  return mean_estimate(metric_values(records, metric));
}

}  // namespace basin
