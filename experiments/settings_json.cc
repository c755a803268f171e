#include <nlohmann/json.hpp>

#include "experiments/settings.h"

namespace basin {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const Setting& setting) {
  if (setting.is_word) {
    return nullptr;
  }
  switch (setting.key->type) {
    case ValueType::duration:
    case ValueType::distribution:
    case ValueType::rate:
    case ValueType::number:
      return setting.number;
    case ValueType::whole:
      return setting.whole;
    case ValueType::flag:
      return setting.whole != 0;
    case ValueType::choice:
    case ValueType::text:
    case ValueType::name:
      return setting.text;
    case ValueType::rate_list:
      return setting.rows.front();
    case ValueType::rate_matrix:
      return setting.rows;
    case ValueType::value:
    case ValueType::value_list:
    case ValueType::expressions:
    case ValueType::table:
    case ValueType::table_list:
      break;
  }
  return nullptr;
}

void append(const Section& section, Json& result) {
  for (const Setting& setting : section.settings()) {
    const std::string name(setting.key->name);
    Json& entry = result[section.path().empty() ? name : section.path() + "." + name];
    entry["value"] = value_of(setting);
    entry["unit"] = unit_of(*setting.key);
    entry["written"] = setting.source == nullptr ? std::string(setting.written)
                                                 : written(*setting.source);
    entry["from"] = name_of(setting.origin);
    if (setting.place.kind == Place::Kind::file) {
      entry["line"] = setting.place.line;
    }
  }
  for (const Section& child : section.sections()) {
    if (child.key()->name != "sweep") {
      append(child, result);
    }
  }
}

}  // namespace

std::string settings_json(const Section& whole) {
  Json result = Json::object();
  append(whole, result);
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace basin
