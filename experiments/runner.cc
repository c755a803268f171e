#include "experiments/runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "engine/contract.h"
#include "experiments/fluid_run.h"

namespace basin {

namespace {

// How long a stop waits for the runs in flight.
constexpr std::chrono::milliseconds patience{1000};

// The scenario of a cell, made by the first thread that needs it.
struct CellScenario {
  std::vector<std::size_t> indices;
  std::once_flag made;
  std::optional<Scenario> scenario;
  std::string error;
};

// All replications of one arm, for one cell or, as a control, for several.
struct ArmJob {
  Arm arm = Arm::control;
  std::shared_ptr<CellScenario> of;
  ArmRuns runs;
  std::size_t unfinished = 0;  // replications
};

struct CellJob {
  std::size_t cell = 0;
  std::shared_ptr<CellScenario> of;
  std::vector<std::shared_ptr<ArmJob>> arms;

  bool is_ready() const {
    return std::all_of(
        arms.begin(), arms.end(), [](const auto& arm) { return arm->unfinished == 0; });
  }
};

// One piece of work.
struct Item {
  std::shared_ptr<ArmJob> arm;
  std::size_t replication = 0;
};

// What the threads of a sweep share. Threads hold it by shared_ptr, so that those which
// are abandoned by a stop still have it.
class Sweep {
 public:
  Sweep(const Scenario& scenario, const RunnerOptions& options, CellSink& sink)
      : scenario_{scenario},
        options_{options},
        arms_{arms_of(scenario, options.explain)},
        groups_{control_groups(scenario)},
        grid_{scenario.axes},
        replications_{static_cast<std::size_t>(scenario.replications)},
        most_open_{std::max<std::size_t>(8, 2 * std::size_t{options.threads})},
        sink_{&sink} {
    limits_.memory_bytes =
        std::max<std::int64_t>(options.memory_bytes / options.threads, 1);
    limits_.stop = &stopping_;
  }

  // The life of a thread.
  void work() {
    try {
      while (const std::optional<Item> item = next()) {
        run(*item->arm, item->replication);
        for (const std::shared_ptr<CellJob>& cell : finished(*item->arm)) {
          deliver(*cell);
        }
      }
    } catch (...) {
      const std::lock_guard lock{mutex_};
      if (!error_) {
        error_ = std::current_exception();
      }
      stopping_ = true;
    }
    const std::lock_guard lock{mutex_};
    --at_work_;
    changed_.notify_all();
  }

  // Called before the threads start.
  void expect_workers(unsigned count) { at_work_ = count; }

  // Waits for the threads and tells of progress. False: some did not end in time.
  bool wait(Progress& progress, std::size_t total) {
    std::unique_lock lock{mutex_};
    std::optional<std::chrono::steady_clock::time_point> deadline;
    while (at_work_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds{50});
      const std::size_t done = runs_;
      lock.unlock();
      progress.update(done, total);
      lock.lock();
      if (options_.stop != nullptr && options_.stop->load() != 0) {
        stopping_ = true;
        stopped_ = true;
        changed_.notify_all();
      }
      if (stopping_ && !deadline) {
        deadline = std::chrono::steady_clock::now() + patience;
      }
      if (stopped_ && std::chrono::steady_clock::now() > *deadline) {
        return at_work_ == 0;
      }
    }
    // Runs that ended before the first wait, or during the last, are told of too.
    const std::size_t done = runs_;
    lock.unlock();
    progress.update(done, total);
    return true;
  }

  // Nothing is delivered from here on.
  void close_sink() {
    const std::lock_guard lock{sink_mutex_};
    sink_ = nullptr;
  }

  RunnerReport report() {
    const std::lock_guard lock{mutex_};
    if (error_) {
      std::rethrow_exception(error_);
    }
    return {.cells_done = cells_done_,
            .cells_failed = cells_failed_,
            .runs = runs_,
            .stopped = stopped_,
            .abandoned = at_work_ > 0};
  }

 private:
  std::shared_ptr<ArmJob> new_arm(Arm arm, const std::shared_ptr<CellScenario>& of) {
    auto job = std::make_shared<ArmJob>();
    job->arm = arm;
    job->of = of;
    job->runs.results.resize(replications_);
    job->runs.errors.resize(replications_);
    job->unfinished = replications_;
    return job;
  }

