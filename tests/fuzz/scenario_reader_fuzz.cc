// Any bytes are a scenario or a ScenarioError, never anything else. Lines that begin with
// "#--set " and "#--sweep ", which are comments to TOML, are taken as options too.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "experiments/scenario_reader.h"

namespace {

basin::Overrides options_in(std::string_view text) {
  constexpr std::size_t most_options = 8;
  basin::Overrides result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    for (auto [mark, list] : {std::pair{std::string_view("#--set "), &result.set},
                              std::pair{std::string_view("#--sweep "), &result.sweep}}) {
      if (line.starts_with(mark) && list->size() < most_options) {
        list->emplace_back(line.substr(mark.size()));
      }
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const basin::Scenario scenario = basin::read_scenario_text(
        text, "fuzz.toml", options_in(text), {.folder = "", .read_data_files = false});
    if (!scenario.axes.empty()) {
      std::vector<std::size_t> last;
      for (const basin::Axis& axis : scenario.axes) {
        last.push_back(axis.values.size() - 1);
      }
      basin::at_cell(scenario, last);
    }
  } catch (const basin::ScenarioError&) {
  }
  return 0;
}
