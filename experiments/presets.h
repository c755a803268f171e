// What the name of a broker stands for: values of [queue] where the file says nothing,
// each with the reason for it, and the broker's own limits for what the file does say.
#pragma once

#include <span>
#include <string_view>

namespace basin {

struct PresetValue {
  std::string_view key;     // of [queue]
  std::string_view value;   // as written without quotes
  std::string_view lowest;  // the broker's limits, as written; empty: none
  std::string_view highest;
  std::string_view reason;
};

struct Preset {
  std::string_view name;
  std::string_view doc;
  std::span<const PresetValue> values;
};

std::span<const Preset> presets();
const Preset* find_preset(std::string_view name);  // nullptr if there is none

}  // namespace basin
