#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/arguments.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/library.h"

namespace basin {

int list_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  if (!arguments.words.empty()) {
    throw UsageError("list takes no words");
  }
  const std::vector<LibraryScenario>& all = library_scenarios();
  if (arguments.json) {
    nlohmann::ordered_json json = {{"scenarios", nlohmann::ordered_json::array()}};
    for (const LibraryScenario& scenario : all) {
      json["scenarios"].push_back(
          {{"name", scenario.name}, {"description", description_of(scenario.text)}});
    }
    print(json.dump(2) + "\n");
    return exit_done;
  }
  std::size_t longest = 0;
  for (const LibraryScenario& scenario : all) {
    longest = std::max(longest, scenario.name.size());
  }
  std::string text;
  for (const LibraryScenario& scenario : all) {
    text += fmt::format(
        "{:<{}}  {}\n", scenario.name, longest, description_of(scenario.text));
  }
  print(text);
  return exit_done;
}

}  // namespace basin
