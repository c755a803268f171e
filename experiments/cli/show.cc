#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/arguments.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/library.h"
#include "experiments/presets.h"
#include "experiments/schema.h"

namespace basin {

namespace {

using Json = nlohmann::ordered_json;

const Preset& preset_named(const std::string& name) {
  if (const Preset* preset = find_preset(name)) {
    return *preset;
  }
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
  }
  const std::string_view near = nearest(name, names);
  std::string known;
  for (const std::string_view one : names) {
    known += (known.empty() ? "" : ", ") + std::string{one};
  }
  throw UsageError("there is no preset '" + name + "'" +
                   (near.empty() ? "; there are " + known
                                 : "; did you mean '" + std::string{near} + "'?"));
}

std::string limits_of(const PresetValue& value) {
  if (value.lowest.empty() && value.highest.empty()) {
    return "";
  }
  return fmt::format(" [{} to {}]", value.lowest, value.highest);
}

void show_preset(const Preset& preset, bool as_json) {
  if (as_json) {
    Json json = {
        {"preset", preset.name}, {"doc", preset.doc}, {"values", Json::object()}};
    for (const PresetValue& value : preset.values) {
      json["values"][std::string{value.key}] = {{"value", value.value},
                                                {"lowest", value.lowest},
                                                {"highest", value.highest},
                                                {"reason", value.reason}};
    }
    print(json.dump(2) + "\n");
    return;
  }
  std::string text = fmt::format("{}: {}\n\n", preset.name, preset.doc);
  for (const PresetValue& value : preset.values) {
    text += fmt::format("queue.{} = {}{}\n    {}\n",
                        value.key,
                        value.value,
                        limits_of(value),
                        value.reason);
  }
  print(text);
}

const LibraryScenario& scenario_named(const std::string& name) {
  if (const LibraryScenario* scenario = find_library_scenario(name)) {
    return *scenario;
  }
  std::vector<std::string_view> names;
  for (const LibraryScenario& scenario : library_scenarios()) {
    names.push_back(scenario.name);
  }
  const std::string_view near = nearest(name, names);
  throw UsageError("there is no scenario '" + name + "' in the library" +
                   (near.empty() ? "; basin list shows them"
                                 : "; did you mean '" + std::string{near} + "'?"));
}

}  // namespace

int show_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const std::optional<std::string> preset = arguments.text_of("preset");
  if (preset && arguments.words.empty()) {
    show_preset(preset_named(*preset), arguments.json);
    return exit_done;
  }
  if (preset || arguments.words.size() != 1) {
    throw UsageError("show takes the name of a library scenario, or --preset NAME");
  }
  const LibraryScenario& scenario = scenario_named(arguments.words[0]);
  if (arguments.json) {
    const Json json = {{"name", scenario.name},
                       {"description", description_of(scenario.text)},
                       {"text", scenario.text}};
    print(json.dump(2) + "\n");
  } else {
    print(scenario.text);
  }
  return exit_done;
}

}  // namespace basin
