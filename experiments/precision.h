// Runs a scenario with as many replications as it takes for means to be known to a
// relative precision.
//
// The number of replications is a pure function of scenario, seed and goal, and what is
// delivered is what a run with that number delivers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/runner.h"

namespace basin {

struct PrecisionGoal {
  struct Target {
    std::string arm;  // "control", "triggered"; empty: the arm that the verdict is about
    std::string metric;
    bool operator==(const Target&) const = default;
  };
  double relative = 0.05;  // half-width of the interval over the mean, > 0
  std::vector<Target> targets;
  int most_replications = 1280;  // >= 2
};

// "mean_depth", "control.mean_depth,goodput_ratio". Throws std::invalid_argument for what
// is no metric or no arm, with the nearest name.
std::vector<PrecisionGoal::Target> parse_targets(std::string_view text);
// What callers get, and the queue in front of them. Not the mean latency: it is infinite
// as soon as one request fails.
inline constexpr std::string_view default_targets = "goodput_ratio,mean_depth";

struct PrecisionReport {
  struct Target {
    std::string arm;
    std::string metric;
    MeanEstimate estimate;  // at level_of_look
    double relative_half_width = 0;
    bool reached = false;
    std::string why_not;  // empty where it is reached
  };
  double relative = 0;
  double level = 0.95;          // over all looks
  double level_of_look = 0;     // of each
  std::vector<int> planned;     // replications at each look
  std::vector<int> looks;       // those that were taken
  std::vector<Target> targets;  // at the last of them
  bool reached = false;
};

struct PreciseRun {
  int replications = 0;
  CellResult cell;
  PrecisionReport precision;
  RunnerReport report;  // of the last look
};

// Throws std::invalid_argument for a target whose arm is not among those that are run.
void expect_arms_of(const PrecisionGoal& goal, const std::vector<Arm>& arms);

// `scenario` without axes. Ends at the first look at which every target is reached, at
// which one can never be (an infinite mean, a failed replication), or at the last.
// The targets' arms are run (expect_arms_of).
PreciseRun run_to_precision(Scenario scenario,
                            const PrecisionGoal& goal,
                            RunnerOptions options,
                            Progress& progress);

}  // namespace basin