  // Opens the next cell, with its control if it is the first of its group, and appends
  // their work to arms_to_run_.
  void open_cell() {
    const std::vector<std::size_t>& group = groups_[group_];
    auto cell = std::make_shared<CellJob>();
    cell->cell = group[in_group_];
    cell->of = std::make_shared<CellScenario>();
    cell->of->indices = grid_.indices_of(cell->cell);
    if (in_group_ == 0) {
      control_ = new_arm(Arm::control, cell->of);
      arms_to_run_.push_back(control_);
    }
    cell->arms.push_back(control_);
    for (std::size_t arm = 1; arm < arms_.size(); ++arm) {
      cell->arms.push_back(new_arm(arms_[arm], cell->of));
      arms_to_run_.push_back(cell->arms.back());
    }
    open_.push_back(std::move(cell));
    if (++in_group_ == group.size()) {
      in_group_ = 0;
      ++group_;
    }
  }

  // The next piece of work; waits while too many cells are open. Absent at the end.
  std::optional<Item> next() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
      if (!arms_to_run_.empty()) {
        Item item{.arm = arms_to_run_.front(), .replication = next_replication_};
        if (++next_replication_ == replications_) {
          next_replication_ = 0;
          arms_to_run_.erase(arms_to_run_.begin());
        }
        return item;
      }
      if (group_ == groups_.size()) {
        return std::nullopt;
      }
      if (open_.size() < most_open_) {
        open_cell();
        continue;
      }
      changed_.wait(lock);
    }
    return std::nullopt;
  }

  const CellScenario& prepared(CellScenario& cell) const {
    std::call_once(cell.made, [&] {
      try {
        cell.scenario = scenario_.axes.empty()
                            ? scenario_
                            : options_.at_cell(scenario_, cell.indices);
      } catch (const std::exception& error) {
        cell.error = error.what();
      }
    });
    return cell;
  }

  void run(ArmJob& job, std::size_t replication) {
    const CellScenario& cell = prepared(*job.of);
    std::string& error = job.runs.errors[replication];
    if (!cell.scenario) {
      error = cell.error;
      return;
    }
    try {
      RandomKey key =
          key_of(scenario_, cell.indices, options_.first_replication + replication);
      key.seed = cell.scenario->seed;
      const SystemConfig system = system_of_arm(cell.scenario->system, job.arm);
      job.runs.results[replication] = cell.scenario->solver == Solver::fluid
                                          ? fluid_run(system, key)
                                          : options_.simulate(system, key, limits_);
    } catch (const std::bad_alloc&) {
      error = "out of memory";
    } catch (const std::exception& problem) {
      error = problem.what();
    }
  }

  // Counts a replication of `job` and takes the cells that are complete with it.
  std::vector<std::shared_ptr<CellJob>> finished(ArmJob& job) {
    const std::lock_guard lock{mutex_};
    ++runs_;
    std::vector<std::shared_ptr<CellJob>> ready;
    if (--job.unfinished > 0 || stopping_) {
      return ready;
    }
    // Stable, so that `ready` holds the cells in the order in which they were opened.
    const auto first_ready = std::stable_partition(
        open_.begin(), open_.end(), [](const auto& cell) { return !cell->is_ready(); });
    ready.assign(first_ready, open_.end());
    open_.erase(first_ready, open_.end());
    changed_.notify_all();
    return ready;
  }

  void deliver(const CellJob& job) {
    CellResult result;
    const CellScenario& cell = prepared(*job.of);
    if (cell.scenario) {
      std::vector<const ArmRuns*> runs;
      for (const std::shared_ptr<ArmJob>& arm : job.arms) {
        runs.push_back(&arm->runs);
      }
      result = assemble_cell(*cell.scenario, arms_, runs, options_.trajectories);
    } else {
      result.output.status = CellStatus::failed;
      result.output.message = cell.error;
      result.output.arms.assign(arms_.size(), std::vector<ArmRecord>(replications_));
    }
    result.cell = job.cell;
    result.output.indices = cell.indices;
    const bool failed = result.output.status == CellStatus::failed;
    {
      const std::lock_guard lock{sink_mutex_};
      if (sink_ == nullptr) {
        return;
      }
      sink_->accept(std::move(result));
    }
    const std::lock_guard lock{mutex_};
    ++(failed ? cells_failed_ : cells_done_);
  }

  const Scenario scenario_;
  const RunnerOptions options_;
  const std::vector<Arm> arms_;
  const std::vector<std::vector<std::size_t>> groups_;
  const Grid grid_;
  const std::size_t replications_;
  const std::size_t most_open_;
  RunLimits limits_;

  std::mutex mutex_;  // all below, and ArmJob::unfinished
  std::condition_variable changed_;
  std::size_t group_ = 0;
  std::size_t in_group_ = 0;
  std::shared_ptr<ArmJob> control_;  // of the group at work
  std::vector<std::shared_ptr<ArmJob>> arms_to_run_;
  std::size_t next_replication_ = 0;  // of the first of them
  std::vector<std::shared_ptr<CellJob>> open_;
  std::size_t runs_ = 0;
  std::size_t cells_done_ = 0;
  std::size_t cells_failed_ = 0;
  unsigned at_work_ = 0;
  std::atomic<bool> stopping_ = false;  // written under mutex_, read by runs too
  bool stopped_ = false;                // by options_.stop
  std::exception_ptr error_;

  std::mutex sink_mutex_;  // the sink; taken after none and before none
  CellSink* sink_;
};

}  // namespace

