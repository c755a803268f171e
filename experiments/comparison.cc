#include "experiments/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "engine/contract.h"
#include "engine/time.h"
#include "experiments/scenario_values.h"
#include "experiments/units.h"

namespace basin {

namespace {

ComparedArms compare_arms(const ComparedSide& a,
                          std::size_t arm_of_a,
                          const ComparedSide& b,
                          std::size_t arm_of_b) {
  ComparedArms compared{
      .of_a = (*a.arms)[arm_of_a], .of_b = (*b.arms)[arm_of_b], .metrics = {}};
  const std::vector<ArmRecord>& of_a = a.result->output.arms[arm_of_a];
  const std::vector<ArmRecord>& of_b = b.result->output.arms[arm_of_b];
  for (const MetricInfo& info : metric_table) {
    compared.metrics.push_back(paired_difference(metric_values(of_a, info.member),
                                                 metric_values(of_b, info.member)));
  }
  return compared;
}

std::vector<double> judged_values(const ComparedSide& side, double ArmRecord::*value) {
  return over_replications(side.result->output.arms[side.judged()],
                           [&](const ArmRecord& record) { return record.*value; });
}

PairedOutcomes outcomes_within(const std::vector<double>& of_a,
                               double longest_of_a,
                               const std::vector<double>& of_b,
                               double longest_of_b) {
  std::int64_t both = 0;
  std::int64_t a_alone = 0;
  std::int64_t b_alone = 0;
  std::int64_t neither = 0;
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    const bool a = std::isfinite(of_a[k]) && of_a[k] <= longest_of_a;
    const bool b = std::isfinite(of_b[k]) && of_b[k] <= longest_of_b;
    ++(a ? b ? both : a_alone : b ? b_alone : neither);
  }
  return paired_outcomes(both, a_alone, b_alone, neither);
}

ConditionalDifference difference_where_finite(const std::vector<double>& of_a,
                                              const std::vector<double>& of_b) {
  std::vector<double> differences;
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    if (std::isfinite(of_a[k]) && std::isfinite(of_b[k])) {
      differences.push_back(of_b[k] - of_a[k]);
    }
  }
  return {.pairs = static_cast<std::int64_t>(differences.size()),
          .difference = mean_estimate(differences)};
}

// "key = value" a line.
std::vector<std::pair<std::string, std::string>> values_of(Scenario scenario) {
  scenario.axes.clear();
  std::vector<std::pair<std::string, std::string>> values;
  std::istringstream lines{scenario_values(scenario)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals != std::string::npos) {
      values.emplace_back(line.substr(0, equals), line.substr(equals + 3));
    }
  }
  return values;
}

bool says_nothing(const std::string& key) {
  return key == "name" || key == "description" || key == "simulation.seed" ||
         key == "simulation.replications";
}

std::int64_t truncated_runs(const CellOutput& output) {
  std::int64_t truncated = 0;
  for (const std::vector<ArmRecord>& records : output.arms) {
    truncated += std::count_if(records.begin(),
                               records.end(),
                               [](const ArmRecord& record) { return record.truncated; });
  }
  return truncated;
}

}  // namespace

bool ComparedArms::is_identical() const {
  return std::all_of(
      metrics.begin(), metrics.end(), [](const PairedDifference& difference) {
        // What is missing in both is no difference either.
        return difference.is_identical || difference.missing == difference.pairs;
      });
}

