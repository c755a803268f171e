#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/json_parts.h"
#include "experiments/phase_map.h"
#include "experiments/report_json.h"
#include "experiments/sensitivity_report.h"
#include "experiments/sweep_job.h"
#include "experiments/units.h"

namespace basin {

namespace {

constexpr std::int64_t most_tasks = 1'000'000;

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

std::string sensitivity_part(const Scenario& scenario,
                             const std::vector<CellSummary>& cells) {
  if (!scenario.objective || !has_points(scenario.axes)) {
    return {};
  }
  return "\n" + sensitivity_text(sensitivity_of(scenario, recovery_of(cells)));
}

std::string report_text(const Scenario& scenario,
                        const Arguments& arguments,
                        const std::vector<CellSummary>& cells,
                        const std::optional<RefinedMap>& refined) {
  std::string text =
      fmt::format("{}: {} cells, {} replications, seed {}, horizon {:g} s\n\n",
                  scenario.name,
                  cells.size(),
                  scenario.refinement ? fmt::format("{} to {}",
                                                    scenario.refinement->looks.front(),
                                                    scenario.refinement->looks.back())
                                      : std::to_string(scenario.replications),
                  scenario.seed,
                  to_seconds(scenario.system.horizon));
  text += scenario.objective
              ? map_text(scenario, cells)
              : "No phases, since the scenario has no objective (objective.latency or "
                "producer.timeout).\n";
  text += sensitivity_part(scenario, cells);
  if (refined) {
    text += fmt::format(
        "\n{} replications of {} cells of {}, {:.1f}% of a full grid's {}\n\n",
        refined->runs,
        std::count_if(refined->replications.begin(),
                      refined->replications.end(),
                      [](std::int64_t count) { return count > 0; }),
        cells.size(),
        100.0 * static_cast<double>(refined->runs) /
            static_cast<double>(refined->runs_of_full_grid),
        refined->runs_of_full_grid);
    text += boundary_text(scenario, *refined);
  }
  return text + fmt::format("\nResults are in {}\n", arguments.output);
}

// "3/8"
Task task_of(const std::string& text) {
  const std::size_t slash = text.find('/');
  try {
    if (slash == std::string::npos) {
      throw UnitError("");
    }
    const std::int64_t index = parse_whole(std::string_view{text}.substr(0, slash));
    const std::int64_t count = parse_whole(std::string_view{text}.substr(slash + 1));
    if (index < 1 || index > count || count > most_tasks) {
      throw UnitError("");
    }
    return {.index = static_cast<std::size_t>(index),
            .count = static_cast<std::size_t>(count)};
  } catch (const UnitError&) {
    throw UsageError("--shard takes I/N with I from 1 to N, such as 3/8, not '" + text +
                     "'");
  }
}

SweepJobOptions job_of(const Arguments& arguments, const Invocation& invocation) {
  SweepJobOptions job{.output = arguments.output, .runner = runner_options(arguments)};
  job.runner.trajectories = arguments.trajectories;
  job.command_line = invocation.command_line;
  job.retry_failed = arguments.has("retry-failed");
  if (arguments.has("fail-fast") && arguments.has("keep-going")) {
    throw UsageError("--fail-fast and --keep-going are two, take one");
  }
  job.runner.stop_at_failure = arguments.has("fail-fast");
  if (const std::optional<std::string> text = arguments.text_of("shard")) {
    job.task = task_of(*text);
  }
  if (const std::optional<std::string> text = arguments.text_of("time-limit")) {
    job.runner.deadline = std::chrono::steady_clock::now() + time_limit_of(*text);
  }
  return job;
}

// What became of a sweep that is not complete; the exit code.
int report_stop(const SweepJobReport& report, const SweepJobOptions& job) {
  const int number = stop_signal().load();
  const bool by_signal = report.runs.stopped == StopCause::signal;
  const std::size_t kept = report.reused + report.runs.runs;
  const std::string why = by_signal ? std::string{"stopped by "} + name_of_signal(number)
                          : report.runs.stopped == StopCause::deadline
                              ? "stopped at the time limit"
                              : "stopped since a run failed";
  complain(
      fmt::format("{}; {} of {} runs are kept in {}; the same command goes on from there",
                  why,
                  kept,
                  report.runs_in_all,
                  PartsFolder::path_for(job.output)));
  const int code = by_signal                                    ? 128 + number
                   : report.runs.stopped == StopCause::deadline ? exit_time_limit
                                                                : exit_some_failed;
  if (report.runs.abandoned) {
    std::fflush(nullptr);
    _exit(code);
  }
  return code;
}

void note_what_was_there(const SweepJobReport& report, const Arguments& arguments) {
  for (const std::string& path : report.damaged) {
    complain("warning: " + path + " is damaged; its runs were done again");
  }
  if (arguments.quiet) {
    return;
  }
  if (report.reused > 0) {
    complain(fmt::format(
        "note: {} of {} runs were there already", report.reused, report.runs_in_all));
  }
  if (report.without_trajectory > 0) {
    complain(fmt::format(
        "note: {} runs that were there were done again, since the file keeps but a "
        "summary of their trajectories (--trajectories none or all would keep them)",
        report.without_trajectory));
  }
  if (report.left_in_parts > 0) {
    complain(fmt::format("note: {} keeps {} runs that this sweep does not ask for",
                         PartsFolder::path_for(arguments.output),
                         report.left_in_parts));
  }
}

int report_task(const Scenario& scenario,
                const SweepJobReport& report,
                const SweepJobOptions& job,
                const Arguments& arguments) {
  if (arguments.json) {
    print(dumped({{"verb", "sweep"},
                  {"scenario", scenario.name},
                  {"shard", {job.task->index, job.task->count}},
                  {"runs", report.runs_in_all},
                  {"runs_reused", report.reused},
                  {"runs_failed", report.runs.runs_failed},
                  {"folder", PartsFolder::path_for(job.output)}}));
  } else if (!arguments.quiet) {
    print(fmt::format("{}: shard {}/{} is done, {} runs; basin merge {} joins them\n",
                      scenario.name,
                      job.task->index,
                      job.task->count,
                      report.runs_in_all,
                      job.output));
  }
  return report.runs.runs_failed > 0 ? exit_some_failed : exit_done;
}

}  // namespace

int sweep_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const Scenario scenario = as_swept(scenario_of(arguments, "sweep"));
  if (scenario.axes.empty()) {
    throw UsageError(
        "the scenario has no axes: give --sweep KEY=FROM:TO:STEPS or [sweep], "
        "or use basin run");
  }
  if (scenario.refinement && arguments.has("shard")) {
    throw UsageError(
        "a refined sweep decides step by step what to run, which tasks cannot: no "
        "--shard");
  }
  if (arguments.output.empty()) {
    throw UsageError("sweep needs a file for its results: -o F.h5");
  }
  const SweepJobOptions job = job_of(arguments, invocation);
  note_what_is_left_out(scenario, arguments);
  KeepSummaries sink{Grid{scenario.axes}.size()};
  const std::unique_ptr<Progress> progress = make_progress(arguments.progress, stderr);
  const SweepJobReport report = run_sweep_job(scenario, job, sink, *progress);
  progress->clear();
  note_what_was_there(report, arguments);
  if (report.runs.stopped != StopCause::none) {
    return report_stop(report, job);
  }
  if (!report.joined) {
    return report_task(scenario, report, job, arguments);
  }
  complain_of_failures(scenario, sink.summaries);
  if (arguments.json) {
    print(sweep_json(scenario,
                     arms_of(scenario, arguments.explain),
                     sink.summaries,
                     arguments.output,
                     report.refined ? &*report.refined : nullptr));
  } else if (!arguments.quiet) {
    print(report_text(scenario, arguments, sink.summaries, report.refined));
  }
  const bool any_failed = std::any_of(
      sink.summaries.begin(), sink.summaries.end(), [](const CellSummary& cell) {
        return cell.status == CellStatus::failed;
      });
  return any_failed ? exit_some_failed : exit_done;
}

}  // namespace basin
