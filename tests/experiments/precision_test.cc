#include "experiments/precision.h"

#include <atomic>
#include <limits>
#include <stdexcept>

#include <gmock/gmock.h>

namespace basin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Silent final : public Progress {
 public:
  void update(std::size_t, std::size_t) override {}
  void clear() override {}
};

class KeepCell final : public CellSink {
 public:
  void accept(CellResult cell) override { result = std::move(cell); }
  CellResult result;
};

Scenario outage() {
  Scenario scenario;
  scenario.name = "outage";
  scenario.seed = 11;
  scenario.system.horizon = std::chrono::seconds{100};
  scenario.system.warmup = std::chrono::seconds{10};
  scenario.system.sample_interval = std::chrono::seconds{1};
  scenario.system.outcome_interval = std::chrono::seconds{1};
  scenario.system.arrivals = PoissonArrivals{20};
  scenario.system.producer.timeout = std::chrono::seconds{2};
  scenario.system.success_within = std::chrono::seconds{2};
  scenario.system.consumers.groups = {
      {.name = "", .count = 1, .service = Exponential{1.0 / 30}}};
  scenario.system.incidents.push_back({.name = "outage",
                                       .start = std::chrono::seconds{20},
                                       .duration = Exponential{5},
                                       .effect = ConsumerOutage{}});
  scenario.objective =
      Objective{.window = 5, .min_requests = 1, .hold = 5, .recovery_time = 60.0};
  return scenario;
}

RunnerOptions real_runs(std::atomic<int>* runs = nullptr) {
  RunnerOptions options;
  options.simulate =
      [runs](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        if (runs != nullptr) {
          ++*runs;
        }
        return simulate(config, key, limits);
      };
  options.threads = 2;
  options.trajectories = TrajectoriesToKeep::all;
  return options;
}

void expect_same(const CellResult& one, const CellResult& other) {
  EXPECT_EQ(one.output.status, other.output.status);
  EXPECT_EQ(one.output.message, other.output.message);
  EXPECT_EQ(one.output.phases, other.output.phases);
  ASSERT_EQ(one.output.arms.size(), other.output.arms.size());
  for (std::size_t arm = 0; arm < one.output.arms.size(); ++arm) {
    ASSERT_EQ(one.output.arms[arm].size(), other.output.arms[arm].size());
    for (std::size_t k = 0; k < one.output.arms[arm].size(); ++k) {
      const ArmRecord& x = one.output.arms[arm][k];
      const ArmRecord& y = other.output.arms[arm][k];
      EXPECT_EQ(x.recovery_time, y.recovery_time);
      EXPECT_EQ(x.stuck, y.stuck);
      EXPECT_EQ(x.trajectory.depth, y.trajectory.depth);
      for (const MetricInfo& info : metric_table) {
        const double a = x.metrics.*info.member;
        const double b = y.metrics.*info.member;
        EXPECT_TRUE(a == b || (a != a && b != b)) << info.name;
      }
    }
  }
}

TEST(Precision, is_the_run_with_that_number_of_replications_and_makes_each_run_once) {
  std::atomic<int> runs = 0;
  Silent progress;
  const PrecisionGoal goal{.relative = 0.15,
                           .targets = parse_targets("control.mean_depth"),
                           .most_replications = 200};
  const PreciseRun precise = run_to_precision(outage(), goal, real_runs(&runs), progress);
  EXPECT_TRUE(precise.precision.reached);
  EXPECT_GT(precise.precision.looks.size(), 1U);
  EXPECT_EQ(precise.replications, precise.precision.looks.back());
  EXPECT_EQ(runs, 2 * precise.replications);

  Scenario scenario = outage();
  scenario.replications = precise.replications;
  KeepCell sink;
  run_sweep(scenario, real_runs(), sink, progress);
  expect_same(precise.cell, sink.result);
}

TEST(Precision, goes_on_to_the_most_where_the_goal_is_too_fine) {
  Silent progress;
  const PrecisionGoal goal{
      .relative = 1e-6, .targets = parse_targets("mean_depth"), .most_replications = 25};
  const PreciseRun precise = run_to_precision(outage(), goal, real_runs(), progress);
  EXPECT_FALSE(precise.precision.reached);
  EXPECT_THAT(precise.precision.looks, ElementsAre(10, 20, 25));
  EXPECT_THAT(precise.precision.targets[0].why_not, HasSubstr("with 25 replications"));
}

TEST(Precision, stops_where_a_mean_is_infinite_or_a_run_fails) {
  Silent progress;
  const PreciseRun infinite =
      run_to_precision(outage(),
                       {.relative = 0.1, .targets = parse_targets("latency_p999")},
                       real_runs(),
                       progress);
  EXPECT_THAT(infinite.precision.looks, ElementsAre(10));
  EXPECT_THAT(infinite.precision.targets[0].why_not, HasSubstr("infinite in"));

  RunnerOptions failing = real_runs();
  failing.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        if (key.replication == 13) {
          throw std::runtime_error("thirteen");
        }
        return simulate(config, key, limits);
      };
  const PreciseRun failed =
      run_to_precision(outage(),
                       {.relative = 1e-6, .targets = parse_targets("mean_depth")},
                       failing,
                       progress);
  EXPECT_THAT(failed.precision.looks, ElementsAre(10, 20));
  EXPECT_FALSE(failed.precision.reached);
  EXPECT_THAT(failed.cell.output.message, HasSubstr("replication 13, seed 11: thirteen"));
}

TEST(Precision, targets_are_metrics_perhaps_of_an_arm) {
  EXPECT_THAT(
      parse_targets("mean_depth,control.goodput_ratio"),
      ElementsAre(PrecisionGoal::Target{.arm = "", .metric = "mean_depth"},
                  PrecisionGoal::Target{.arm = "control", .metric = "goodput_ratio"}));
  EXPECT_EQ(parse_targets(default_targets).size(), 2U);
  for (const char* wrong :
       {"", ",", "mean_depth,", "x.mean_depth", ".mean_depth", "depth"}) {
    EXPECT_THROW(parse_targets(wrong), std::invalid_argument) << wrong;
  }
  const PrecisionGoal goal{.targets = parse_targets("unamplified.mean_depth")};
  EXPECT_THROW(expect_arms_of(goal, {Arm::control, Arm::triggered}),
               std::invalid_argument);
}

}  // namespace
}  // namespace basin
