#include "experiments/lever.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/drain_words.h"
#include "experiments/scenario_reader.h"
#include "experiments/scenario_source.h"
#include "experiments/sweep_axes.h"
#include "experiments/units.h"
#include "experiments/value_reading.h"
#include "models/arrivals.h"

namespace basin {

namespace {

constexpr double most_whole = 1e9;

std::optional<double> today_of(const Scenario& scenario, const std::string& key) {
  const nlohmann::json resolved =
      nlohmann::json::parse(settings_json({scenario.document.source->file,
                                           scenario_table(),
                                           &scenario.document.source->root,
                                           "",
                                           Place{}}));
  const auto found = resolved.find(key);
  if (found != resolved.end() && found->contains("value") &&
      (*found)["value"].is_number()) {
    return (*found)["value"].get<double>();
  }
  if (key == "arrivals.rate") {
    const double rate = mean_rate(scenario.system.arrivals);
    return rate > 0 && std::isfinite(rate) ? std::optional{rate} : std::nullopt;
  }
  if (key == "arrivals.factor" || key == "arrivals.rate_scale") {
    return 1;
  }
  return std::nullopt;
}

// Digits of a number, without an exponent where one would not be written.
std::string six_digits(double value) {
  return fmt::format("{:.6g}", value);
}

}  // namespace

Lever lever_of(const Scenario& scenario, const std::string& key) {
  const ScenarioSource& source = *scenario.document.source;
  const KeyTarget target = find_target(source.file, source.root, key, Place{});
  const auto fail = [&](const std::string& problem) {
    throw ScenarioError(source.file, Place{}, target.path, problem);
  };
  const std::string unit{unit_of(*target.key)};
  if (unit.empty() || !target.key->sweepable) {
    fail("has no number to search (expected a key with a rate, a duration or a number)");
  }
  Lever lever{.key = target.path,
              .unit = unit,
              .is_whole = target.key->type == ValueType::whole,
              .least = target.key->low,
              .most = target.key->high,
              .today = today_of(scenario, target.path)};
  if (unit != "1") {
    lever.least = std::max(lever.least, 0.0);
  }
  if (lever.is_whole) {
    lever.least = std::max(std::ceil(lever.least), 0.0);
    lever.most = std::min(lever.most, most_whole);
  }
  return lever;
}

std::string written_value(const Lever& lever, double value) {
  if (lever.is_whole) {
    return fmt::format("{:.0f}", value);
  }
  if (lever.unit == "s") {
    // Whole nanoseconds.
    return format_duration(from_seconds(std::stod(six_digits(value))));
  }
  return six_digits(value) + (lever.unit == "1/s" ? "/s" : "");
}

std::string readable_value(const Lever& lever, double value) {
  if (lever.unit == "s") {
    return span_text(value);
  }
  return lever.unit == "1/s" ? rate_text(value) : count_text(value);
}

double parse_lever_value(const Scenario& scenario,
                         const Lever& lever,
                         const std::string& text) {
  const ScenarioSource& source = *scenario.document.source;
  const KeyTarget target = find_target(source.file, source.root, lever.key, Place{});
  SourceNode node;
  node.kind = SourceNode::Kind::bare;
  node.text = text;
  Setting setting;
  try {
    read_value(*target.key, node, setting);
  } catch (const ValueProblem& problem) {
    throw ScenarioError(
        source.file, Place{}, lever.key, "'" + text + "' " + problem.what());
  }
  if (!std::isfinite(setting.number) || setting.is_word) {
    throw ScenarioError(
        source.file, Place{}, lever.key, "'" + text + "' is no number to search from");
  }
  return setting.number;
}

Scenario at_value(const Scenario& scenario, const Lever& lever, double value) {
  const std::string text = written_value(lever, value);
  try {
    Scenario other = with_values(scenario, {lever.key + "=" + text});
    other.axes.clear();
    return other;
  } catch (const ScenarioError& error) {
    throw ScenarioError(scenario.document.source->file,
                        Place{},
                        error.key(),
                        error.problem(),
                        " [at " + lever.key + " = " + text + "]");
  }
}

OverAxis over_axis(const Scenario& scenario, const std::string& option) {
  const ScenarioSource& source = *scenario.document.source;
  const Axis axis =
      typed_axis(source.file, axis_of_option(source.file, source.root, option), {});
  return {.key = axis.key,
          .unit = axis.unit,
          .values = axis.values,
          .si_values = axis.si_values};
}

}  // namespace basin
