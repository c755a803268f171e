#include "experiments/scenario_values.h"

#include <nlohmann/json.hpp>

namespace basin {

std::string scenario_values(const Scenario& scenario) {
  std::string values;
  const auto resolved =
      nlohmann::ordered_json::parse(scenario.document.resolved_json, nullptr, false);
  if (resolved.is_object()) {
    for (const auto& [key, setting] : resolved.items()) {
      const auto written = setting.find("written");
      const auto& value = written == setting.end() ? setting : *written;
      values += key + " = " +
                (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
    }
  }
  for (const Axis& axis : scenario.axes) {
    values += "axis " + axis.key + " =";
    for (const std::string& value : axis.values) {
      values += " " + value;
    }
    values += "\n";
  }
  return values;
}

}  // namespace basin
