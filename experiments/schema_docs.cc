// The table of keys as JSON Schema and as a manual.
#include <nlohmann/json.hpp>

#include "experiments/presets.h"
#include "experiments/schema.h"

namespace basin {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* number_pattern = "[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?";

Json table_schema(const TableInfo& table);

std::string conditions(const KeyInfo& key, const TableInfo& table) {
  return key.only_for.empty() ? ""
                              : "Only with " + std::string(table.decides) + " " +
                                    either_of(key.only_for) + ". ";
}

Json text_pattern(const std::string& pattern) {
  return {{"type", "string"}, {"pattern", pattern}};
}

Json duration_schema() {
  return text_pattern("^" + std::string(number_pattern) + " ?(ns|us|ms|s|min|h|d)$");
}

Json rate_schema() {
  return text_pattern("^" + std::string(number_pattern) + " ?[kMG]?/(us|ms|s|min|h|d)$");
}

Json number_schema(const KeyInfo& key, const char* type) {
  Json schema{{"type", type}};
  if (key.low > -std::numeric_limits<double>::infinity()) {
    schema[key.low_is_allowed ? "minimum" : "exclusiveMinimum"] = key.low;
  }
  if (key.high < std::numeric_limits<double>::infinity()) {
    schema["maximum"] = key.high;
  }
  return schema;
}

Json list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

Json scalar_schema() {
  return {{"type", {"string", "number", "boolean"}}};
}

Json value_schema(const KeyInfo& key) {
  switch (key.type) {
    case ValueType::duration:
      return duration_schema();
    case ValueType::rate:
      return rate_schema();
    case ValueType::number:
      return number_schema(key, "number");
    case ValueType::whole:
      return number_schema(key, "integer");
    case ValueType::choice:
      return {{"enum", split(key.choices, '|')}};
    case ValueType::text:
      return {{"type", "string"}};
    case ValueType::name:
      return text_pattern("^[0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*$");
    case ValueType::flag:
      return {{"type", "boolean"}};
    case ValueType::rate_list:
      return list_of(rate_schema());
    case ValueType::rate_matrix:
      return list_of(list_of(rate_schema()));
    case ValueType::value:
      return scalar_schema();
    case ValueType::value_list:
      return list_of(scalar_schema());
    case ValueType::expressions:
      // The keys' dots may be those of TOML, which makes tables of tables.
      return {{"type", "object"},
              {"additionalProperties", {{"type", {"string", "object"}}}}};
    case ValueType::distribution:
      return {{"anyOf", {duration_schema(), {{"$ref", "#/$defs/distribution"}}}}};
    case ValueType::table:
      return table_schema(*key.table);
    case ValueType::table_list:
      return list_of(table_schema(*key.table));
  }
  return {};
}

Json with_word(Json schema, const KeyInfo& key) {
  if (key.word.empty()) {
    return schema;
  }
  return {{"anyOf", {std::move(schema), {{"const", key.word}}}}};
}

// A key may stand in the table several times, once for each kind it has a meaning of its
// own for.
Json key_schema(const TableInfo& table, const KeyInfo& first) {
  std::vector<Json> variants;
  std::string doc;
  for (const KeyInfo& key : table.keys) {
    if (key.name == first.name) {
      variants.push_back(with_word(value_schema(key), key));
      doc += (doc.empty() ? "" : " ") + conditions(key, table) + std::string(key.doc);
    }
  }
  Json schema = variants.size() == 1 ? variants.front() : Json{{"anyOf", variants}};
  schema["description"] = doc;
  if (!first.fallback.empty()) {
    schema["$comment"] = "default: " + std::string(first.fallback);
  }
  return schema;
}

Json table_schema(const TableInfo& table) {
  Json schema{{"type", "object"}, {"additionalProperties", false}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const KeyInfo& key : table.keys) {
    const std::string name(key.name);
    if (!properties.contains(name)) {
      properties[name] = key_schema(table, key);
      if (key.required && key.only_for.empty()) {
        required.push_back(name);
      }
    }
  }
  schema["properties"] = std::move(properties);
  if (!required.empty()) {
    schema["required"] = std::move(required);
  }
  return schema;
}

const TableInfo& distribution_keys() {
  for (const KeyPath& entry : all_keys()) {
    if (entry.key->type == ValueType::distribution) {
      return *entry.key->table;
    }
  }
  return scenario_table();
}

std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' ? "\\|" : std::string(1, c);
  }
  return result;
}

