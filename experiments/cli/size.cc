#include <string>

#include "experiments/cli/arguments.h"
#include "experiments/cli/search_options.h"
#include "experiments/cli/verbs.h"
#include "experiments/size_search.h"

namespace basin {

int size_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  if (!arguments.has("lever")) {
    throw UsageError(
        "size needs --lever KEY: what may be turned, such as --lever consumers.count");
  }
  const Scenario scenario = searched_scenario(arguments, "size");
  SizeOptions options{.lever = *arguments.text_of("lever")};
  options.from = arguments.text_of("from");
  options.to = arguments.text_of("to");
  options.probability = percent_option(arguments, "probability", options.probability);
  if (!(options.probability >= 0.01 && options.probability <= 0.99)) {
    throw UsageError("--probability takes from 0.01 to 0.99");
  }
  options.precision = percent_option(arguments, "precision", options.precision);
  if (!(options.precision >= 1e-3 && options.precision <= 0.5)) {
    throw UsageError("--precision takes from 0.1% to 50%");
  }
  options.most_runs = count_option(arguments, "max-runs", options.most_runs);
  if (arguments.has("largest") && arguments.has("smallest")) {
    throw UsageError("--largest or --smallest, not both");
  }
  if (arguments.has("largest")) {
    options.wanted = SizeOptions::Wanted::largest;
  } else if (arguments.has("smallest")) {
    options.wanted = SizeOptions::Wanted::smallest;
  }
  return run_search(
      arguments,
      [&] { return expected_size_runs(scenario, options); },
      [&](const RunScenarios& run) {
        const Size size = search_size(scenario, options, run);
        return SearchReport{.text = size_text(size),
                            .json = size_json(size),
                            .cautions = size_cautions(size)};
      });
}

}  // namespace basin
