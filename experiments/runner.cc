#include "experiments/runner.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
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

// One piece of work.
struct Item {
  RunId run;
  std::shared_ptr<CellScenario> of;
};

// All runs in their order: by groups that share a control, the control's replications
// first, then those of each cell's other arms.
class RunOrder {
 public:
  RunOrder(const Scenario& scenario, bool explain)
      : arms_{arms_of(scenario, explain)},
        groups_{control_groups(scenario)},
        replications_{static_cast<std::size_t>(scenario.replications)} {}

  bool is_over() const { return group_ == groups_.size(); }
  // Only where it is not over.
  RunId current() const {
    return {.cell = groups_[group_][in_group_],
            .arm = arms_[arm_],
            .replication = replication_};
  }
  void advance() {
    if (++replication_ < replications_) {
      return;
    }
    replication_ = 0;
    ++arm_;
    while (arm_ == arms_.size()) {
      arm_ = 1;
      if (++in_group_ == groups_[group_].size()) {
        in_group_ = 0;
        arm_ = 0;
        ++group_;
      }
    }
  }

 private:
  std::vector<Arm> arms_;
  std::vector<std::vector<std::size_t>> groups_;
  std::size_t replications_;
  std::size_t group_ = 0;
  std::size_t in_group_ = 0;
  std::size_t arm_ = 0;
  std::size_t replication_ = 0;
};

// What the threads of a sweep share. Threads hold it by shared_ptr, so that those which
// are abandoned by a stop still have it.
class Work {
 public:
  Work(const Scenario& scenario,
       const RunnerOptions& options,
       RunFilter wanted,
       RunSink& sink)
      : scenario_{scenario},
        options_{options},
        wanted_{std::move(wanted)},
        grid_{scenario.axes},
        order_{scenario, options.explain},
        sink_{&sink} {
    limits_.memory_bytes =
        std::max<std::int64_t>(options.memory_bytes / options.threads, 1);
    limits_.stop = &stopping_;
  }