std::string type_text(const KeyInfo& key) {
  std::string result = expected_value(key);
  const std::string range = range_text(key);
  return range.empty() || key.type == ValueType::table_list ? result
                                                            : result + "; " + range;
}

void append_table(const TableInfo& table, const std::string& path, std::string& manual) {
  manual += "\n## " + std::string(table.title);
  manual += path.empty() ? "" : " (`" + path + "`)";
  manual += "\n\n" + std::string(table.doc) + "\n\n";
  manual += "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const KeyInfo& key : table.keys) {
    std::string fallback = key.required ? "(must be given)" : std::string(key.fallback);
    if (fallback.empty() && table.has_presets) {
      fallback = "by broker";
    }
    manual += "| `" + std::string(key.name) + "` | " + cell(type_text(key)) + " | " +
              fallback + " | " + cell(conditions(key, table)) + cell(key.doc) + " |\n";
  }
}

void append_tables(const TableInfo& table, const std::string& path, std::string& manual) {
  append_table(table, path, manual);
  for (const KeyInfo& key : table.keys) {
    if (key.type == ValueType::table || key.type == ValueType::table_list) {
      const std::string name =
          path.empty() ? std::string(key.name) : path + "." + std::string(key.name);
      append_tables(*key.table,
                    key.type == ValueType::table_list ? "[[" + name + "]]" : name,
                    manual);
    }
  }
}

void append_presets(std::string& manual) {
  manual += "\n## Presets of brokers (`queue.broker`)\n";
  for (const Preset& preset : presets()) {
    manual += "\n### " + std::string(preset.name) + "\n\n" + std::string(preset.doc) +
              "\n\n| key | value | limits | why |\n|---|---|---|---|\n";
    for (const PresetValue& row : preset.values) {
      std::string limits;
      if (!row.highest.empty()) {
        limits = row.lowest.empty() ? "at most " : std::string(row.lowest) + " to ";
        limits += row.highest;
      }
      manual += "| `" + std::string(row.key) + "` | " + std::string(row.value) + " | " +
                limits + " | " + cell(row.reason) + " |\n";
    }
  }
}

}  // namespace

std::string json_schema() {
  Json schema = table_schema(scenario_table());
  Json result{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "Basin scenario"}};
  result.update(schema);
  result["$defs"] = {{"distribution", table_schema(distribution_keys())}};
  return result.dump(2);
}

std::string reference_manual() {
  std::string manual =
      "# The keys of a scenario file\n\n"
      "TOML. Values with a dimension carry their unit in a string: durations ns, us, ms, "
      "s, "
      "min, h, d (\"30s\"), rates a number, perhaps k, M or G, and a time (\"10k/s\", "
      "\"90/min\").\n\n"
      "`--set key=value` and `--sweep key=from:to:steps` (or `key=value,value`) reach "
      "every "
      "key by its path, such as `arrivals.rate` or `consumers.service.mean`; entries of "
      "lists go by their name or their place from 0: `incident.outage.duration`, "
      "`consumers.group.0.count`. Values are written without quotes. Setting a key takes "
      "away those that say the same in another way (`rate` for `mean`), and with a kind, "
      "process or distribution those that belong to the former one.\n";
  append_tables(scenario_table(), "", manual);
  append_table(distribution_keys(), "", manual);
  append_presets(manual);
  return manual;
}

}  // namespace basin