std::vector<Arm> arms_of(const Scenario& scenario, bool explain) {
  if (!is_disturbed(scenario.system)) {
    return {Arm::control};
  }
  if (explain) {
    return {Arm::control, Arm::triggered, Arm::unamplified};
  }
  return {Arm::control, Arm::triggered};
}

bool shares_controls(const Scenario& scenario) {
  return scenario.common_random_numbers && is_disturbed(scenario.system);
}

std::vector<std::vector<std::size_t>> control_groups(const Scenario& scenario) {
  const Grid grid{scenario.axes};
  if (shares_controls(scenario)) {
    return cells_by_control(grid, scenario.axes);
  }
  std::vector<std::vector<std::size_t>> groups(grid.size());
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    groups[cell] = {cell};
  }
  return groups;
}

std::size_t count_runs(const Scenario& scenario, bool explain) {
  const std::size_t cells = Grid{scenario.axes}.size();
  const std::size_t other_arms = arms_of(scenario, explain).size() - 1;
  return static_cast<std::size_t>(scenario.replications) *
         (control_groups(scenario).size() + cells * other_arms);
}

RandomKey key_of(const Scenario& scenario,
                 const std::vector<std::size_t>& indices,
                 std::size_t replication) {
  return {
      .seed = scenario.seed,
      .cell = scenario.common_random_numbers ? 0 : hash_of_values(scenario.axes, indices),
      .replication = replication};
}

RunnerReport run_sweep(const Scenario& scenario,
                       const RunnerOptions& options,
                       CellSink& sink,
                       Progress& progress) {
  BASIN_EXPECT(options.threads >= 1 && scenario.replications >= 1);
  BASIN_EXPECT(options.simulate && (options.at_cell || scenario.axes.empty()));
  const std::size_t total = count_runs(scenario, options.explain);
  const auto sweep = std::make_shared<Sweep>(scenario, options, sink);
  const auto threads = static_cast<unsigned>(
      std::min<std::size_t>(options.threads, std::max<std::size_t>(total, 1)));
  sweep->expect_workers(threads);
  std::vector<std::thread> workers;
  workers.reserve(threads);
  for (unsigned k = 0; k < threads; ++k) {
    workers.emplace_back([sweep] { sweep->work(); });
  }
  const bool all_ended = sweep->wait(progress, total);
  if (!all_ended) {
    sweep->close_sink();
  }
  for (std::thread& worker : workers) {
    if (all_ended) {
      worker.join();
    } else {
      worker.detach();
    }
  }
  return sweep->report();
}

Candidates run_candidates(const std::vector<Scenario>& scenarios,
                          RunnerOptions options,
                          Progress& progress) {
  BASIN_EXPECT(!scenarios.empty());
  // A sweep along one axis, the place in the list.
  Scenario sweep = scenarios.front();
  sweep.common_random_numbers = true;
  sweep.axes = {{.key = "candidate", .unit = "1", .values = {}, .si_values = {}}};
  for (std::size_t k = 0; k < scenarios.size(); ++k) {
    BASIN_EXPECT(scenarios[k].axes.empty());
    BASIN_EXPECT(scenarios[k].replications == sweep.replications);
    BASIN_EXPECT(is_disturbed(scenarios[k].system) == is_disturbed(sweep.system));
    sweep.axes[0].values.push_back(std::to_string(k));
    sweep.axes[0].si_values.push_back(static_cast<double>(k));
  }
  // A copy for threads that a stop abandons.
  options.at_cell = [all = std::make_shared<const std::vector<Scenario>>(scenarios)](
                        const Scenario&, const std::vector<std::size_t>& indices) {
    return (*all)[indices[0]];
  };

  class Keep final : public CellSink {
   public:
    explicit Keep(std::vector<CellResult>& cells) : cells_{cells} {}
    void accept(CellResult cell) override { cells_[cell.cell] = std::move(cell); }

   private:
    std::vector<CellResult>& cells_;
  };
  Candidates results{.cells = std::vector<CellResult>(scenarios.size()), .report = {}};
  Keep sink{results.cells};
  results.report = run_sweep(sweep, options, sink, progress);
  return results;
}

}  // namespace basin
