#include <optional>

#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/report_json.h"
#include "experiments/run_summary.h"

namespace basin {

namespace {

class KeepOne final : public CellSink {
 public:
  void accept(CellResult cell) override { result = std::move(cell); }
  std::optional<CellResult> result;
};

}  // namespace

int run_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  Scenario scenario = scenario_of(arguments, "run");
  if (!scenario.axes.empty() && !arguments.quiet) {
    complain(fmt::format(
        "note: {} has {} that run leaves aside; basin sweep runs the grid",
        scenario.name,
        scenario.axes.size() == 1 ? "an axis"
                                  : fmt::format("{} axes", scenario.axes.size())));
  }
  scenario.axes.clear();

  const TrajectoriesToKeep written =
      arguments.trajectories_given ? arguments.trajectories : TrajectoriesToKeep::all;
  KeepOne sink;
  const int code =
      run_cells(scenario,
                arguments,
                TrajectoriesToKeep::all,
                open_output(scenario, arguments, written, invocation.command_line),
                sink);
  if (!sink.result || code > exit_some_failed) {
    return code;
  }
  const std::vector<Arm> arms = arms_of(scenario, arguments.explain);
  if (code == exit_some_failed) {
    complain(sink.result->output.message);
  }
  if (arguments.json) {
    print(run_json(scenario, arms, *sink.result));
  } else {
    print(run_summary(scenario,
                      arms,
                      *sink.result,
                      {.columns = terminal_columns(),
                       .colour = output_has_colour(),
                       .utf8 = output_is_utf8()}));
  }
  return code;
}

}  // namespace basin
