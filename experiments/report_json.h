// Results as JSON: one object, the same bytes for the same scenario and seed. Numbers
// that are not finite (never recovered, a latency of failures) are null.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/cell_result.h"
#include "experiments/refined_map.h"
#include "experiments/run_statistics.h"
#include "experiments/scenario.h"

namespace basin {

// What a sweep keeps of a cell after it was written.
struct CellSummary {
  CellStatus status = CellStatus::missing;
  std::string message;
  bool has_verdict = false;
  CellVerdict verdict;
  std::optional<Explanation> explanation;
  std::vector<double> goodput_ratio;  // mean over replications, one an arm
};
CellSummary summary_of(const CellResult& result);
// The probability of `stable` of each cell, NaN without a verdict: what sensitivity_of
// takes.
std::vector<double> recovery_of(const std::vector<CellSummary>& cells);

// Var(control) + Var(triggered) over the variance of their difference, for a metric of
// one cell; NaN without both arms.
double variance_reduction(const CellOutput& output, double Metrics::*metric);

std::string run_json(const Scenario& scenario,
                     const std::vector<Arm>& arms,
                     const CellResult& result,
                     const RunStatistics& statistics = {});

// `cells` row-major; maps are nested arrays, one level an axis. `refined` of a refined
// sweep.
std::string sweep_json(const Scenario& scenario,
                       const std::vector<Arm>& arms,
                       const std::vector<CellSummary>& cells,
                       const std::string& output,
                       const RefinedMap* refined = nullptr);

}  // namespace basin
