#include "experiments/precision.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "analysis/sequential.h"
#include "engine/contract.h"
#include "experiments/schema.h"

namespace basin {

namespace {

// Runs that earlier looks have made, so that a look makes the new ones alone.
class RememberedRuns {
 public:
  explicit RememberedRuns(Simulate simulate) : simulate_{std::move(simulate)} {}

  RunResult run(const SystemConfig& config,
                const RandomKey& key,
                const RunLimits& limits) {
    {
      const std::lock_guard lock{mutex_};
      const auto& known = runs_[arm_of(config)];
      if (const auto found = known.find(key.replication); found != known.end()) {
        return found->second;
      }
    }
    RunResult result = simulate_(config, key, limits);
    const std::lock_guard lock{mutex_};
    return runs_[arm_of(config)]
        .emplace(key.replication, std::move(result))
        .first->second;
  }

 private:
  std::size_t arm_of(const SystemConfig& config) {
    const auto found = std::find(arms_.begin(), arms_.end(), config);
    const auto arm = static_cast<std::size_t>(found - arms_.begin());
    if (found == arms_.end()) {
      arms_.push_back(config);
      runs_.emplace_back();
    }
    return arm;
  }

  Simulate simulate_;
  std::mutex mutex_;
  std::vector<SystemConfig> arms_;
  std::vector<std::map<std::uint64_t, RunResult>> runs_;  // in step with arms_
};

class KeepCell final : public CellSink {
 public:
  void accept(CellResult cell) override { result = std::move(cell); }
  CellResult result;
};

const MetricInfo* find_metric(std::string_view name) {
  const auto* const found =
      std::find_if(metric_table.begin(), metric_table.end(), [&](const MetricInfo& info) {
        return info.name == name;
      });
  return found == metric_table.end() ? nullptr : found;
}

void expect_name(std::string_view name,
                 const std::vector<std::string_view>& known,
                 std::string_view what) {
  if (std::find(known.begin(), known.end(), name) != known.end()) {
    return;
  }
  const std::string_view near = nearest(name, known);
  std::string all;
  for (const std::string_view one : known) {
    all += (all.empty() ? "" : ", ") + std::string{one};
  }
  throw std::invalid_argument(
      near.empty()
          ? fmt::format("there is no {} '{}'; there are {}", what, name, all)
          : fmt::format("there is no {} '{}'; did you mean '{}'?", what, name, near));
}

std::size_t place_of_arm(const std::vector<Arm>& arms, const std::string& name) {
  if (name.empty()) {
    return arms.size() > 1 ? 1 : 0;
  }
  const auto found = std::find_if(
      arms.begin(), arms.end(), [&](Arm arm) { return name_of(arm) == name; });
  if (found == arms.end()) {
    throw std::invalid_argument("the scenario is run without the arm '" + name + "'");
  }
  return static_cast<std::size_t>(found - arms.begin());
}

PrecisionReport::Target target_of(const PrecisionGoal& goal,
                                  const PrecisionGoal::Target& wanted,
                                  const std::vector<Arm>& arms,
                                  const CellOutput& output,
                                  double level) {
  const std::size_t arm = place_of_arm(arms, wanted.arm);
  const std::vector<double> values =
      metric_values(output.arms[arm], find_metric(wanted.metric)->member);
  PrecisionReport::Target target;
  target.arm = name_of(arms[arm]);
  target.metric = wanted.metric;
  target.estimate = mean_estimate(values, level);
  target.relative_half_width = relative_half_width(target.estimate);
  const auto count = [&](bool (*is)(double)) {
    return std::count_if(values.begin(), values.end(), is);
  };
  const auto infinite = count([](double value) { return std::isinf(value); });
  const auto missing = count([](double value) { return std::isnan(value); });
  if (infinite > 0) {
    target.why_not =
        fmt::format("it is infinite in {} of {} replications, and so is its mean",
                    infinite,
                    values.size());
  } else if (missing > 0) {
    target.why_not = fmt::format(
        "there is nothing to average in {} of {} replications", missing, values.size());
  } else if (target.relative_half_width > goal.relative) {
    target.why_not = fmt::format("it is known to {:.2g}% with {} replications",
                                 100 * target.relative_half_width,
                                 values.size());
  } else {
    target.reached = true;
  }
  return target;
}

// More replications would not help.
bool is_hopeless(const PrecisionReport::Target& target) {
  return !target.reached && !std::isfinite(target.relative_half_width);
}

}  // namespace

std::vector<PrecisionGoal::Target> parse_targets(std::string_view text) {
  std::vector<std::string_view> metrics;
  for (const MetricInfo& info : metric_table) {
    metrics.push_back(info.name);
  }
  const std::vector<std::string_view> arms{
      name_of(Arm::control), name_of(Arm::triggered), name_of(Arm::unamplified)};
  std::vector<PrecisionGoal::Target> targets;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const std::size_t dot = word.find('.');
    PrecisionGoal::Target target;
    if (dot != std::string_view::npos) {
      target.arm = word.substr(0, dot);
      expect_name(target.arm, arms, "arm");
    }
    target.metric = dot == std::string_view::npos ? word : word.substr(dot + 1);
    expect_name(target.metric, metrics, "metric");
    targets.push_back(std::move(target));
    if (comma == text.size()) {
      return targets;
    }
    text.remove_prefix(comma + 1);
  }
}

void expect_arms_of(const PrecisionGoal& goal, const std::vector<Arm>& arms) {
  for (const PrecisionGoal::Target& target : goal.targets) {
    place_of_arm(arms, target.arm);
  }
}

PreciseRun run_to_precision(Scenario scenario,
                            const PrecisionGoal& goal,
                            RunnerOptions options,
                            Progress& progress) {
  BASIN_EXPECT(scenario.axes.empty() && goal.relative > 0 && !goal.targets.empty());
  const std::vector<Arm> arms = arms_of(scenario, options.explain);
  expect_arms_of(goal, arms);
  // Shared with threads that a stop abandons.
  options.simulate =
      [runs = std::make_shared<RememberedRuns>(options.simulate)](
          const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        return runs->run(config, key, limits);
      };

  PreciseRun run;
  PrecisionReport& precision = run.precision;
  precision.relative = goal.relative;
  precision.planned = looks_up_to(goal.most_replications);
  precision.level_of_look = level_of_look(precision.planned.size(), precision.level);
  for (const int look : precision.planned) {
    scenario.replications = look;
    KeepCell sink;
    run.report = run_sweep(scenario, options, sink, progress);
    if (run.report.stopped != StopCause::none) {
      return run;
    }
    run.replications = look;
    run.cell = std::move(sink.result);
    precision.looks.push_back(look);
    precision.targets.clear();
    for (const PrecisionGoal::Target& target : goal.targets) {
      precision.targets.push_back(
          target_of(goal, target, arms, run.cell.output, precision.level_of_look));
    }
    const auto& targets = precision.targets;
    precision.reached = std::all_of(targets.begin(),
                                    targets.end(),
                                    [](const auto& target) { return target.reached; });
    const bool failed = run.cell.output.status == CellStatus::failed;
    precision.reached = precision.reached && !failed;
    if (precision.reached || failed ||
        std::any_of(targets.begin(), targets.end(), is_hopeless)) {
      break;
    }
  }
  return run;
}

}  // namespace basin
