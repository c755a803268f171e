#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/memory.h"
#include "experiments/pilot.h"

namespace basin {

namespace {

using Json = nlohmann::ordered_json;

struct Plan {
  std::size_t cells = 1;
  std::size_t controls = 1;
  std::size_t runs = 0;
  std::vector<Arm> arms;
  CostEstimate cost;
  double output_bytes = 0;
  std::vector<std::string> warnings;
};

std::string where_of(const Scenario& scenario, const std::vector<std::size_t>& indices) {
  return scenario.axes.empty() ? "this scenario" : describe_cell(scenario.axes, indices);
}

Plan plan_of(const Scenario& scenario, const Arguments& arguments) {
  const RunnerOptions options = runner_options(arguments);
  TrajectoriesToKeep trajectories = arguments.trajectories;
  if (scenario.axes.empty() && !arguments.trajectories_given) {
    trajectories = TrajectoriesToKeep::all;  // as run keeps them
  }
  Plan plan{
      .cells = Grid{scenario.axes}.size(),
      .controls = control_groups(scenario).size(),
      .runs = count_runs(scenario, arguments.explain),
      .arms = arms_of(scenario, arguments.explain),
      .cost = estimate_cost(scenario, options, {}),
      .output_bytes = estimate_output_bytes(scenario, arguments.explain, trajectories),
      .warnings = {}};
  for (const PilotRun& run : plan.cost.runs) {
    const std::string where =
        fmt::format("{} arm of {}", name_of(run.arm), where_of(scenario, run.indices));
    if (run.out_of_memory) {
      plan.warnings.push_back(fmt::format(
          "the {} met the memory limit of {} a thread (fewer --threads or a larger "
          "--memory)",
          where,
          bytes_text(static_cast<double>(arguments.memory_bytes) / arguments.threads)));
    }
    if (!run.error.empty()) {
      plan.warnings.push_back(fmt::format("the {} does not run: {}", where, run.error));
    }
  }
  return plan;
}

std::string axis_line(const Axis& axis) {
  std::string values;
  for (std::size_t k = 0; k < axis.values.size(); ++k) {
    if (axis.values.size() > 8 && k == 3) {
      values += ", …";
      k = axis.values.size() - 2;
      continue;
    }
    values += (k == 0 ? "" : ", ") + axis.values[k];
  }
  return fmt::format("  {}: {} values ({}){}\n",
                     axis.key,
                     axis.values.size(),
                     values,
                     axis.touches_control ? "" : "; the control arm is shared");
}

std::string origin_text(const Json& entry) {
  std::string origin = entry.value("from", "");
  if (entry.contains("line")) {
    origin += fmt::format(", line {}", entry["line"].get<int>());
  }
  return origin;
}

std::string plan_text(const Scenario& scenario,
                      const Arguments& arguments,
                      const Plan& plan) {
  std::string text = fmt::format("{}: {}\n\n", scenario.name, scenario.description);
  text += fmt::format("{} cell{}\n", plan.cells, plan.cells == 1 ? "" : "s");
  for (const Axis& axis : scenario.axes) {
    text += axis_line(axis);
  }
  std::string arms;
  for (const Arm arm : plan.arms) {
    arms += (arms.empty() ? "" : ", ") + std::string{name_of(arm)};
  }
  text += fmt::format("{} replications of {} ({} controls): {} runs\n",
                      scenario.replications,
                      arms,
                      plan.controls,
                      plan.runs);
  const std::string at_least = plan.cost.at_least ? "at least " : "about ";
  text += fmt::format(
      "processor time: {}{}, {}{} with {} threads\n"
      "  (from {} timed runs of corner and middle cells{})\n",
      at_least,
      rough_duration(plan.cost.cpu_seconds),
      at_least,
      rough_duration(plan.cost.cpu_seconds / arguments.threads),
      arguments.threads,
      plan.cost.runs.size(),
      plan.cost.at_least ? ", some cut short" : "");
  text +=
      fmt::format("output: up to {} before compression\n", bytes_text(plan.output_bytes));
  text += fmt::format(
      "memory: {}, {} a thread\n\nValues in force:\n",
      bytes_text(static_cast<double>(arguments.memory_bytes)),
      bytes_text(static_cast<double>(arguments.memory_bytes) / arguments.threads));
  const Json resolved = Json::parse(scenario.document.resolved_json, nullptr, false);
  for (const auto& [key, entry] : resolved.items()) {
    text += fmt::format("  {:<36} {:<20} {}\n",
                        key,
                        entry.value("written", entry.value("value", Json()).dump()),
                        origin_text(entry));
  }
  return text;
}

std::string plan_json(const Scenario& scenario,
                      const Arguments& arguments,
                      const Plan& plan) {
  Json json = {{"verb", "plan"},
               {"scenario", scenario.name},
               {"cells", plan.cells},
               {"controls", plan.controls},
               {"replications", scenario.replications},
               {"runs", plan.runs},
               {"threads", arguments.threads},
               {"memory_bytes", arguments.memory_bytes},
               {"cpu_seconds", plan.cost.cpu_seconds},
               {"cpu_seconds_is_lower_bound", plan.cost.at_least},
               {"output_bytes", plan.output_bytes},
               {"warnings", plan.warnings},
               {"arms", Json::array()},
               {"axes", Json::array()},
               {"pilot", Json::array()}};
  for (const Arm arm : plan.arms) {
    json["arms"].push_back(name_of(arm));
  }
  for (const Axis& axis : scenario.axes) {
    json["axes"].push_back({{"key", axis.key},
                            {"unit", axis.unit},
                            {"values", axis.values},
                            {"touches_control", axis.touches_control}});
  }
  for (const PilotRun& run : plan.cost.runs) {
    json["pilot"].push_back({{"indices", run.indices},
                             {"arm", name_of(run.arm)},
                             {"cpu_seconds", run.cpu_seconds},
                             {"cut_short", run.cut_short}});
  }
  json["resolved"] = Json::parse(scenario.document.resolved_json, nullptr, false);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int plan_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const Scenario scenario = as_swept(scenario_of(arguments, "plan"));
  const Plan plan = plan_of(scenario, arguments);
  if (const int number = stop_signal().load(); number != 0) {
    complain("stopped by a signal");
    return 128 + number;
  }
  for (const std::string& warning : plan.warnings) {
    complain("warning: " + warning);
  }
  print(arguments.json ? plan_json(scenario, arguments, plan)
                       : plan_text(scenario, arguments, plan));
  return exit_done;
}

}  // namespace basin
