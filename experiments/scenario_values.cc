#include "experiments/scenario_values.h"

#include <set>

#include <nlohmann/json.hpp>

#include "experiments/build_info.h"
#include "experiments/grid.h"
#include "experiments/scenario_source.h"

namespace basin {

namespace {

// "key = value" for each value in force of which `keep` thinks so.
template <typename Keep>
std::string resolved_values(const Scenario& scenario, const Keep& keep) {
  std::string values;
  const auto resolved =
      nlohmann::ordered_json::parse(scenario.document.resolved_json, nullptr, false);
  if (!resolved.is_object()) {
    return values;
  }
  for (const auto& [key, setting] : resolved.items()) {
    if (!keep(key)) {
      continue;
    }
    const auto written = setting.find("written");
    const auto& value = written == setting.end() ? setting : *written;
    values += key + " = " +
              (value.is_string() ? value.template get<std::string>() : value.dump()) +
              "\n";
  }
  return values;
}

std::string derived_values(const Scenario& scenario) {
  std::string values;
  if (scenario.document.source != nullptr && !scenario.axes.empty()) {
    for (const DerivedKey& derived : scenario.document.source->derived_in_cells) {
      values += "derived " + derived.target.path + " = " + derived.value.text.text + "\n";
    }
  }
  return values;
}

}  // namespace

std::string scenario_values(const Scenario& scenario) {
  std::string values =
      resolved_values(scenario, [](const std::string& /*key*/) { return true; });
  const auto add = [&](const std::string& key, const std::vector<std::string>& of_axis) {
    values += "axis " + key + " =";
    for (const std::string& value : of_axis) {
      values += " " + value;
    }
    values += "\n";
  };
  for (const Axis& axis : scenario.axes) {
    add(axis.key, axis.values);
    for (const AxisKey& key : axis.with) {
      add(key.key, key.values);
    }
  }
  values += derived_values(scenario);
  if (scenario.document.source != nullptr && !scenario.axes.empty()) {
    if (const auto& where = scenario.document.source->where) {
      values += "where " + where->text.text + "\n";
    }
  }
  if (scenario.refinement) {
    values += "refine levels " + std::to_string(scenario.refinement->levels) + " looks";
    for (const std::int64_t look : scenario.refinement->looks) {
      values += " " + std::to_string(look);
    }
    values += "\n";
  }
  return values;
}

std::string experiment_values(const Scenario& scenario) {
  std::set<std::string> swept;
  for (const Axis& axis : scenario.axes) {
    swept.insert(axis.key);
    for (const AxisKey& key : axis.with) {
      swept.insert(key.key);
    }
  }
  swept.erase(std::string{point_axis});
  // What a derived key is in the file itself follows from values that may differ.
  std::set<std::string> left_out = swept;
  left_out.insert("simulation.replications");
  if (scenario.document.source != nullptr && !scenario.axes.empty()) {
    for (const DerivedKey& derived : scenario.document.source->derived_in_cells) {
      left_out.insert(derived.target.path);
    }
  }
  std::string values = resolved_values(
      scenario, [&](const std::string& key) { return !left_out.contains(key); });
  for (const std::string& key : swept) {
    values += "axis " + key + "\n";
  }
  values += derived_values(scenario);
  return values + "semantics_version = " + std::to_string(semantics_version) + "\n";
}

}  // namespace basin