Comparison compare(const ComparedSide& a, const ComparedSide& b) {
  BASIN_EXPECT(a.scenario->replications == b.scenario->replications);
  Comparison comparison;
  for (std::size_t arm = 0; arm < std::min(a.arms->size(), b.arms->size()); ++arm) {
    comparison.arms.push_back(compare_arms(a, arm, b, arm));
  }
  if (a.judged() != b.judged()) {
    comparison.arms.push_back(compare_arms(a, a.judged(), b, b.judged()));
  }
  comparison.recovery_time.difference = comparison.drain_time.difference =
      mean_estimate({});
  if (!a.result->output.has_verdict || !b.result->output.has_verdict) {
    return comparison;
  }
  const std::vector<double> recovery_of_a = judged_values(a, &ArmRecord::recovery_time);
  const std::vector<double> recovery_of_b = judged_values(b, &ArmRecord::recovery_time);
  constexpr double any = std::numeric_limits<double>::infinity();
  comparison.recovered = outcomes_within(recovery_of_a, any, recovery_of_b, any);
  const std::optional<double> longest_of_a = a.scenario->objective->recovery_time;
  const std::optional<double> longest_of_b = b.scenario->objective->recovery_time;
  if (longest_of_a && longest_of_b) {
    comparison.within_rto =
        outcomes_within(recovery_of_a, *longest_of_a, recovery_of_b, *longest_of_b);
  }
  comparison.recovery_time = difference_where_finite(recovery_of_a, recovery_of_b);
  comparison.drain_time = difference_where_finite(
      judged_values(a, &ArmRecord::drain_time), judged_values(b, &ArmRecord::drain_time));
  return comparison;
}

std::vector<ChangedValue> changed_values(const Scenario& a, const Scenario& b) {
  const auto of_a = values_of(a);
  const auto of_b = values_of(b);
  const std::map<std::string, std::string> found_in_b{of_b.begin(), of_b.end()};
  const std::map<std::string, std::string> found_in_a{of_a.begin(), of_a.end()};
  std::vector<ChangedValue> changed;
  for (const auto& [key, value] : of_a) {
    const auto other = found_in_b.find(key);
    const std::string value_of_b = other == found_in_b.end() ? "" : other->second;
    if (value != value_of_b && !says_nothing(key)) {
      changed.push_back({.key = key, .a = value, .b = value_of_b});
    }
  }
  for (const auto& [key, value] : of_b) {
    if (found_in_a.find(key) == found_in_a.end() && !says_nothing(key)) {
      changed.push_back({.key = key, .a = "", .b = value});
    }
  }
  return changed;
}

std::vector<std::string> cautions(const ComparedSide& a, const ComparedSide& b) {
  std::vector<std::string> texts;
  const SystemConfig& of_a = a.scenario->system;
  const SystemConfig& of_b = b.scenario->system;
  if (of_a.horizon != of_b.horizon || of_a.warmup != of_b.warmup) {
    texts.push_back(fmt::format(
        "the measured parts differ ({} to {} in A, {} to {} in B): rates, ratios and "
        "means compare, peaks and totals do not",
        format_duration(of_a.warmup),
        format_duration(of_a.horizon),
        format_duration(of_b.warmup),
        format_duration(of_b.horizon)));
  }
  if (a.scenario->objective.has_value() != b.scenario->objective.has_value()) {
    texts.push_back(fmt::format("{} has no objective, so there is no verdict to compare",
                                a.scenario->objective ? "B" : "A"));
  } else if (!(a.scenario->objective == b.scenario->objective) ||
             of_a.success_within != of_b.success_within) {
    texts.push_back("the objectives differ: each verdict is by its own");
  }
  if (a.scenario->solver != b.scenario->solver) {
    texts.push_back(fmt::format(
        "{} is the fluid limit, without randomness: the pairs share nothing, and the "
        "intervals are those of {} alone",
        a.scenario->solver == Solver::fluid ? "A" : "B",
        a.scenario->solver == Solver::fluid ? "B" : "A"));
  }
  if (a.judged() != b.judged()) {
    texts.push_back(
        fmt::format("{} has no incidents: its control arm is compared with the triggered "
                    "arm of {}",
                    a.judged() == 0 ? "A" : "B",
                    a.judged() == 0 ? "B" : "A"));
  }
  for (const auto& [side, name] : {std::pair{&a, "A"}, std::pair{&b, "B"}}) {
    const std::int64_t truncated = truncated_runs(side->result->output);
    if (truncated > 0) {
      texts.push_back(fmt::format(
          "{} run{} of {} stopped at the memory limit: {} metrics are of the time before",
          truncated,
          truncated == 1 ? "" : "s",
          name,
          truncated == 1 ? "its" : "their"));
    }
  }
  return texts;
}

}  // namespace basin
