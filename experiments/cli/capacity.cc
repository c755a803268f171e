#include <optional>
#include <string>

#include "experiments/capacity_search.h"
#include "experiments/cli/arguments.h"
#include "experiments/cli/search_options.h"
#include "experiments/cli/verbs.h"
#include "experiments/units.h"

namespace basin {

int capacity_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const Scenario scenario = searched_scenario(arguments, "capacity");
  CapacityOptions options;
  options.load = arguments.text_of("load");
  options.from = arguments.text_of("from");
  options.to = arguments.text_of("to");
  options.over = arguments.text_of("over");
  options.precision = percent_option(arguments, "precision", options.precision);
  if (!(options.precision >= 1e-4 && options.precision <= 0.5)) {
    throw UsageError("--precision takes from 0.01% to 50%");
  }
  options.most_runs = count_option(arguments, "max-runs", options.most_runs);
  if (const std::optional<std::string> delay = arguments.text_of("saturated-delay")) {
    try {
      options.saturated_delay = parse_duration(*delay).span;
    } catch (const UnitError& error) {
      throw UsageError("--saturated-delay: '" + *delay + "' " + error.what());
    }
  }
  return run_search(
      arguments,
      [&] { return expected_capacity_runs(scenario, options); },
      [&](const RunScenarios& run) {
        const Capacity capacity = search_capacity(scenario, options, run);
        return SearchReport{.text = capacity_text(capacity),
                            .json = capacity_json(capacity),
                            .cautions = capacity_cautions(capacity)};
      });
}

}  // namespace basin
