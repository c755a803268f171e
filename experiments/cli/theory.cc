#include "experiments/theory.h"

#include <optional>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/theory_report.h"

namespace basin {

int theory_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  Scenario scenario = scenario_of(arguments, "theory");
  if (!scenario.axes.empty() && !arguments.quiet) {
    complain("note: theory speaks of the scenario's own values, not of its axes");
  }
  scenario.axes.clear();
  const std::vector<TheoryForm> forms = theory_of(scenario);

  std::optional<CellResult> result;
  if (arguments.has("simulate")) {
    const std::unique_ptr<Progress> progress = make_progress(arguments.progress, stderr);
    result = std::move(
        run_on_terminal({scenario}, runner_options(arguments), *progress).front());
    progress->clear();
  }
  const bool failed = result && result->output.status == CellStatus::failed;
  if (failed) {
    complain(result->output.message);
  }
  const std::vector<Arm> arms = arms_of(scenario, false);
  const CellResult* const simulated = result ? &*result : nullptr;
  print(arguments.json ? theory_json(scenario, forms, arms, simulated)
                       : theory_text(scenario,
                                     forms,
                                     arms,
                                     simulated,
                                     {.columns = terminal_columns(),
                                      .colour = output_has_colour(),
                                      .utf8 = output_is_utf8()}));
  return failed ? exit_some_failed : exit_done;
}

}  // namespace basin
