#include "experiments/settings.h"

#include <algorithm>

#include "engine/contract.h"
#include "experiments/presets.h"
#include "experiments/value_reading.h"

namespace basin {
namespace {

bool applies(const KeyInfo& key, std::string_view decided) {
  return key.only_for.empty() || is_one_of(decided, key.only_for);
}

std::string quoted(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// Keys of the table, and, where the word is a key of another table, its full path.
std::string suggestion(const TableInfo& table,
                       std::string_view name,
                       std::string_view path) {
  std::vector<std::string_view> candidates;
  for (const KeyInfo& key : table.keys) {
    candidates.push_back(key.name);
  }
  const std::string_view near = nearest(name, candidates);
  const std::string prefix = path.empty() ? "" : std::string(path) + ".";
  if (!near.empty()) {
    return " (did you mean " + prefix + std::string(near) + "?)";
  }
  for (const KeyPath& entry : all_keys()) {
    if (entry.key->name == name) {
      return " (did you mean " + entry.path + "?)";
    }
  }
  std::string known;
  for (const std::string_view candidate : candidates) {
    if (known.find(candidate) == std::string::npos) {
      known += known.empty() ? "" : ", ";
      known += candidate;
    }
  }
  return " (expected one of " + known + ")";
}

}  // namespace

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::file:
      return "file";
    case Origin::set:
      return "--set";
    case Origin::sweep:
      return "sweep";
    case Origin::preset:
      return "preset";
    case Origin::fallback:
      return "default";
  }
  return "";
}

Section::Section(const SourceFile& file,
                 const TableInfo& table,
                 const SourceNode* source,
                 std::string path,
                 Place place)
    : file_{&file}, table_{&table}, path_{std::move(path)}, place_{place} {
  settings_.reserve(table.keys.size());
  decide(source);
  if (source != nullptr) {
    read(*source);
  }
  check_alternatives();
  fill_preset();
  fill_defaults();
}

const Setting* Section::find(std::string_view key) const {
  for (const Setting& setting : settings_) {
    if (setting.key->name == key) {
      return &setting;
    }
  }
  return nullptr;
}

const Section* Section::find_section(std::string_view key) const {
  for (const Section& section : sections_) {
    if (section.key_->name == key) {
      return &section;
    }
  }
  return nullptr;
}

std::vector<const Section*> Section::list(std::string_view key) const {
  std::vector<const Section*> result;
  for (const Section& section : sections_) {
    if (section.key_->name == key) {
      result.push_back(&section);
    }
  }
  return result;
}

const Setting& Section::at(std::string_view key) const {
  const Setting* setting = find(key);
  BASIN_EXPECT(setting != nullptr);
  return *setting;
}

std::optional<Duration> Section::optional_duration(std::string_view key) const {
  const Setting* setting = find(key);
  return setting == nullptr || setting->is_word ? std::nullopt
                                                : std::optional(Duration{setting->whole});
}

std::optional<double> Section::optional_number(std::string_view key) const {
  const Setting* setting = find(key);
  return setting == nullptr || setting->is_word ? std::nullopt
                                                : std::optional(setting->number);
}

std::optional<std::int64_t> Section::optional_whole(std::string_view key) const {
  const Setting* setting = find(key);
  return setting == nullptr || setting->is_word ? std::nullopt
                                                : std::optional(setting->whole);
}

bool Section::has(std::string_view key) const {
  return find(key) != nullptr || find_section(key) != nullptr;
}

void Section::fail(std::string_view key, const std::string& problem) const {
  Place place = place_;
  if (const Setting* setting = find(key);
      setting != nullptr && setting->place.kind != Place::Kind::nowhere) {
    place = setting->place;
  } else if (const Section* section = find_section(key);
             section != nullptr && section->place_.kind != Place::Kind::nowhere) {
    place = section->place_;
  }
  throw ScenarioError(*file_, place, path_of(key), problem);
}

