// Runs every cell of a sweep: its arms and replications, spread over threads.
//
// What is delivered for a cell is a pure function of the scenario and the seed; the order
// in which cells are delivered depends on the threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/random.h"
#include "experiments/cell_result.h"
#include "experiments/grid.h"
#include "experiments/progress.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"
#include "models/system.h"

namespace basin {

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
};

struct RunnerReport {
  std::size_t cells_done = 0;
  std::size_t cells_failed = 0;
  std::size_t runs = 0;
  bool stopped = false;
  // Stopped while runs were in flight that did not end in time: their threads go on
  // without touching the sink. The process should end by _exit.
  bool abandoned = false;
};

// The arms that are run: without incidents and interventions the control alone.
std::vector<Arm> arms_of(const Scenario& scenario, bool explain);

// Whether cells that differ only in axes that do not touch the control may share its
// runs. Not where each cell has random numbers of its own: arms of a cell share theirs.
bool shares_controls(const Scenario& scenario);

// Cells that share a control, in the order in which they are run.
std::vector<std::vector<std::size_t>> control_groups(const Scenario& scenario);

// Runs of the whole sweep: replications * (controls + cells * other arms).
std::size_t count_runs(const Scenario& scenario, bool explain);

// The random key of one replication of one cell, the same for all its arms.
RandomKey key_of(const Scenario& scenario,
                 const std::vector<std::size_t>& indices,
                 std::size_t replication);

// Returns when every cell is delivered, or soon (within about a second) after a stop was
// asked for. `progress` is told from the calling thread only.
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
