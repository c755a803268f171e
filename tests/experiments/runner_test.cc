#include "experiments/runner.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>

namespace basin {
namespace {

using testing::HasSubstr;

class Collect final : public CellSink {
 public:
  void accept(CellResult cell) override {
    EXPECT_TRUE(cells.emplace(cell.cell, std::move(cell)).second) << "delivered twice";
  }
  std::map<std::size_t, CellResult> cells;
};

class CountUpdates final : public Progress {
 public:
  void update(std::size_t done, std::size_t total) override {
    EXPECT_LE(done, total);
    ++updates;
  }
  void clear() override {}
  int updates = 0;
};

Axis axis(std::string key, std::vector<double> values, bool touches_control) {
  Axis result{.key = std::move(key), .unit = "1", .values = {}, .si_values = values};
  for (const double value : values) {
    result.values.push_back(std::to_string(value));
  }
  result.touches_control = touches_control;
  return result;
}

// Arrivals at the first axis' value; an outage of the second's. 100 s, one sample a
// second.
Scenario scenario_with(std::vector<Axis> axes) {
  Scenario scenario;
  scenario.name = "stand-in";
  scenario.seed = 7;
  scenario.replications = 5;
  scenario.system.horizon = std::chrono::seconds{100};
  scenario.system.sample_interval = std::chrono::seconds{1};
  scenario.system.outcome_interval = std::chrono::seconds{1};
  scenario.system.incidents.push_back({.name = "outage",
                                       .start = std::chrono::seconds{10},
                                       .duration = Deterministic{20},
                                       .effect = ConsumerOutage{}});
  scenario.objective =
      Objective{.window = 5, .min_requests = 1, .hold = 5, .recovery_time = 60.0};
  scenario.axes = std::move(axes);
  return scenario;
}

Scenario at(const Scenario& scenario, const std::vector<std::size_t>& indices) {
  Scenario cell = scenario;
  cell.axes.clear();
  cell.system.arrivals = PoissonArrivals{scenario.axes[0].si_values[indices[0]]};
  if (indices.size() > 1) {
    cell.system.incidents[0].duration =
        Deterministic{scenario.axes[1].si_values[indices[1]]};
  }
  return cell;
}

double rate_of(const SystemConfig& config) {
  const auto* poisson = std::get_if<PoissonArrivals>(&config.arrivals);
  return poisson == nullptr ? -1 : poisson->rate;
}

// Answers for a system that stays down after an outage when arrivals reach 50.
RunResult stand_in(const SystemConfig& config, const RandomKey& key, const RunLimits&) {
  const double rate = rate_of(config);
  RunResult result;
  result.metrics.base_rate = rate;
  result.metrics.peak_depth = static_cast<double>(random_block(key, {})[0] >> 12);
  result.metrics.goodput_ratio = 1;
  const bool triggered = !config.incidents.empty();
  const bool stuck = triggered && rate >= 50 && config.producer.max_attempts > 1;
  for (int second = 0; second <= 100; ++second) {
    const bool down = triggered && second >= 10 && (stuck || second < 30);
    for (const TrajectoryInfo& info : trajectory_table) {
      (result.trajectory.*info.member).push_back(down ? 100.0F : 1.0F);
    }
    if (second < 100) {
      result.outcomes.created.push_back(10);
      result.outcomes.succeeded.push_back(down ? 0 : 10);
    }
  }
  if (triggered) {
    result.first_incident_start = SimTime{std::chrono::seconds{10}};
    result.last_incident_end = SimTime{std::chrono::seconds{30}};
    if (!stuck) {
      result.drained_at = SimTime{std::chrono::seconds{31}};
    }
  }
  return result;
}

RunnerOptions options(unsigned threads = 2) {
  return {.simulate = stand_in, .at_cell = at, .threads = threads};
}

struct Ran {
  RunnerReport report;
  std::map<std::size_t, CellResult> cells;
};
Ran run(const Scenario& scenario, const RunnerOptions& how) {
  Collect sink;
  CountUpdates progress;
  const RunnerReport report = run_sweep(scenario, how, sink, progress);
  EXPECT_GT(progress.updates, 0);
  return {report, std::move(sink.cells)};
}

std::vector<Axis> rate_and_duration() {
  return {axis("arrivals.rate", {20, 50, 80}, true),
          axis("incident.outage.duration", {10, 20}, false)};
}

TEST(Runner, every_cell_is_delivered_with_its_verdict) {
  Scenario scenario = scenario_with(rate_and_duration());
  scenario.system.producer.max_attempts = 2;
  const Ran ran = run(scenario, options());
  ASSERT_EQ(ran.cells.size(), 6U);
  EXPECT_EQ(ran.report.cells_done, 6U);
  EXPECT_EQ(ran.cells.at(0).output.verdict.phase, Phase::stable);
  EXPECT_EQ(ran.cells.at(3).output.verdict.phase, Phase::vulnerable);
  EXPECT_TRUE(ran.cells.at(3).output.verdict.decided);
  EXPECT_EQ(ran.cells.at(3).output.indices, (std::vector<std::size_t>{1, 1}));
  const CellOutput& cell = ran.cells.at(0).output;
  ASSERT_EQ(cell.arms.size(), 2U);
  EXPECT_DOUBLE_EQ(cell.arms[1][0].recovery_time, 0);
  EXPECT_DOUBLE_EQ(cell.arms[1][0].drain_time, 1);
  EXPECT_EQ(cell.arms[0][4].trajectory.depth.size(), 101U);
}

TEST(Runner, a_control_is_run_once_for_the_cells_that_share_it) {
  const Scenario scenario = scenario_with(rate_and_duration());
  std::mutex mutex;
  std::map<double, int> controls;
  RunnerOptions how = options();
  how.simulate =
      [&](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        if (config.incidents.empty()) {
          const std::lock_guard lock{mutex};
          ++controls[rate_of(config)];
        }
        return stand_in(config, key, limits);
      };
  const Ran ran = run(scenario, how);
  EXPECT_EQ(controls, (std::map<double, int>{{20, 5}, {50, 5}, {80, 5}}));
  EXPECT_EQ(ran.report.runs, 5U * (3 + 6));
  EXPECT_EQ(count_runs(scenario, false), ran.report.runs);
  // The shared arm reads the same in each of its cells.
  EXPECT_EQ(ran.cells.at(0).output.arms[0][2].metrics.peak_depth,
            ran.cells.at(1).output.arms[0][2].metrics.peak_depth);
}

TEST(Runner, controls_are_not_shared_by_cells_with_random_numbers_of_their_own) {
  Scenario scenario = scenario_with(rate_and_duration());
  scenario.common_random_numbers = false;
  const Ran ran = run(scenario, options());
  EXPECT_EQ(ran.report.runs, 5U * (6 + 6));
  const CellOutput& first = ran.cells.at(0).output;
  const CellOutput& second = ran.cells.at(1).output;
  EXPECT_NE(first.arms[0][0].metrics.peak_depth, second.arms[0][0].metrics.peak_depth);
  // The arms of one cell do share theirs.
  EXPECT_EQ(first.arms[0][0].metrics.peak_depth, first.arms[1][0].metrics.peak_depth);
}

TEST(Runner, without_incidents_there_is_the_control_alone) {
  Scenario scenario = scenario_with({axis("arrivals.rate", {20, 50}, true)});
  scenario.system.incidents.clear();
  const Ran ran = run(scenario, options());
  EXPECT_EQ(ran.report.runs, 10U);
  EXPECT_EQ(ran.cells.at(1).output.arms.size(), 1U);
  EXPECT_EQ(ran.cells.at(1).output.verdict.phase, Phase::stable);
}

TEST(Runner, without_axes_there_is_one_cell) {
  const Ran ran = run(scenario_with({}), options());
  EXPECT_EQ(ran.cells.size(), 1U);
  EXPECT_TRUE(ran.cells.at(0).output.indices.empty());
}

TEST(Runner, without_an_objective_there_are_metrics_and_no_verdict) {
  Scenario scenario = scenario_with({});
  scenario.objective.reset();
  const CellOutput cell = run(scenario, options()).cells.at(0).output;
  EXPECT_EQ(cell.status, CellStatus::done);
  EXPECT_FALSE(cell.has_verdict);
  EXPECT_TRUE(std::isnan(cell.arms[1][0].recovery_time));
}

TEST(Runner, the_third_arm_tells_amplification) {
  Scenario scenario = scenario_with({axis("arrivals.rate", {20, 80}, true)});
  scenario.system.producer.max_attempts = 3;
  RunnerOptions how = options();
  how.explain = true;
  const Ran ran = run(scenario, how);
  ASSERT_TRUE(ran.cells.at(1).explanation);
  EXPECT_EQ(ran.cells.at(1).explanation->amplified.count, 5);
  EXPECT_EQ(ran.cells.at(0).explanation->amplified.count, 0);
  EXPECT_TRUE(ran.cells.at(1).output.arms[1][0].stuck);
  EXPECT_FALSE(ran.cells.at(1).output.arms[2][0].stuck);
}

TEST(Runner, the_unamplified_arm_has_no_retry_and_no_lease) {
  SystemConfig system;
  system.producer.max_attempts = 4;
  system.queue.visibility_timeout = std::chrono::seconds{30};
  system.queue.max_receives = 3;
  system.consumers.heartbeat = std::chrono::seconds{10};
  system.incidents.resize(2);
  system.incidents[0].effect = AckLoss{};
  const SystemConfig arm = system_of_arm(system, Arm::unamplified);
  EXPECT_EQ(arm.producer.max_attempts, 1);
  EXPECT_FALSE(arm.queue.visibility_timeout || arm.queue.max_receives ||
               arm.consumers.heartbeat);
  EXPECT_EQ(arm.incidents.size(), 1U);
}

TEST(Runner, the_control_has_no_interventions_and_the_other_arms_do) {
  Scenario scenario;
  scenario.system.interventions.resize(1);
  EXPECT_EQ(arms_of(scenario, false), (std::vector{Arm::control, Arm::triggered}));
  EXPECT_TRUE(system_of_arm(scenario.system, Arm::control).interventions.empty());
  EXPECT_EQ(system_of_arm(scenario.system, Arm::triggered), scenario.system);
  EXPECT_EQ(system_of_arm(scenario.system, Arm::unamplified).interventions.size(), 1U);
}

TEST(Runner, a_failing_replication_fails_its_cell_and_no_other) {
  RunnerOptions how = options();
  how.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        if (!config.incidents.empty() && rate_of(config) == 50 && key.replication == 3) {
          throw std::runtime_error("no progress in time");
        }
        return stand_in(config, key, limits);
      };
  const Ran ran = run(scenario_with({axis("arrivals.rate", {20, 50}, true)}), how);
  EXPECT_EQ(ran.report.cells_failed, 1U);
  EXPECT_EQ(ran.report.cells_done, 1U);
  const CellOutput& failed = ran.cells.at(1).output;
  EXPECT_EQ(failed.status, CellStatus::failed);
  EXPECT_EQ(failed.message, "triggered arm, replication 3, seed 7: no progress in time");
  EXPECT_FALSE(failed.arms[1][3].present);
  EXPECT_TRUE(failed.arms[1][2].present);
}

TEST(Runner, a_cell_that_cannot_be_set_up_fails_alone) {
  RunnerOptions how = options();
  how.at_cell = [](const Scenario& scenario, const std::vector<std::size_t>& indices) {
    if (indices[0] == 1) {
      throw std::runtime_error("not a rate");
    }
    return at(scenario, indices);
  };
  const Ran ran = run(scenario_with({axis("arrivals.rate", {20, 50, 80}, true)}), how);
  EXPECT_EQ(ran.report.cells_failed, 1U);
  EXPECT_THAT(ran.cells.at(1).output.message, HasSubstr("not a rate"));
}

TEST(Runner, a_run_that_cannot_be_judged_fails_its_cell) {
  RunnerOptions how = options();
  how.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        RunResult result = stand_in(config, key, limits);
        result.truncated_at = SimTime{std::chrono::seconds{60}};
        return result;
      };
  const Ran ran = run(scenario_with({}), how);
  EXPECT_EQ(ran.cells.at(0).output.status, CellStatus::failed);
  EXPECT_THAT(ran.cells.at(0).output.message,
              HasSubstr("control arm, replication 0, seed 7: the run cannot be judged"));
}