std::string Section::path_of(std::string_view key) const {
  if (key.empty()) {
    return path_;
  }
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void Section::decide(const SourceNode* source) {
  if (table_->decides.empty()) {
    return;
  }
  for (const KeyInfo& key : table_->keys) {
    if (key.name == table_->decides) {
      const SourceNode* said = source == nullptr ? nullptr : source->find(key.name);
      if (said == nullptr && key.required) {
        throw ScenarioError(*file_,
                            place_,
                            path_of(key.name),
                            "is missing (expected " + expected_value(key) + ")");
      }
      decided_ = said == nullptr ? key.fallback : converted(key, *said).text;
    }
  }
}

void Section::read(const SourceNode& source) {
  for (const SourceNode& child : source.children) {
    read_child(child);
  }
}

const KeyInfo& Section::key_for(const SourceNode& child) const {
  const KeyInfo* other = nullptr;
  for (const KeyInfo& key : table_->keys) {
    if (key.name == child.name) {
      if (applies(key, decided_)) {
        return key;
      }
      other = &key;
    }
  }
  if (other != nullptr) {
    throw ScenarioError(*file_,
                        child.name_place,
                        path_of(child.name),
                        "belongs to " + std::string(table_->decides) + " " +
                            either_of(other->only_for) + ", and this is " +
                            std::string(decided_));
  }
  if (path_.empty() && child.name == "stage") {
    throw ScenarioError(*file_,
                        child.name_place,
                        "stage",
                        "one stage is supported (write [queue] and [consumers] without a "
                        "list of stages)");
  }
  throw ScenarioError(*file_,
                      child.name_place,
                      path_of(child.name),
                      "is not a key" + suggestion(*table_, child.name, path_));
}

void Section::read_child(const SourceNode& child) {
  const KeyInfo& key = key_for(child);
  const bool is_a_table = child.kind == SourceNode::Kind::table;
  if (key.type == ValueType::table_list) {
    read_list(key, child);
  } else if (key.type == ValueType::table ||
             (key.type == ValueType::distribution && is_a_table)) {
    if (!is_a_table) {
      throw ScenarioError(*file_, child.place, path_of(key.name), "expected a table");
    }
    sections_.emplace_back(
        *file_, *key.table, &child, path_of(key.name), child.name_place);
    sections_.back().key_ = &key;
  } else {
    settings_.push_back(converted(key, child));
  }
}

void Section::read_list(const KeyInfo& key, const SourceNode& child) {
  const auto is_a_table = [](const SourceNode& node) {
    return node.kind == SourceNode::Kind::table;
  };
  const auto wrong =
      std::find_if_not(child.children.begin(), child.children.end(), is_a_table);
  if (child.kind != SourceNode::Kind::list || wrong != child.children.end()) {
    throw ScenarioError(*file_,
                        child.kind == SourceNode::Kind::list ? wrong->place : child.place,
                        path_of(key.name),
                        "expected a list of tables (written [[" + path_of(key.name) +
                            "]] or [{…}, {…}])");
  }
  const auto count = static_cast<double>(child.children.size());
  if (count < key.low || count > key.high) {
    throw ScenarioError(*file_,
                        child.place,
                        path_of(key.name),
                        count == 0 ? "is empty (expected at least one entry)"
                                   : "has " + std::to_string(child.children.size()) +
                                         " entries (expected " + range_text(key) + ")");
  }
  for (std::size_t i = 0; i < child.children.size(); ++i) {
    const SourceNode& entry = child.children[i];
    const SourceNode* name = entry.find("name");
    const bool is_named = name != nullptr && name->kind != SourceNode::Kind::list &&
                          name->kind != SourceNode::Kind::table && !name->text.empty();
    const std::string part = is_named ? name->text : std::to_string(i);
    sections_.emplace_back(
        *file_, *key.table, &entry, path_of(key.name) + "." + part, entry.place);
    sections_.back().key_ = &key;
  }
}

Setting Section::converted(const KeyInfo& key, const SourceNode& node) const {
  Setting setting;
  setting.key = &key;
  setting.place = node.place;
  setting.source = &node;
  setting.origin = node.place.kind == Place::Kind::set     ? Origin::set
                   : node.place.kind == Place::Kind::sweep ? Origin::sweep
                                                           : Origin::file;
  try {
    read_value(key, node, setting);
  } catch (const ValueProblem& problem) {
    throw ScenarioError(
        *file_, problem.place.value_or(node.place), path_of(key.name), problem.what());
  }
  return setting;
}

void Section::check_alternatives() const {
  const auto check = [&](const KeyInfo& key, const Place& place) {
    for (const Setting& other : settings_) {
      if (is_one_of(other.key->name, key.instead_of)) {
        throw ScenarioError(*file_,
                            place,
                            path_of(key.name),
                            "is given beside " + std::string(other.key->name) +
                                ", which says the same (give one of them)");
      }
    }
  };
  for (const Setting& setting : settings_) {
    check(*setting.key, setting.place);
  }
  for (const Section& section : sections_) {
    check(*section.key_, section.place_);
  }
}

void Section::fill_preset() {
  const Preset* preset = table_->has_presets ? find_preset(decided_) : nullptr;
  if (preset == nullptr) {
    return;
  }
  for (const PresetValue& row : preset->values) {
    const auto key = std::find_if(table_->keys.begin(),
                                  table_->keys.end(),
                                  [&](const KeyInfo& k) { return k.name == row.key; });
    BASIN_EXPECT(key != table_->keys.end());
    const Setting* said = find(row.key);
    if (said == nullptr) {
      add_default(*key, row.value, Origin::preset);
      continue;
    }
    const auto bound = [&](std::string_view text) {
      Setting limit;
      SourceNode node;
      node.text = text;
      read_value(*key, node, limit);
      return limit.number;
    };
    if (!said->is_word && ((!row.lowest.empty() && said->number < bound(row.lowest)) ||
                           (!row.highest.empty() && said->number > bound(row.highest)))) {
      const std::string limits =
          row.lowest.empty()
              ? "at most " + std::string(row.highest)
              : "from " + std::string(row.lowest) + " to " + std::string(row.highest);
      fail(
          row.key,
          "is beyond what " + quoted(preset->name) + " allows (expected " + limits + ")");
    }
  }
}

void Section::add_default(const KeyInfo& key, std::string_view value, Origin origin) {
  SourceNode node;
  node.text = value;
  Setting setting;
  setting.key = &key;
  setting.origin = origin;
  setting.written = value;
  read_value(key, node, setting);
  // The text that read_value saw dies with the node.
  if (!setting.text.empty()) {
    setting.text = value;
  }
  settings_.push_back(std::move(setting));
}

void Section::fill_defaults() {
  for (const KeyInfo& key : table_->keys) {
    if (!applies(key, decided_) || has(key.name)) {
      continue;
    }
    if (key.required) {
      throw ScenarioError(*file_,
                          place_,
                          path_of(key.name),
                          "is missing (expected " + expected_value(key) + ")");
    }
    if (key.type == ValueType::table) {
      sections_.emplace_back(*file_, *key.table, nullptr, path_of(key.name), place_);
      sections_.back().key_ = &key;
    } else if (!key.fallback.empty()) {
      add_default(key, key.fallback, Origin::fallback);
    }
  }
}

}  // namespace basin
