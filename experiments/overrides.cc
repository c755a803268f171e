// --set key=value: finding the key, writing the value.
#include <algorithm>
#include <charconv>

#include "experiments/scenario_source.h"

namespace basin {
namespace {

const KeyInfo* find_key(const TableInfo& table, std::string_view name) {
  for (const KeyInfo& key : table.keys) {
    if (key.name == name) {
      return &key;
    }
  }
  return nullptr;
}

std::string nearest_path(std::string_view path) {
  // Of entries of lists, whatever their name is, as '*'.
  std::vector<std::string_view> known;
  for (const KeyPath& entry : all_keys()) {
    known.push_back(entry.path);
  }
  return std::string(nearest(path, known));
}

std::string name_in(const SourceNode& entry) {
  const SourceNode* name = entry.find("name");
  return name == nullptr ? "" : name->text;
}

// The place of the entry that `part` names, or the list's length.
std::size_t find_entry(const SourceNode& list, std::string_view part) {
  const std::size_t count = list.children.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (name_in(list.children[i]) == part) {
      return i;
    }
  }
  std::size_t index = 0;
  const auto [end, error] =
      std::from_chars(part.data(), part.data() + part.size(), index);
  return error == std::errc{} && end == part.data() + part.size() ? std::min(index, count)
                                                                  : count;
}

std::string entries_of(const SourceNode* list) {
  std::string result;
  if (list != nullptr && list->kind == SourceNode::Kind::list) {
    for (std::size_t i = 0; i < std::min<std::size_t>(list->children.size(), 20); ++i) {
      const std::string name = name_in(list->children[i]);
      result += (i == 0 ? "" : ", ") + (name.empty() ? std::to_string(i) : name);
    }
  }
  return result;
}

std::string keys_of(const TableInfo& table) {
  std::string result;
  for (const KeyInfo& key : table.keys) {
    result += (result.empty() ? "" : ", ") + std::string(key.name);
  }
  return result;
}

void erase_child(SourceNode& node, std::string_view name) {
  std::erase_if(node.children,
                [&](const SourceNode& child) { return child.name == name; });
}

// Keys that exist in the table, but for no value of the deciding key that is now in
// force.
void drop_what_no_longer_applies(const TableInfo& table,
                                 SourceNode& node,
                                 std::string_view decided) {
  std::erase_if(node.children, [&](const SourceNode& child) {
    bool known = false;
    bool applies = false;
    for (const KeyInfo& key : table.keys) {
      if (key.name == child.name) {
        known = true;
        applies = applies || key.only_for.empty() || is_one_of(decided, key.only_for);
      }
    }
    return known && !applies;
  });
}

}  // namespace

KeyTarget find_target(const SourceFile& file,
                      const SourceNode& root,
                      std::string_view path,
                      Place place) {
  constexpr std::size_t longest_path = 400;
  const auto fail = [&](const std::string& problem) {
    throw ScenarioError(file, place, std::string(path.substr(0, longest_path)), problem);
  };
  if (path.empty() || path.size() > longest_path) {
    fail("is not a key (expected one such as arrivals.rate)");
  }
  KeyTarget target;
  const TableInfo* table = &scenario_table();
  const SourceNode* node = &root;
  const std::vector<std::string_view> parts = split(path, '.');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const KeyInfo* key = table == nullptr ? nullptr : find_key(*table, parts[i]);
    if (key == nullptr) {
      const std::string near = nearest_path(path);
      fail("is not a key" + (near.empty() ? "" : " (did you mean " + near + "?)"));
    }
    target.key = key;
    target.parts.emplace_back(parts[i]);
    target.path += (i == 0 ? "" : ".") + std::string(parts[i]);
    node = node == nullptr ? nullptr : node->find(parts[i]);
    table = key->table;
    if (key->type == ValueType::table_list) {
      const bool is_list = node != nullptr && node->kind == SourceNode::Kind::list;
      if (i + 1 == parts.size()) {
        fail("is a list (name an entry and its key; its entries: " + entries_of(node) +
             ")");
      }
      ++i;
      const std::size_t entry = is_list ? find_entry(*node, parts[i]) : 0;
      if (!is_list || entry == node->children.size()) {
        const std::string known = entries_of(node);
        fail("has no entry " + std::string(parts[i]) +
             (known.empty() ? " (the scenario has none)"
                            : " (its entries: " + known + ")"));
      }
      node = &node->children[entry];
      const std::string name = name_in(*node);
      target.parts.push_back(std::to_string(entry));
      target.path += "." + (name.empty() ? std::to_string(entry) : name);
      if (i + 1 == parts.size()) {
        fail("is an entry of a list (name one of its keys: " + keys_of(*table) + ")");
      }
    }
  }
  if (target.key->type == ValueType::table) {
    fail("is a table (name one of its keys: " + keys_of(*table) + ")");
  }
  if (target.parts.front() == "sweep") {
    fail("cannot be set (expected --sweep key=from:to:steps)");
  }
  return target;
}

void set_value(const SourceFile& file,
               SourceNode& root,
               const KeyTarget& target,
               SourceNode value) {
  const TableInfo* table = &scenario_table();
  SourceNode* node = &root;
  for (std::size_t i = 0; i + 1 < target.parts.size(); ++i) {
    const std::string& part = target.parts[i];
    const KeyInfo* key = find_key(*table, part);
    SourceNode* child = node->find(part);
    if (child == nullptr) {
      SourceNode made;
      made.kind = SourceNode::Kind::table;
      made.name = part;
      made.place = made.name_place = value.place;
      node->children.push_back(std::move(made));
      child = &node->children.back();
    }
    if (key->type == ValueType::table_list) {
      ++i;
      child = &child->children[find_entry(*child, target.parts[i])];
    }
    if (child->kind != SourceNode::Kind::table) {
      throw ScenarioError(file,
                          value.place,
                          target.path,
                          "cannot be set, as " + part +
                              " is written as a single value (set " + part +
                              " itself, or write it as a table)");
    }
    node = child;
    table = key->table;
  }
  const std::string& name = target.parts.back();
  for (const std::string_view other : split(target.key->instead_of, '|')) {
    erase_child(*node, other);
  }
  if (name == table->decides) {
    drop_what_no_longer_applies(*table, *node, value.text);
  }
  value.name = name;
  value.name_place = value.place;
  if (SourceNode* present = node->find(name)) {
    *present = std::move(value);
  } else {
    node->children.push_back(std::move(value));
  }
}

KeyTarget apply_set(const SourceFile& file,
                    SourceNode& root,
                    std::string_view option,
                    std::size_t index) {
  const Place place = Place::option(Place::Kind::set, index);
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos) {
    throw ScenarioError(file,
                        place,
                        std::string(option.substr(0, 100)),
                        "has no value (expected key=value)");
  }
  KeyTarget target = find_target(file, root, option.substr(0, equals), place);
  SourceNode value;
  value.kind = SourceNode::Kind::bare;
  value.place = place;
  value.text = option.substr(equals + 1);
  if (value.text.empty() && target.key->type != ValueType::text) {
    throw ScenarioError(file,
                        place,
                        target.path,
                        "has no value (expected " + expected_value(*target.key) + ")");
  }
  set_value(file, root, target, std::move(value));
  return target;
}

}  // namespace basin