TEST(Runner, later_replications_are_those_of_a_longer_experiment) {
  Scenario scenario = scenario_with({});
  RunnerOptions how = options();
  how.at_cell = nullptr;
  const Ran all = run(scenario, how);
  scenario.replications = 2;
  how.first_replication = 3;
  const Ran last = run(scenario, how);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(last.cells.at(0).output.arms[1][k].metrics.peak_depth,
              all.cells.at(0).output.arms[1][3 + k].metrics.peak_depth);
  }
}

TEST(Runner, candidates_are_each_run_as_they_are_and_share_random_numbers) {
  const Scenario sweep = scenario_with({axis("arrivals.rate", {20, 80}, true)});
  const std::vector<Scenario> scenarios = {
      at(sweep, {0}), at(sweep, {1}), at(sweep, {0})};
  CountUpdates progress;
  const Candidates candidates = run_candidates(scenarios, options(), progress);
  ASSERT_EQ(candidates.cells.size(), 3U);
  EXPECT_EQ(candidates.report.cells_done, 3U);
  EXPECT_EQ(candidates.cells[0].output.arms[0][0].metrics.base_rate, 20);
  EXPECT_EQ(candidates.cells[1].output.arms[0][0].metrics.base_rate, 80);
  EXPECT_EQ(candidates.cells[2].output.arms[0][0].metrics.peak_depth,
            candidates.cells[1].output.arms[0][0].metrics.peak_depth);
}

