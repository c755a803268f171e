#include "experiments/key_lookup.h"

#include <algorithm>

#include "experiments/presets.h"
#include "experiments/value_reading.h"

namespace basin {
namespace {

using Kind = ExpressionValue::Kind;

const KeyInfo* key_named(const TableInfo& table, std::string_view name) {
  const auto found = std::ranges::find(table.keys, name, &KeyInfo::name);
  return found == table.keys.end() ? nullptr : &*found;
}

ExpressionValue typed(const KeyInfo& key, const Setting& setting) {
  if (setting.is_word) {
    return {.kind = Kind::word, .word = std::string(setting.text)};
  }
  const std::string_view unit = unit_of(key);
  if (!unit.empty()) {
    return {.number = setting.number,
            .power_of_time = unit == "s"     ? 1
                             : unit == "1/s" ? -1
                                             : 0};
  }
  if (key.type == ValueType::flag) {
    return {.kind = Kind::flag, .flag = setting.whole != 0};
  }
  return {.kind = Kind::word, .word = std::string(setting.text)};
}

bool is_a_single_value(ValueType type) {
  return type != ValueType::rate_list && type != ValueType::rate_matrix &&
         type != ValueType::table && type != ValueType::table_list;
}

ExpressionValue reciprocal(const ExpressionValue& value) {
  if (value.kind != Kind::number || value.number == 0) {
    throw NoValue("has no value here");
  }
  return {.number = 1 / value.number, .power_of_time = -value.power_of_time.value_or(0)};
}

class Lookup {
 public:
  Lookup(const SourceFile& file, const SourceNode& root, const KeyTarget& target)
      : file_{file}, target_{target}, table_{&scenario_table()}, node_{&root} {}

  ExpressionValue value() {
    for (std::size_t i = 0; i + 1 < target_.parts.size(); ++i) {
      const KeyInfo& key = variant(target_.parts[i]);
      const SourceNode* child = child_named(key.name);
      if (key.type == ValueType::table_list) {
        ++i;
        const std::size_t entry = std::stoul(target_.parts[i]);
        child = child != nullptr && entry < child->children.size()
                    ? &child->children[entry]
                    : nullptr;
      } else if (key.type == ValueType::distribution &&
                 (child == nullptr || child->kind != SourceNode::Kind::table)) {
        return of_a_constant(key, child);
      }
      table_ = key.table;
      node_ = child;
    }
    return of_leaf(variant(target_.parts.back()));
  }

 private:
  // The key as it is for what the table is about ("the shape of a gamma").
  const KeyInfo& variant(std::string_view name) const {
    const std::string decided = decided_value();
    const KeyInfo* other = nullptr;
    for (const KeyInfo& key : table_->keys) {
      if (key.name == name) {
        if (key.only_for.empty() || is_one_of(decided, key.only_for)) {
          return key;
        }
        other = &key;
      }
    }
    throw NoValue(other == nullptr
                      ? "has no value here"
                      : "has no value here (it belongs to " +
                            std::string(table_->decides) + " " +
                            either_of(other->only_for) +
                            (decided.empty() ? ")" : ", and this is " + decided + ")"));
  }

  std::string decided_value() const {
    if (table_->decides.empty()) {
      return "";
    }
    const SourceNode* said = child_named(table_->decides);
    const KeyInfo* key = key_named(*table_, table_->decides);
    return said != nullptr ? said->text : std::string(key->fallback);
  }

  const SourceNode* child_named(std::string_view name) const {
    return node_ == nullptr ? nullptr : node_->find(name);
  }

  ExpressionValue read(const KeyInfo& key, const SourceNode& node) const {
    Setting setting;
    try {
      read_value(key, node, setting);
    } catch (const ValueProblem& problem) {
      throw ScenarioError(
          file_, problem.place.value_or(node.place), target_.path, problem.what());
    }
    return typed(key, setting);
  }

  ExpressionValue read(const KeyInfo& key, std::string_view text) const {
    SourceNode node;
    node.text = text;
    return read(key, node);
  }

