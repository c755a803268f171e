#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/phase_map.h"
#include "experiments/report_json.h"

namespace basin {

namespace {

class KeepSummaries final : public CellSink {
 public:
  explicit KeepSummaries(std::size_t cells) : summaries(cells) {}
  void accept(CellResult cell) override { summaries[cell.cell] = summary_of(cell); }
  std::vector<CellSummary> summaries;
};

// The first failures, one a line.
void complain_of_failures(const Scenario& scenario,
                          const std::vector<CellSummary>& cells) {
  constexpr std::size_t most = 5;
  const Grid grid{scenario.axes};
  std::size_t failures = 0;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell].status == CellStatus::failed && ++failures <= most) {
      complain(fmt::format("{} failed: {}",
                           scenario.axes.empty()
                               ? scenario.name
                               : describe_cell(scenario.axes, grid.indices_of(cell)),
                           cells[cell].message));
    }
  }
  if (failures > most) {
    complain(fmt::format("{} more cells failed; the output file has their messages",
                         failures - most));
  }
}

std::string map_text(const Scenario& scenario, const std::vector<CellSummary>& cells) {
  std::vector<MapCell> map;
  map.reserve(cells.size());
  for (const CellSummary& cell : cells) {
    map.push_back({.status = cell.status,
                   .phase = cell.verdict.phase,
                   .decided = cell.verdict.decided});
  }
  return render_phase_map(
      scenario.axes, map, {.columns = terminal_columns(), .colour = output_has_colour()});
}

std::string report_text(const Scenario& scenario,
                        const Arguments& arguments,
                        const std::vector<CellSummary>& cells) {
  std::string text =
      fmt::format("{}: {} cells, {} replications, seed {}, horizon {:g} s\n\n",
                  scenario.name,
                  cells.size(),
                  scenario.replications,
                  scenario.seed,
                  to_seconds(scenario.system.horizon));
  text += scenario.objective
              ? map_text(scenario, cells)
              : "No phases, since the scenario has no objective (objective.latency or "
                "producer.timeout).\n";
  return text + fmt::format("\nResults are in {}\n", arguments.output);
}

}  // namespace

int sweep_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const Scenario scenario = scenario_of(arguments, "sweep");
  if (scenario.axes.empty()) {
    throw UsageError(
        "the scenario has no axes: give --sweep KEY=FROM:TO:STEPS or [sweep], "
        "or use basin run");
  }
  if (arguments.output.empty()) {
    throw UsageError("sweep needs a file for its results: -o F.h5");
  }
  KeepSummaries sink{Grid{scenario.axes}.size()};
  const int code = run_cells(
      scenario,
      arguments,
      arguments.trajectories,
      open_output(scenario, arguments, arguments.trajectories, invocation.command_line),
      sink);
  if (code > exit_some_failed) {
    return code;
  }
  complain_of_failures(scenario, sink.summaries);
  if (arguments.json) {
    print(sweep_json(scenario,
                     arms_of(scenario, arguments.explain),
                     sink.summaries,
                     arguments.output));
  } else if (!arguments.quiet) {
    print(report_text(scenario, arguments, sink.summaries));
  }
  return code;
}

}  // namespace basin