TEST(Runner, trajectories_are_left_out_on_request) {
  RunnerOptions how = options();
  how.trajectories = TrajectoriesToKeep::none;
  const Ran ran = run(scenario_with({}), how);
  EXPECT_TRUE(ran.cells.at(0).output.arms[0][0].trajectory.depth.empty());
  EXPECT_TRUE(ran.cells.at(0).output.has_verdict);
}

TEST(Runner, threads_share_the_memory_limit) {
  RunnerOptions how = options(4);
  how.memory_bytes = 4000;
  how.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        EXPECT_EQ(limits.memory_bytes, 1000);
        return stand_in(config, key, limits);
      };
  run(scenario_with({}), how);
}

TEST(RunnerThreads, the_number_of_threads_changes_nothing) {
  Scenario scenario =
      scenario_with({axis("arrivals.rate", {20, 30, 40, 50, 60, 70, 80}, true),
                     axis("incident.outage.duration", {10, 20, 30}, false)});
  scenario.system.producer.max_attempts = 2;
  std::vector<std::vector<double>> results;
  for (const unsigned threads : {1U, 2U, 7U}) {
    RunnerOptions how = options(threads);
    how.explain = true;
    std::vector<double> flat;
    for (const auto& [cell, result] : run(scenario, how).cells) {
      flat.push_back(static_cast<double>(cell));
      flat.push_back(static_cast<double>(result.output.verdict.phase));
      for (const auto& arm : result.output.arms) {
        for (const ArmRecord& record : arm) {
          flat.push_back(record.metrics.peak_depth);
          flat.push_back(record.recovery_time);
        }
      }
    }
    results.push_back(std::move(flat));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(results[0].size(), 21U * (2 + 3 * 5 * 2));
}

TEST(RunnerThreads, a_slow_cell_does_not_let_others_pile_up) {
  std::vector<double> rates;
  for (int k = 0; k < 200; ++k) {
    rates.push_back(k);
  }
  Scenario scenario = scenario_with({axis("arrivals.rate", rates, true)});
  scenario.replications = 1;
  std::mutex mutex;
  std::set<double> started;
  std::size_t started_while_slow = 0;
  RunnerOptions how = options(4);
  how.simulate =
      [&](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        const double rate = rate_of(config);
        {
          const std::lock_guard lock{mutex};
          started.insert(rate);
        }
        if (rate == 0 && !config.incidents.empty()) {
          std::this_thread::sleep_for(std::chrono::milliseconds{200});
          const std::lock_guard lock{mutex};
          started_while_slow = started.size();
        }
        return stand_in(config, key, limits);
      };
  // Cells are delivered as they complete, so one slow cell holds up no other.
  EXPECT_EQ(run(scenario, how).cells.size(), 200U);
  EXPECT_GT(started_while_slow, 100U);
}

TEST(RunnerThreads, a_stop_ends_soon_and_abandons_what_does_not_end) {
  Scenario scenario = scenario_with({axis("arrivals.rate", {20, 50, 80}, true)});
  static std::atomic<bool> release{false};
  static std::atomic<int> stop{0};
  RunnerOptions how = options(2);
  how.stop = &stop;
  how.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        stop = 15;
        while (!release) {
          std::this_thread::sleep_for(std::chrono::milliseconds{5});
        }
        return stand_in(config, key, limits);
      };
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = run(scenario, how);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{1800});
  EXPECT_EQ(ran.report.stopped, StopCause::signal);
  EXPECT_TRUE(ran.report.abandoned);
  EXPECT_TRUE(ran.cells.empty());
  release = true;
  std::this_thread::sleep_for(std::chrono::milliseconds{100});  // let them end
}

TEST(RunnerThreads, a_stop_between_runs_abandons_nothing) {
  std::atomic<int> stop{0};
  std::atomic<int> runs{0};
  RunnerOptions how = options(2);
  how.stop = &stop;
  how.simulate =
      [&](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        if (++runs == 20) {
          stop = 2;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        return stand_in(config, key, limits);
      };
  std::vector<double> rates(1000, 20.0);
  const Ran ran = run(scenario_with({axis("arrivals.rate", rates, true)}), how);
  EXPECT_EQ(ran.report.stopped, StopCause::signal);
  EXPECT_FALSE(ran.report.abandoned);
  EXPECT_LT(ran.cells.size(), 1000U);
}

TEST(RunnerThreads, an_exception_of_the_sink_comes_out) {
  class Full final : public CellSink {
   public:
    void accept(CellResult) override { throw std::runtime_error("disk full"); }
  } sink;
  CountUpdates progress;
  EXPECT_THROW(run_sweep(scenario_with(rate_and_duration()), options(3), sink, progress),
               std::runtime_error);
}

}  // namespace
}  // namespace basin