  // What is asked of a distribution that is a duration alone.
  ExpressionValue of_a_constant(const KeyInfo& key, const SourceNode* node) const {
    if (node == nullptr && key.fallback.empty()) {
      throw NoValue("has no value here (say it, so that an expression can use it)");
    }
    const std::string& part = target_.parts.back();
    if (part == "distribution") {
      return {.kind = Kind::word, .word = "deterministic"};
    }
    const ExpressionValue mean =
        node != nullptr ? read(key, *node) : read(key, key.fallback);
    if (part == "mean") {
      return mean;
    }
    if (part == "rate") {
      return reciprocal(mean);
    }
    throw NoValue("has no value here (" +
                  target_.path.substr(0, target_.path.rfind('.')) +
                  " is a duration alone)");
  }

  ExpressionValue of_leaf(const KeyInfo& key) const {
    if (!is_a_single_value(key.type)) {
      throw NoValue("is no single value (an expression uses numbers, words and flags)");
    }
    if (const SourceNode* said = child_named(key.name)) {
      if (said->kind == SourceNode::Kind::table) {
        throw NoValue("is a distribution (name its mean or another of its keys)");
      }
      return read(key, *said);
    }
    if (const Preset* preset =
            table_->has_presets ? find_preset(decided_value()) : nullptr) {
      const auto found = std::ranges::find(preset->values, key.name, &PresetValue::key);
      if (found != preset->values.end()) {
        return read(key, found->value);
      }
    }
    if (!key.fallback.empty()) {
      return read(key, key.fallback);
    }
    // A distribution's mean and rate are one number.
    const std::string_view other = key.name == "mean"   ? "rate"
                                   : key.name == "rate" ? "mean"
                                                        : "";
    const SourceNode* said = other.empty() ? nullptr : child_named(other);
    if (said != nullptr && is_one_of(other, key.instead_of)) {
      return reciprocal(read(*key_named(*table_, other), *said));
    }
    throw NoValue("has no value here (say it, so that an expression can use it)");
  }

  const SourceFile& file_;
  const KeyTarget& target_;
  const TableInfo* table_;
  const SourceNode* node_;
};

const TableInfo& table_of(const KeyTarget& target) {
  const TableInfo* table = &scenario_table();
  for (std::size_t i = 0; i + 1 < target.parts.size(); ++i) {
    const KeyInfo& key = *key_named(*table, target.parts[i]);
    table = key.table;
    i += key.type == ValueType::table_list ? 1U : 0U;
  }
  return *table;
}

bool begins_with(const KeyTarget& longer, const KeyTarget& shorter) {
  return longer.parts.size() >= shorter.parts.size() &&
         std::equal(shorter.parts.begin(), shorter.parts.end(), longer.parts.begin());
}

}  // namespace

ExpressionValue value_in_force(const SourceFile& file,
                               const SourceNode& root,
                               const KeyTarget& target) {
  return Lookup(file, root, target).value();
}

bool overlap(const KeyTarget& a, const KeyTarget& b) {
  if (begins_with(a, b) || begins_with(b, a)) {
    return true;
  }
  if (a.parts.size() != b.parts.size() ||
      !std::equal(a.parts.begin(), a.parts.end() - 1, b.parts.begin())) {
    return false;
  }
  const std::string& one = a.parts.back();
  const std::string& other = b.parts.back();
  return std::ranges::any_of(table_of(a).keys, [&](const KeyInfo& key) {
    return (key.name == one && is_one_of(other, key.instead_of)) ||
           (key.name == other && is_one_of(one, key.instead_of));
  });
}

bool may_change(const KeyTarget& setter, const KeyTarget& key) {
  const std::size_t depth = setter.parts.size() - 1;
  const bool is_within =
      key.parts.size() > depth &&
      std::equal(setter.parts.begin(), setter.parts.end() - 1, key.parts.begin());
  return overlap(setter, key) ||
         (is_within && setter.parts.back() == table_of(setter).decides);
}

}  // namespace basin
