#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/existing_output.h"
#include "experiments/library.h"
#include "experiments/precision.h"
#include "experiments/report_json.h"
#include "experiments/run_summary.h"
#include "experiments/units.h"

namespace basin {

namespace {

constexpr std::string_view replications_key = "simulation.replications";

class KeepOne final : public CellSink {
 public:
  void accept(CellResult cell) override { result = std::move(cell); }
  std::optional<CellResult> result;
};

double relative_precision(const std::string& text) {
  try {
    const double relative = parse_percentage(text);
    if (relative > 0 && relative < 1) {
      return relative;
    }
  } catch (const UnitError& error) {
    throw UsageError(fmt::format("--precision: {}", error.what()));
  }
  throw UsageError("--precision takes a percentage above 0% and below 100%, not '" +
                   text + "'");
}

int most_replications(const std::string& text) {
  int most = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), most);
  if (error != std::errc{} || end != text.data() + text.size() || most < 2 ||
      most > 1'000'000) {
    throw UsageError("--max-replications takes a whole number from 2 to 1000000, not '" +
                     text + "'");
  }
  return most;
}

// Absent without --precision.
std::optional<PrecisionGoal> goal_of(const Arguments& arguments) {
  const std::optional<std::string> relative = arguments.text_of("precision");
  const std::optional<std::string> targets = arguments.text_of("precision-of");
  const std::optional<std::string> most = arguments.text_of("max-replications");
  if (!relative) {
    if (targets || most) {
      throw UsageError(fmt::format("--{} needs --precision, such as --precision 2%",
                                   targets ? "precision-of" : "max-replications"));
    }
    return std::nullopt;
  }
  for (const std::string& set : arguments.overrides.set) {
    if (set.starts_with(std::string{replications_key} + "=")) {
      throw UsageError(
          "--precision chooses the number of replications; --replications with it is one "
          "too many (--max-replications bounds it)");
    }
  }
  PrecisionGoal goal;
  goal.relative = relative_precision(*relative);
  try {
    goal.targets = parse_targets(targets.value_or(std::string{default_targets}));
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--precision-of: {}", error.what()));
  }
  if (most) {
    goal.most_replications = most_replications(*most);
  }
  return goal;
}

void report(const Scenario& scenario,
            const Arguments& arguments,
            const CellResult& result,
            const std::optional<PrecisionReport>& precision) {
  const std::vector<Arm> arms = arms_of(scenario, arguments.explain);
  RunStatistics statistics = run_statistics(scenario, result);
  statistics.precision = precision;
  if (!statistics.warmup->enough.value_or(true) && !arguments.quiet) {
    complain(fmt::format(
        "warning: the warm-up of {} is too short: the control arm settles after {} "
        "(MSER-5), and its mean work is off by {:+.1f}%",
        readable_span(statistics.warmup->declared),
        readable_span(*statistics.warmup->mser5),
        100 * statistics.warmup->bias));
  }
  if (result.output.status == CellStatus::failed) {
    complain(result.output.message);
  }
  if (arguments.json) {
    print(run_json(scenario, arms, result, statistics));
  } else {
    print(run_summary(scenario,
                      arms,
                      result,
                      {.columns = terminal_columns(),
                       .colour = output_has_colour(),
                       .utf8 = output_is_utf8()},
                      statistics));
  }
}

// The scenario as it would be read with so many replications.
Scenario with_replications(const Arguments& arguments, int replications) {
  Overrides overrides = arguments.overrides;
  overrides.set.push_back(fmt::format("{}={}", replications_key, replications));
  Scenario scenario = load_scenario(arguments.words.front(), overrides);
  scenario.axes.clear();
  scenario.excluded.clear();
  scenario.refinement.reset();
  return scenario;
}

// By the output file at `path`; 2 if there is none, or it says nothing of it.
int replications_held(const std::string& path) {
  int replications = 2;
  if (const std::optional<ExistingOutput> existing = read_existing_output(path)) {
    const std::string line = fmt::format("{} = ", replications_key);
    const std::string& values = existing->scenario_values;
    const std::size_t at = values.find(line);
    if (at != std::string::npos) {
      std::from_chars(
          values.data() + at + line.size(), values.data() + values.size(), replications);
    }
  }
  return std::clamp(replications, 1, 1'000'000);
}

int run_precisely(const Scenario& scenario,
                  const PrecisionGoal& goal,
                  const Arguments& arguments,
                  TrajectoriesToKeep written,
                  const std::string& command_line) {
  if (scenario.solver == Solver::fluid) {
    throw UsageError(
        "--precision is of simulated means; the fluid limit has no chance in it");
  }
  try {
    expect_arms_of(goal, arms_of(scenario, arguments.explain));
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--precision-of: {}", error.what()));
  }
  if (!arguments.output.empty()) {
    // What can be wrong with the file is found before the work: as for the number of
    // replications that it holds, if it is there.
    const Scenario as_held =
        with_replications(arguments, replications_held(arguments.output));
    open_output(as_held, arguments, written, command_line);
  }
  RunnerOptions options = runner_options(arguments);
  options.trajectories = TrajectoriesToKeep::all;
  const std::unique_ptr<Progress> progress = make_progress(arguments.progress, stderr);
  const PreciseRun run = run_to_precision(scenario, goal, options, *progress);
  progress->clear();
  if (run.report.stopped != StopCause::none) {
    return stopped_by_signal(run.report);
  }
  for (const PrecisionReport::Target& target : run.precision.targets) {
    if (!target.reached && !arguments.quiet) {
      complain(fmt::format("note: {} of the {} arm is not precise to {:g}%: {}",
                           target.metric,
                           target.arm,
                           100 * goal.relative,
                           target.why_not));
    }
  }
  const Scenario as_run = with_replications(arguments, run.replications);
  report(as_run, arguments, run.cell, run.precision);
  if (const std::unique_ptr<SweepFile> file =
          open_output(as_run, arguments, written, command_line)) {
    file->write_cell(run.cell.output);
    file->commit();
  }
  return run.cell.output.status == CellStatus::failed ? exit_some_failed : exit_done;
}

}  // namespace

int run_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const std::optional<PrecisionGoal> goal = goal_of(arguments);
  Scenario scenario = scenario_of(arguments, "run");
  if (!scenario.axes.empty() && !arguments.quiet) {
    complain(fmt::format(
        "note: {} has {} that run leaves aside; basin sweep runs the grid",
        scenario.name,
        scenario.axes.size() == 1 ? "an axis"
                                  : fmt::format("{} axes", scenario.axes.size())));
  }
  scenario.axes.clear();
  scenario.excluded.clear();
  scenario.refinement.reset();

  const TrajectoriesToKeep written =
      arguments.trajectories_given ? arguments.trajectories : TrajectoriesToKeep::all;
  if (goal) {
    return run_precisely(scenario, *goal, arguments, written, invocation.command_line);
  }
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
  report(scenario, arguments, *sink.result, std::nullopt);
  return code;
}

}  // namespace basin
