#include "experiments/cli/session.h"

#include <csignal>
#include <cstdio>

#include <unistd.h>

#include "engine/time.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/existing_output.h"
#include "experiments/fluid_run.h"
#include "experiments/library.h"

namespace basin {

namespace {

std::atomic<int>& received() {
  static std::atomic<int> signal_number{0};
  return signal_number;
}
static_assert(std::atomic<int>::is_always_lock_free);

// The first one counts; a process that is told to stop does within a second or so.
extern "C" void basin_take_signal(int number) {
  int none = 0;
  received().compare_exchange_strong(none, number);
}

}  // namespace

const std::atomic<int>& stop_signal() {
  static const bool installed = [] {
    received().store(0);
    std::signal(SIGINT, basin_take_signal);
    std::signal(SIGTERM, basin_take_signal);
    std::signal(SIGHUP, basin_take_signal);
    std::signal(SIGXFSZ, SIG_IGN);  // a file's size limit is an error of the write
    return true;
  }();
  static_cast<void>(installed);
  return received();
}

Scenario scenario_of(const Arguments& arguments, const char* verb) {
  if (arguments.words.empty()) {
    throw UsageError(std::string{verb} +
                     " needs a scenario: a file, or a name that basin list shows");
  }
  if (arguments.words.size() > 1) {
    throw UsageError(std::string{verb} + " takes one scenario; '" + arguments.words[1] +
                     "' is one too many");
  }
  return load_scenario(arguments.words[0], arguments.overrides);
}

std::unique_ptr<SweepFile> open_output(const Scenario& scenario,
                                       const Arguments& arguments,
                                       TrajectoriesToKeep trajectories,
                                       const std::string& command_line) {
  if (arguments.output.empty()) {
    return nullptr;
  }
  expect_ours(arguments.output, scenario);
  stop_signal();  // from here on a signal removes the temporary file
  return std::make_unique<SweepFile>(
      arguments.output,
      layout_of(
          scenario, arms_of(scenario, arguments.explain), trajectories, command_line));
}

void note_what_is_left_out(const Scenario& scenario, const Arguments& arguments) {
  if (scenario.solver != Solver::fluid || arguments.quiet) {
    return;
  }
  for (const std::string& note : fluid_notes(scenario)) {
    complain("note: " + note);
  }
}

void note_certainty(const Scenario& scenario, const Arguments& arguments) {
  if (scenario.solver == Solver::fluid && !arguments.quiet) {
    complain(
        "note: there is no chance in the fluid limit: the intervals say how finely the "
        "search has looked, not how sure the system is");
  }
}

RunnerOptions runner_options(const Arguments& arguments) {
  RunnerOptions options;
  options.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        return simulate(config, key, limits);
      };
  options.at_cell = at_cell;
  options.threads = arguments.threads;
  options.memory_bytes = arguments.memory_bytes;
  options.explain = arguments.explain;
  options.stop = &stop_signal();
  return options;
}

const char* name_of_signal(int number) {
  return number == SIGINT ? "SIGINT" : number == SIGHUP ? "SIGHUP" : "SIGTERM";
}

StoppedBySignal::StoppedBySignal(int number, bool abandoned)
    : std::runtime_error{std::string{"stopped by "} + name_of_signal(number)},
      number_{number},
      abandoned_{abandoned} {}

std::vector<CellResult> run_on_terminal(const std::vector<Scenario>& candidates,
                                        const RunnerOptions& options,
                                        Progress& progress) {
  Candidates results = run_candidates(candidates, options, progress);
  if (results.report.stopped != StopCause::none) {
    throw StoppedBySignal(stop_signal().load(), results.report.abandoned);
  }
  return std::move(results.cells);
}

int stopped_by_signal(const RunnerReport& report) {
  const int number = stop_signal().load();
  complain(std::string{"stopped by "} + name_of_signal(number) + "; nothing was written");
  if (report.abandoned) {
    std::fflush(nullptr);
    _exit(128 + number);
  }
  return 128 + number;
}

int run_cells(const Scenario& scenario,
              const Arguments& arguments,
              TrajectoriesToKeep in_memory,
              std::unique_ptr<SweepFile> file,
              CellSink& sink) {
  note_what_is_left_out(scenario, arguments);
  RunnerOptions options = runner_options(arguments);
  options.trajectories = in_memory;

  WritingSink writing{file.get(), sink};
  const std::unique_ptr<Progress> progress = make_progress(arguments.progress, stderr);
  const RunnerReport report = run_sweep(scenario, options, writing, *progress);
  progress->clear();
  if (report.stopped != StopCause::none) {
    file.reset();
    return stopped_by_signal(report);
  }
  if (file) {
    file->commit();
  }
  return report.cells_failed > 0 ? exit_some_failed : exit_done;
}

}  // namespace basin