  // The life of a thread.
  void work() {
    try {
      while (const std::optional<Item> item = next()) {
        deliver(item->run, result_of(*item));
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
    std::optional<std::chrono::steady_clock::time_point> patience_ends;
    while (at_work_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds{50});
      const std::size_t done = runs_;
      lock.unlock();
      progress.update(done, total);
      lock.lock();
      const auto now = std::chrono::steady_clock::now();
      if (stopped_ == StopCause::none && at_work_ > 0) {
        if (options_.stop != nullptr && options_.stop->load() != 0) {
          stopped_ = StopCause::signal;
        } else if (options_.deadline && now >= *options_.deadline) {
          stopped_ = StopCause::deadline;
        }
      }
      if (stopped_ == StopCause::signal || stopped_ == StopCause::deadline) {
        stopping_ = true;
        patience_ends = patience_ends.value_or(now + patience);
        if (now > *patience_ends) {
          return at_work_ == 0;
        }
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
    return {.runs = runs_,
            .runs_failed = runs_failed_,
            .stopped = stopped_,
            .abandoned = at_work_ > 0};
  }

 private:
  // The next piece of work; absent at the end.
  std::optional<Item> next() {
    const std::lock_guard lock{mutex_};
    for (; !order_.is_over(); order_.advance()) {
      if (stopping_ || stopped_ != StopCause::none) {
        return std::nullopt;
      }
      const RunId run = order_.current();
      if (wanted_ && !wanted_(run)) {
        continue;
      }
      if (!cell_ || cell_->first != run.cell) {
        cell_.emplace(run.cell, std::make_shared<CellScenario>());
        cell_->second->indices = grid_.indices_of(run.cell);
      }
      order_.advance();
      return Item{.run = run, .of = cell_->second};
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

  ArmRecord result_of(const Item& item) {
    const CellScenario& cell = prepared(*item.of);
    const std::size_t replication = options_.first_replication + item.run.replication;
    ArmRecord record;
    if (!cell.scenario) {
      record.error = cell.error;
      return record;
    }
    try {
      RandomKey key = key_of(scenario_, cell.indices, replication);
      key.seed = cell.scenario->seed;
      const SystemConfig system = system_of_arm(cell.scenario->system, item.run.arm);
      const RunResult result = cell.scenario->solver == Solver::fluid
                                   ? fluid_run(system, key)
                                   : options_.simulate(system, key, limits_);
      record = record_of(result, *cell.scenario, item.run.arm, options_.trajectories);
    } catch (const std::bad_alloc&) {
      record.error = "out of memory";
    } catch (const std::exception& problem) {
      record.error = problem.what();
    }
    if (!record.error.empty()) {
      record.error = blame(item.run.arm, replication, cell.scenario->seed, record.error);
    }
    return record;
  }

  // Runs that a stop cut short count for nothing.
  void deliver(const RunId& run, ArmRecord record) {
    const bool failed = !record.error.empty();
    if (stopping_ && failed) {
      return;
    }
    {
      const std::lock_guard lock{sink_mutex_};
      if (sink_ == nullptr) {
        return;
      }
      sink_->accept(run, std::move(record));
    }
    const std::lock_guard lock{mutex_};
    ++runs_;
    if (failed) {
      ++runs_failed_;
      if (options_.stop_at_failure && stopped_ == StopCause::none) {
        stopped_ = StopCause::failure;
      }
    }
  }

  const Scenario scenario_;
  const RunnerOptions options_;
  const RunFilter wanted_;
  const Grid grid_;
  RunLimits limits_;

  std::mutex mutex_;  // all below
  std::condition_variable changed_;
  RunOrder order_;
  std::optional<std::pair<std::size_t, std::shared_ptr<CellScenario>>> cell_;  // the last
  std::size_t runs_ = 0;
  std::size_t runs_failed_ = 0;
  unsigned at_work_ = 0;
  std::atomic<bool> stopping_ = false;  // written under mutex_, read by runs too
  StopCause stopped_ = StopCause::none;
  std::exception_ptr error_;

  std::mutex sink_mutex_;  // the sink; taken after none and before none
  RunSink* sink_;
};

// Puts the cells together from their runs.
class CellAssembler final : public RunSink {
 public:
  CellAssembler(const Scenario& scenario, const RunnerOptions& options, CellSink& sink)
      : arms_{arms_of(scenario, options.explain)},
        groups_{control_groups(scenario)},
        grid_{scenario.axes},
        replications_{static_cast<std::size_t>(scenario.replications)},
        sink_{sink} {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      controls_[groups_[group].front()] = {.group = group, .runs = {}};
    }
  }

  void accept(const RunId& run, ArmRecord record) override {
    if (run.arm == Arm::control) {
      Control& control = controls_.at(run.cell);
      control.runs.add(run.replication, std::move(record), replications_);
      if (control.runs.is_complete(replications_)) {
        for (const std::size_t cell : groups_[control.group]) {
          deliver_if_complete(cell, control);
        }
      }
      return;
    }
    Open& cell = open_[run.cell];
    cell.arms.resize(arms_.size());
    const auto arm = std::find(arms_.begin(), arms_.end(), run.arm) - arms_.begin();
    cell.arms[static_cast<std::size_t>(arm)].add(
        run.replication, std::move(record), replications_);
    deliver_if_complete(run.cell, control_of(run.cell));
  }

  std::size_t cells_done() const { return done_; }
  std::size_t cells_failed() const { return failed_; }

 private:
  struct ArmRuns {
    std::vector<ArmRecord> records;
    std::size_t count = 0;

    void add(std::size_t replication, ArmRecord record, std::size_t replications) {
      records.resize(replications);
      records[replication] = std::move(record);
      ++count;
    }
    bool is_complete(std::size_t replications) const { return count == replications; }
  };
  struct Control {
    std::size_t group = 0;
    ArmRuns runs;
    std::size_t delivered = 0;
  };
  struct Open {
    std::vector<ArmRuns> arms;  // in step with arms_; the control's place is empty
  };

  Control& control_of(std::size_t cell) {
    if (group_of_.empty()) {
      group_of_.resize(grid_.size());
      for (std::size_t group = 0; group < groups_.size(); ++group) {
        for (const std::size_t member : groups_[group]) {
          group_of_[member] = group;
        }
      }
    }
    return controls_.at(groups_[group_of_[cell]].front());
  }

  void deliver_if_complete(std::size_t cell, Control& control) {
    const auto open = open_.find(cell);
    if (!control.runs.is_complete(replications_) ||
        (arms_.size() > 1 && open == open_.end())) {
      return;
    }
    for (std::size_t arm = 1; arm < arms_.size(); ++arm) {
      if (!open->second.arms[arm].is_complete(replications_)) {
        return;
      }
    }
    std::vector<std::vector<ArmRecord>> records;
    const bool is_last = ++control.delivered == groups_[control.group].size();
    records.push_back(is_last ? std::move(control.runs.records) : control.runs.records);
    for (std::size_t arm = 1; arm < arms_.size(); ++arm) {
      records.push_back(std::move(open->second.arms[arm].records));
    }
    if (arms_.size() > 1) {
      open_.erase(open);
    }
    CellResult result = assemble_cell(arms_, std::move(records));
    result.cell = cell;
    result.output.indices = grid_.indices_of(cell);
    ++(result.output.status == CellStatus::failed ? failed_ : done_);
    sink_.accept(std::move(result));
  }

  const std::vector<Arm> arms_;
  const std::vector<std::vector<std::size_t>> groups_;
  const Grid grid_;
  const std::size_t replications_;
  CellSink& sink_;
  std::map<std::size_t, Control> controls_;  // by the first cell of their group
  std::vector<std::size_t> group_of_;        // by cell
  std::map<std::size_t, Open> open_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
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
  const std::vector<bool>& excluded = scenario.excluded;
  if (shares_controls(scenario)) {
    auto groups = cells_by_control(grid, scenario.axes);
    if (!excluded.empty()) {
      for (std::vector<std::size_t>& group : groups) {
        std::erase_if(group, [&](std::size_t cell) { return excluded[cell]; });
      }
      std::erase_if(groups, [](const auto& group) { return group.empty(); });
    }
    return groups;
  }
  std::vector<std::vector<std::size_t>> groups;
  groups.reserve(grid.size());
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    if (excluded.empty() || !excluded[cell]) {
      groups.push_back({cell});
    }
  }
  return groups;
}

std::size_t count_runs(const Scenario& scenario, bool explain) {
  const auto groups = control_groups(scenario);
  std::size_t cells = 0;
  for (const auto& group : groups) {
    cells += group.size();
  }
  const std::size_t other_arms = arms_of(scenario, explain).size() - 1;
  return static_cast<std::size_t>(scenario.replications) *
         (groups.size() + cells * other_arms);
}

void for_each_run(const Scenario& scenario,
                  bool explain,
                  const std::function<void(const RunId&)>& take) {
  for (RunOrder order{scenario, explain}; !order.is_over(); order.advance()) {
    take(order.current());
  }
}

RandomKey key_of(const Scenario& scenario,
                 const std::vector<std::size_t>& indices,
                 std::size_t replication) {
  return {
      .seed = scenario.seed,
      .cell = scenario.common_random_numbers ? 0 : hash_of_values(scenario.axes, indices),
      .replication = replication};
}

RunnerReport perform(const Scenario& scenario,
                     const RunnerOptions& options,
                     const RunFilter& wanted,
                     RunSink& sink,
                     Progress& progress) {
  BASIN_EXPECT(options.threads >= 1 && scenario.replications >= 1);
  BASIN_EXPECT(options.simulate && (options.at_cell || scenario.axes.empty()));
  std::size_t total = count_runs(scenario, options.explain);
  if (wanted) {
    total = 0;
    for_each_run(scenario, options.explain, [&](const RunId& run) {
      total += wanted(run) ? 1U : 0U;
    });
  }
  const auto work = std::make_shared<Work>(scenario, options, wanted, sink);
  const auto threads = static_cast<unsigned>(
      std::min<std::size_t>(options.threads, std::max<std::size_t>(total, 1)));
  work->expect_workers(threads);
  std::vector<std::thread> workers;
  workers.reserve(threads);
  for (unsigned k = 0; k < threads; ++k) {
    workers.emplace_back([work] { work->work(); });
  }
  const bool all_ended = work->wait(progress, total);
  if (!all_ended) {
    work->close_sink();
  }
  for (std::thread& worker : workers) {
    if (all_ended) {
      worker.join();
    } else {
      worker.detach();
    }
  }
  return work->report();
}

RunnerReport run_sweep(const Scenario& scenario,
                       const RunnerOptions& options,
                       CellSink& sink,
                       Progress& progress) {
  CellAssembler assembler{scenario, options, sink};
  RunnerReport report = perform(scenario, options, {}, assembler, progress);
  report.cells_done = assembler.cells_done();
  report.cells_failed = assembler.cells_failed();
  return report;
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
