// The scenarios that ship with Basin show what their comments promise.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/runner.h"
#include "experiments/scenario_reader.h"
#include "models/system.h"

namespace basin {
namespace {

const std::filesystem::path library =
    std::filesystem::path{BASIN_SOURCE_DIR} / "experiments" / "scenarios";

Scenario from_library(const std::string& name, const std::vector<std::string>& set = {}) {
  Overrides overrides;
  overrides.set = set;
  return read_scenario_file((library / (name + ".toml")).string(), overrides);
}

class KeepCells : public CellSink {
 public:
  void accept(CellResult cell) override {
    EXPECT_EQ(cell.output.status, CellStatus::done) << cell.output.message;
    cells.push_back(std::move(cell.output));
  }
  std::vector<CellOutput> cells;
};
class NoProgress : public Progress {
 public:
  void update(std::size_t, std::size_t) override {}
  void clear() override {}
};

std::vector<CellOutput> run(const Scenario& scenario) {
  KeepCells sink;
  NoProgress progress;
  run_sweep(
      scenario,
      {.simulate = [](const SystemConfig& system,
                      const RandomKey& key,
                      const RunLimits& limits) { return simulate(system, key, limits); },
       .at_cell = at_cell,
       .threads = 2},
      sink,
      progress);
  std::sort(sink.cells.begin(), sink.cells.end(), [](const auto& a, const auto& b) {
    return a.indices < b.indices;
  });
  return std::move(sink.cells);
}

// The cell at the file's own values, with another choice here and there.
CellOutput run_one(const std::string& name, const std::vector<std::string>& set = {}) {
  Scenario scenario = from_library(name, set);
  scenario.axes.clear();
  return run(scenario).at(0);
}

double median_recovery(const CellOutput& cell) {
  return cell.verdict.recovery_time[1];
}
double median_drain(const CellOutput& cell) {
  return cell.verdict.drain_time[1];
}
const std::vector<ArmRecord>& triggered(const CellOutput& cell) {
  return cell.arms.at(1);
}

TEST(ScenarioLibrary, every_scenario_reads_and_says_what_to_look_for) {
  std::size_t scenarios = 0;
  for (const auto& entry : std::filesystem::directory_iterator{library}) {
    if (entry.path().extension() != ".toml") {
      continue;
    }
    SCOPED_TRACE(entry.path().filename().string());
    ++scenarios;
    std::ifstream file{entry.path()};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    EXPECT_THAT(text, testing::StartsWith("# "));
    EXPECT_THAT(text, testing::HasSubstr("# What to look for: "));
    const Scenario scenario = read_scenario_file(entry.path().string());
    EXPECT_EQ(scenario.name, entry.path().stem().string());
    EXPECT_FALSE(scenario.description.empty());
    EXPECT_TRUE(scenario.objective.has_value());
  }
  EXPECT_EQ(scenarios, 9U);
}

// Bronson et al. 2021: at 280/s for good; at 140/s zero goodput for about 118 s, that is
// (backlog - C*T)/(C - 2*load) = (2,800 - 300)/(300 - 280) = 125 s after the outage.
TEST(ScenarioLibrary, retry_storm_ends_below_half_of_the_capacity_only) {
  const std::string few = "simulation.replications=4";
  EXPECT_EQ(run_one("retry-storm", {few}).verdict.phase, Phase::vulnerable);
  const CellOutput slow = run_one("retry-storm", {few, "arrivals.rate=140/s"});
  EXPECT_EQ(slow.verdict.phase, Phase::stable);
  EXPECT_NEAR(median_recovery(slow), 120, 15);
  const CellOutput once = run_one("retry-storm", {few, "producer.max_attempts=1"});
  EXPECT_EQ(once.verdict.phase, Phase::stable);
}

TEST(ScenarioLibrary, order_pipeline_has_its_three_numbers) {
  const CellOutput cell = run_one("order-pipeline", {"simulation.replications=3"});
  for (const ArmRecord& arm : triggered(cell)) {
    // Eight minutes of outage and forty of growth; the peak is flat, hence the minutes.
    EXPECT_NEAR(arm.metrics.time_to_peak, 48 * 60, 90);
    // From the end of the outage to the peak, samples are 30 s apart.
    double effective = 0;
    double base = 0;
    for (std::size_t sample = 18 * 2; sample < 52 * 2; ++sample) {
      effective += static_cast<double>(arm.trajectory.effective_rate.at(sample));
      base += static_cast<double>(arm.trajectory.base_rate.at(sample));
      EXPECT_EQ(arm.trajectory.consumers.at(sample + 1), 16);
    }
    EXPECT_NEAR(effective / base, 2.5, 0.05);
  }
  EXPECT_LT(
      median_recovery(run_one("order-pipeline",
                              {"simulation.replications=3", "producer.max_attempts=1"})),
      1800);
}

// The edge: work of 8 s at a speed of 8/30 takes as long as its lease.
TEST(ScenarioLibrary, lease_redelivery_begins_where_work_outlasts_the_lease) {
  const std::vector<CellOutput> cells = run(from_library("lease-redelivery"));
  ASSERT_EQ(cells.size(), 7U);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    EXPECT_EQ(cells[k].verdict.phase, Phase::stable);
    for (const ArmRecord& arm : triggered(cells[k])) {
      // 0.1, 0.2, 0.25 and 0.26 are below the edge, 0.27, 0.3 and 0.4 above.
      EXPECT_EQ(arm.metrics.redelivery_rate > 0, k < 4) << k;
    }
  }
}

TEST(ScenarioLibrary, batch_fill_tips_at_85_percent_and_each_remedy_heals_it) {
  const std::string few = "simulation.replications=4";
  const auto phase_with = [&](std::vector<std::string> set) {
    set.push_back(few);
    return run_one("batch-fill", set).verdict.phase;
  };
  EXPECT_EQ(phase_with({}), Phase::vulnerable);
  EXPECT_EQ(phase_with({"arrivals.rate=8.25/s"}), Phase::stable);  // 66%
  EXPECT_EQ(phase_with({"queue.receive_batch=1"}), Phase::stable);
  EXPECT_EQ(phase_with({"queue.receive_batch=7"}), Phase::stable);
  EXPECT_EQ(phase_with({"queue.visibility_timeout=60s"}), Phase::stable);
  EXPECT_EQ(phase_with({"consumers.heartbeat=15s"}), Phase::stable);
  EXPECT_EQ(phase_with({"arrivals.rate=10/s", "queue.redeliver_at=back"}), Phase::stable);
  EXPECT_EQ(phase_with({"arrivals.rate=6/s", "queue.visibility_timeout=20s"}),
            Phase::stable);
  EXPECT_EQ(phase_with({"arrivals.rate=9.25/s", "queue.visibility_timeout=20s"}),
            Phase::vulnerable);
}

TEST(ScenarioLibrary,
     bursty_trace_collapses_without_an_incident_and_a_smooth_one_does_not) {
  EXPECT_EQ(run_one("bursty-trace").verdict.phase, Phase::spontaneous);
  EXPECT_EQ(run_one("bursty-trace", {"consumers.count=30"}).verdict.phase, Phase::stable);
  const CellOutput smooth =
      run_one("bursty-trace",
              {"arrivals.file=traces/azure_llm_2023_conv.csv", "consumers.count=22"});
  EXPECT_EQ(smooth.verdict.phases[static_cast<std::size_t>(Phase::spontaneous)].count, 0);
}

// backlog / surplus: 6,000 / (100 - load).
TEST(ScenarioLibrary, cliff_drains_in_backlog_over_surplus) {
  const std::vector<CellOutput> cells =
      run(from_library("cliff", {"simulation.replications=3"}));
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_NEAR(median_drain(cells[0]), 300, 15);
  EXPECT_NEAR(median_drain(cells[1]), 500, 30);
  EXPECT_NEAR(median_drain(cells[2]), 600, 40);
  EXPECT_GT(median_drain(cells[3]), 3000);
}

TEST(ScenarioLibrarySlow, three_am_never_drains_and_headroom_does_in_1286_seconds) {
  const std::string once = "simulation.replications=1";
  const CellOutput stuck = run_one("three-am", {once});
  EXPECT_EQ(stuck.verdict.phase, Phase::vulnerable);
  EXPECT_NEAR(triggered(stuck).at(0).metrics.peak_depth, 3.6e6, 3e4);
  EXPECT_NEAR(triggered(stuck).at(0).metrics.final_depth, 3.6e6, 3e4);
  const CellOutput back = run_one("three-am-headroom", {once});
  EXPECT_EQ(back.verdict.phase, Phase::stable);
  EXPECT_NEAR(median_drain(back), 1286, 5);
}

}  // namespace
}  // namespace basin
