// Running cells from the command line: signals, progress, the output file.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/cli/arguments.h"
#include "experiments/runner.h"
#include "experiments/store.h"

namespace basin {

// Not zero once SIGINT, SIGTERM or SIGHUP came; from the first call on the process does
// not end by these.
const std::atomic<int>& stop_signal();

const char* name_of_signal(int number);  // "SIGINT"

// Scenario S of a command line. Throws UsageError unless there is exactly one word.
Scenario scenario_of(const Arguments& arguments, const char* verb);

// What the solver leaves out, as notes on standard error unless --quiet.
void note_what_is_left_out(const Scenario& scenario, const Arguments& arguments);

// Of searches: that intervals of the fluid limit are none of chance.
void note_certainty(const Scenario& scenario, const Arguments& arguments);

// How the command line wants cells to be run; a signal stops them.
RunnerOptions runner_options(const Arguments& arguments);

// What is asked for the output file, and nullptr without one. Throws ForeignOutput and
// OutputError before anything is run.
std::unique_ptr<SweepFile> open_output(const Scenario& scenario,
                                       const Arguments& arguments,
                                       TrajectoriesToKeep trajectories,
                                       const std::string& command_line);

// Says that a signal stopped the runs; the exit code. Ends the process where a run does
// not stop.
int stopped_by_signal(const RunnerReport& report);

// Runs the cells and commits `file`, if there is one. After a signal the file is dropped
// and the result is the exit code; it may end the process where a run does not stop.
// `in_memory` are the trajectories that `sink` needs.
int run_cells(const Scenario& scenario,
              const Arguments& arguments,
              TrajectoriesToKeep in_memory,
              std::unique_ptr<SweepFile> file,
              CellSink& sink);

// Stopped by a signal: exit code 128 + its number. `abandoned` as in RunnerReport.
class StoppedBySignal : public std::runtime_error {
 public:
  StoppedBySignal(int number, bool abandoned);
  int number() const { return number_; }
  bool abandoned() const { return abandoned_; }

 private:
  int number_;
  bool abandoned_;
};

// Runs scenarios that a search made, each one cell without axes, by run_candidates.
// Throws StoppedBySignal.
std::vector<CellResult> run_on_terminal(const std::vector<Scenario>& candidates,
                                        const RunnerOptions& options,
                                        Progress& progress);

// Passes cells on to a file first, where there is one.
class WritingSink final : public CellSink {
 public:
  WritingSink(SweepFile* file, CellSink& next) : file_{file}, next_{next} {}
  void accept(CellResult cell) override {
    if (file_ != nullptr) {
      file_->write_cell(cell.output);
    }
    next_.accept(std::move(cell));
  }

 private:
  SweepFile* file_;
  CellSink& next_;
};

}  // namespace basin
