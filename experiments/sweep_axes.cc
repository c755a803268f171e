#include "experiments/sweep_axes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "experiments/units.h"
#include "experiments/value_reading.h"

namespace basin {
namespace {

constexpr std::int64_t most_values = 100'000;

// An axis as asked for, before its values are made.
struct AxisPlan {
  KeyTarget target;
  Place place;
  std::vector<SourceNode> values;  // as given
  SourceNode from;                 // else from, to and steps
  SourceNode to;
  std::int64_t steps = 0;

  std::size_t size() const {
    return steps > 0 ? static_cast<std::size_t>(steps) : values.size();
  }
};

bool is_a_scalar(ValueType type) {
  switch (type) {
    case ValueType::duration:
    case ValueType::rate:
    case ValueType::number:
    case ValueType::whole:
    case ValueType::choice:
    case ValueType::flag:
    case ValueType::distribution:
      return true;
    case ValueType::text:
    case ValueType::name:
    case ValueType::rate_list:
    case ValueType::rate_matrix:
    case ValueType::value:
    case ValueType::value_list:
    case ValueType::table:
    case ValueType::table_list:
      break;
  }
  return false;
}

bool is_numeric(const KeyInfo& key) {
  return !unit_of(key).empty();
}

KeyTarget sweep_target(const SourceFile& file,
                       const SourceNode& root,
                       std::string_view path,
                       const Place& place) {
  KeyTarget target = find_target(file, root, path, place);
  if (!target.key->sweepable || !is_a_scalar(target.key->type)) {
    throw ScenarioError(file, place, target.path, "cannot be swept");
  }
  return target;
}

// Twelve significant digits, so that steps made in binary read as they would be written.
std::string rounded(long double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(),
                                 buffer.data() + buffer.size(),
                                 value,
                                 std::chars_format::general,
                                 12)
                       .ptr;
  return {buffer.data(), end};
}

long double leading_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  const std::string_view unit = unit_part(text);
  text.remove_suffix(unit.size());
  long double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// Both ends in one unit: their own if they share it, else seconds or per second.
struct Ends {
  long double from = 0;
  long double to = 0;
  std::string unit;
};

double si_value(const SourceFile& file, const KeyTarget& target, const SourceNode& node) {
  Setting setting;
  try {
    read_value(*target.key, node, setting);
  } catch (const ValueProblem& problem) {
    throw ScenarioError(
        file, problem.place.value_or(node.place), target.path, problem.what());
  }
  return setting.number;
}

Ends common_ends(const SourceFile& file, const AxisPlan& plan) {
  const double from = si_value(file, plan.target, plan.from);
  const double to = si_value(file, plan.target, plan.to);
  for (const SourceNode* node : {&plan.from, &plan.to}) {
    if (!std::isfinite(node == &plan.from ? from : to)) {
      throw ScenarioError(file,
                          node->place,
                          plan.target.path,
                          "cannot be an end of from … to (give values instead)");
    }
  }
  const std::string_view unit = unit_of(*plan.target.key);
  if (unit == "1") {
    return {.from = static_cast<long double>(from),
            .to = static_cast<long double>(to),
            .unit = ""};
  }
  const std::string from_text = written(plan.from);
  const std::string to_text = written(plan.to);
  if (unit_part(from_text) == unit_part(to_text)) {
    return {.from = leading_number(from_text),
            .to = leading_number(to_text),
            .unit = std::string(unit_part(from_text))};
  }
  return {.from = static_cast<long double>(from),
          .to = static_cast<long double>(to),
          .unit = unit == "s" ? "s" : "/s"};
}

std::vector<SourceNode> stepped_values(const SourceFile& file, const AxisPlan& plan) {
  const KeyTarget& target = plan.target;
  if (!is_numeric(*target.key)) {
    throw ScenarioError(file,
                        plan.place,
                        target.path,
                        "has no values between two others (expected values = […])");
  }
  const Ends ends = common_ends(file, plan);
  std::vector<SourceNode> result;
  const auto last = static_cast<long double>(plan.steps - 1);
  for (std::int64_t i = 0; i < plan.steps; ++i) {
    const auto k = static_cast<long double>(i);
    SourceNode node;
    node.kind = SourceNode::Kind::bare;
    node.place = plan.from.place;
    node.text = rounded((ends.from * (last - k) + ends.to * k) / last);
    if (target.key->type == ValueType::whole &&
        node.text.find_first_of(".e") != std::string::npos) {
      throw ScenarioError(
          file,
          plan.place,
          target.path,
          "comes to " + node.text +
              " in so many steps (expected whole numbers; choose other steps "
              "or give values)");
    }
    node.text += ends.unit;
    result.push_back(std::move(node));
  }
  return result;
}

AxisPlan plan_from_file(const SourceFile& file,
                        const SourceNode& root,
                        const Section& axis) {
  AxisPlan plan;
  plan.place = axis.place();
  plan.target = sweep_target(file, root, axis.text("key"), axis.at("key").place);
  const bool by_steps = axis.has("from") || axis.has("to") || axis.has("steps");
  if (by_steps == axis.has("values")) {
    axis.fail("",
              by_steps ? "has from, to or steps beside values (expected one or the other)"
                       : "has no values (expected from, to and steps, or values)");
  }
  if (!by_steps) {
    plan.values = axis.at("values").source->children;
    if (plan.values.empty()) {
      axis.fail("values", "is empty (expected at least one value)");
    }
    if (plan.values.size() > static_cast<std::size_t>(most_values)) {
      axis.fail("values", "has more than 100000 entries");
    }
    return plan;
  }
  for (const std::string_view key : {"from", "to", "steps"}) {
    if (!axis.has(key)) {
      axis.fail(key, "is missing (expected from, to and steps together)");
    }
  }
  plan.from = *axis.at("from").source;
  plan.to = *axis.at("to").source;
  plan.steps = axis.whole("steps");
  return plan;
}

AxisPlan plan_from_option(const SourceFile& file,
                          const SourceNode& root,
                          std::string_view option,
                          std::size_t index) {
  AxisPlan plan;
  plan.place = Place::option(Place::Kind::sweep, index);
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos || equals + 1 == option.size()) {
    throw ScenarioError(file,
                        plan.place,
                        std::string(option.substr(0, std::min<std::size_t>(equals, 100))),
                        "has no values (expected key=from:to:steps or key=value,value)");
  }
  plan.target = sweep_target(file, root, option.substr(0, equals), plan.place);
  const std::string_view values = option.substr(equals + 1);
  const auto bare = [&](std::string_view text) {
    SourceNode node;
    node.place = plan.place;
    node.text = text;
    return node;
  };
  if (values.find(':') == std::string_view::npos) {
    for (const std::string_view value : split(values, ',')) {
      plan.values.push_back(bare(value));
    }
    return plan;
  }
  const auto parts = split(values, ':');
  const auto fail = [&](const std::string& problem) {
    throw ScenarioError(file, plan.place, plan.target.path, problem);
  };
  if (parts.size() != 3) {
    fail("is not from:to:steps (expected such as 20/s:120/s:21)");
  }
  plan.from = bare(parts[0]);
  plan.to = bare(parts[1]);
  try {
    plan.steps = parse_whole(parts[2]);
  } catch (const UnitError& error) {
    fail("steps " + std::string(error.what()));
  }
  if (plan.steps < 2 || plan.steps > most_values) {
    fail("has " + std::to_string(plan.steps) +
         " steps (expected the number of points, from 2 to 100000)");
  }
  return plan;
}

