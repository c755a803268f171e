#include "experiments/sweep_values.h"

#include <charconv>
#include <cmath>

#include "experiments/decimal_text.h"
#include "experiments/units.h"
#include "experiments/value_reading.h"

namespace basin {
namespace {

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
    case ValueType::expressions:
    case ValueType::table:
    case ValueType::table_list:
      break;
  }
  return false;
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

}  // namespace

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

bool is_numeric(const KeyInfo& key) {
  return !unit_of(key).empty();
}

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

Ends common_ends(const SourceFile& file,
                 const KeyTarget& target,
                 const SourceNode& from_node,
                 const SourceNode& to_node) {
  const double from = si_value(file, target, from_node);
  const double to = si_value(file, target, to_node);
  for (const SourceNode* node : {&from_node, &to_node}) {
    if (!std::isfinite(node == &from_node ? from : to)) {
      throw ScenarioError(file,
                          node->place,
                          target.path,
                          "cannot be an end of from … to (give values instead)");
    }
  }
  const std::string_view unit = unit_of(*target.key);
  if (unit == "1") {
    return {.from = static_cast<long double>(from),
            .to = static_cast<long double>(to),
            .unit = ""};
  }
  const std::string from_text = written(from_node);
  const std::string to_text = written(to_node);
  if (unit_part(from_text) == unit_part(to_text)) {
    return {.from = leading_number(from_text),
            .to = leading_number(to_text),
            .unit = std::string(unit_part(from_text))};
  }
  return {.from = static_cast<long double>(from),
          .to = static_cast<long double>(to),
          .unit = unit == "s" ? "s" : "/s"};
}

std::vector<SourceNode> stepped_values(const SourceFile& file,
                                       const KeyTarget& target,
                                       const SourceNode& from,
                                       const SourceNode& to,
                                       std::int64_t steps,
                                       const Place& place) {
  if (!is_numeric(*target.key)) {
    throw ScenarioError(file,
                        place,
                        target.path,
                        "has no values between two others (expected values = […])");
  }
  const Ends ends = common_ends(file, target, from, to);
  std::vector<SourceNode> result;
  const auto last = static_cast<long double>(steps - 1);
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto k = static_cast<long double>(i);
    SourceNode node;
    node.kind = SourceNode::Kind::bare;
    node.place = from.place;
    node.text = decimal_text((ends.from * (last - k) + ends.to * k) / last);
    if (target.key->type == ValueType::whole &&
        node.text.find_first_of(".e") != std::string::npos) {
      throw ScenarioError(
          file,
          place,
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

}  // namespace basin
