// Runs a sweep, spread over threads: either run by run, or cell by cell with their
// verdicts.
//
// What is delivered is a pure function of the scenario and the seed; the order of
// delivery depends on the threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/random.h"
#include "experiments/cell_result.h"
#include "experiments/grid.h"
#include "experiments/progress.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"
#include "models/system.h"

namespace basin {

// One run of a grid. The control of cells that share one is that of the first of them.
struct RunId {
  std::size_t cell = 0;
  Arm arm = Arm::control;
  std::size_t replication = 0;
  bool operator==(const RunId&) const = default;
};

// Takes runs, one at a time, from whichever thread finished one.
class RunSink {
 public:
  RunSink() = default;
  RunSink(const RunSink&) = delete;
  RunSink& operator=(const RunSink&) = delete;
  RunSink(RunSink&&) = delete;
  RunSink& operator=(RunSink&&) = delete;
  virtual ~RunSink() = default;
  // An exception ends the runs and comes out of perform.
  virtual void accept(const RunId& run, ArmRecord record) = 0;
};

// Takes the cells, one at a time, from whichever thread finished one.
class CellSink {
 public:
  CellSink() = default;
  CellSink(const CellSink&) = delete;
  CellSink& operator=(const CellSink&) = delete;
  CellSink(CellSink&&) = delete;
  CellSink& operator=(CellSink&&) = delete;
  virtual ~CellSink() = default;
  // An exception ends the sweep and comes out of run_sweep.
  virtual void accept(CellResult cell) = 0;
};

// Whether a run is to be done; called from one thread at a time.
using RunFilter = std::function<bool(const RunId&)>;

using Simulate =
    std::function<RunResult(const SystemConfig&, const RandomKey&, const RunLimits&)>;
// As at_cell in scenario.h.
using ScenarioAtCell =
    std::function<Scenario(const Scenario&, const std::vector<std::size_t>&)>;

struct RunnerOptions {
  Simulate simulate;
  ScenarioAtCell at_cell;  // not called for a scenario without axes
  unsigned threads = 1;    // >= 1
  std::int64_t memory_bytes = std::int64_t{4} << 30;  // shared by the threads
  bool explain = false;                               // a third arm, unamplified
  // Replications are first_replication, first_replication + 1, …, as many as the scenario
  // says: later ones of the same experiment.
  std::size_t first_replication = 0;
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::summary;
  // Asks to stop when not zero; may be set from a signal handler. May be null.
  const std::atomic<int>* stop = nullptr;
  // When to stop of itself.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  bool stop_at_failure = false;  // no further run is begun after one that failed
};

// Why runs ended before they were all done.
enum class StopCause : std::uint8_t { none, signal, deadline, failure };

struct RunnerReport {
  std::size_t cells_done = 0;    // of run_sweep
  std::size_t cells_failed = 0;  // of run_sweep
  std::size_t runs = 0;
  std::size_t runs_failed = 0;
  StopCause stopped = StopCause::none;
  // Stopped while runs were in flight that did not end in time: their threads go on
  // without touching the sink. The process should end by _exit.
  bool abandoned = false;
};

// The arms that are run: without incidents and interventions the control alone.
std::vector<Arm> arms_of(const Scenario& scenario, bool explain);

// Whether cells that differ only in axes that do not touch the control may share its
// runs. Not where each cell has random numbers of its own: arms of a cell share theirs.
bool shares_controls(const Scenario& scenario);

// Cells that share a control, in the order in which they are run; without those that the
// scenario excludes.
std::vector<std::vector<std::size_t>> control_groups(const Scenario& scenario);

// Runs of the whole sweep: replications * (controls + cells * other arms).
std::size_t count_runs(const Scenario& scenario, bool explain);

// All of them, in the order in which they are run.
void for_each_run(const Scenario& scenario,
                  bool explain,
                  const std::function<void(const RunId&)>& take);

// The random key of one replication of one cell, the same for all its arms.
RandomKey key_of(const Scenario& scenario,
                 const std::vector<std::size_t>& indices,
                 std::size_t replication);

// Does the runs that `wanted` takes (an empty one: all) and returns when they are
// delivered, or soon (within about a second) after it has to stop. `progress` is told
// from the calling thread only.
RunnerReport perform(const Scenario& scenario,
                     const RunnerOptions& options,
                     const RunFilter& wanted,
                     RunSink& sink,
                     Progress& progress);

// All runs, by cell.
RunnerReport run_sweep(const Scenario& scenario,
                       const RunnerOptions& options,
                       CellSink& sink,
                       Progress& progress);

// Scenarios run side by side, each as one cell without axes.
struct Candidates {
  std::vector<CellResult> cells;  // in step with the scenarios; incomplete after a stop
  RunnerReport report;
};
// The scenarios agree in replications, seed, common_random_numbers and in whether they
// are disturbed; each runs its own control. They share random numbers.
Candidates run_candidates(const std::vector<Scenario>& scenarios,
                          RunnerOptions options,
                          Progress& progress);

}  // namespace basin