void add_plan(const SourceFile& file, AxisPlan plan, std::vector<AxisPlan>& plans) {
  const bool is_option = plan.place.kind == Place::Kind::sweep;
  for (AxisPlan& other : plans) {
    if (other.target.path == plan.target.path) {
      if (!is_option || other.place.kind == Place::Kind::sweep) {
        throw ScenarioError(file,
                            plan.place,
                            plan.target.path,
                            "is an axis already (expected each key once)");
      }
      other = std::move(plan);
      return;
    }
  }
  plans.push_back(std::move(plan));
}

void expect_different(const SourceFile& file, const AxisSource& axis, const Axis& typed) {
  std::set<double> seen;
  for (std::size_t i = 0; i < typed.values.size(); ++i) {
    if (!seen.insert(typed.si_values[i]).second) {
      throw ScenarioError(file,
                          axis.values[i].place,
                          axis.target.path,
                          typed.values[i] +
                              " is on the axis twice (expected values that "
                              "differ)");
    }
  }
}

}  // namespace

std::vector<AxisSource> read_axes(const SourceFile& file,
                                  const SourceNode& root,
                                  const Section& whole,
                                  const std::vector<KeyTarget>& fixed,
                                  const std::vector<std::string>& options) {
  std::vector<AxisPlan> plans;
  for (const Section* axis : whole.find_section("sweep")->list("axes")) {
    AxisPlan plan = plan_from_file(file, root, *axis);
    const bool is_fixed =
        std::any_of(fixed.begin(), fixed.end(), [&](const KeyTarget& t) {
          return t.path == plan.target.path;
        });
    if (!is_fixed) {
      add_plan(file, std::move(plan), plans);
    }
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    add_plan(file, plan_from_option(file, root, options[i], i), plans);
  }
  double cells = 1;
  for (const AxisPlan& plan : plans) {
    cells *= static_cast<double>(plan.size());
    if (cells > most_cells) {
      throw ScenarioError(file,
                          plan.place,
                          plan.target.path,
                          "makes the grid larger than 10 million cells");
    }
  }
  std::vector<AxisSource> axes;
  for (AxisPlan& plan : plans) {
    std::vector<SourceNode> values =
        plan.steps > 0 ? stepped_values(file, plan) : std::move(plan.values);
    axes.push_back({.target = std::move(plan.target), .values = std::move(values)});
  }
  return axes;
}

Axis typed_axis(const SourceFile& file, const AxisSource& axis) {
  const KeyInfo& key = *axis.target.key;
  Axis result;
  result.key = axis.target.path;
  result.unit = unit_of(key);
  result.is_numeric = is_numeric(key);
  result.touches_control = touches_control(axis.target.path);
  for (const SourceNode& node : axis.values) {
    const double value = si_value(file, axis.target, node);
    result.si_values.push_back(value);
    result.values.push_back(written(node));
  }
  expect_different(file, axis, result);
  if (!result.is_numeric) {
    for (std::size_t i = 0; i < result.si_values.size(); ++i) {
      result.si_values[i] = static_cast<double>(i);
    }
  }
  return result;
}

}  // namespace basin
