// The texts that the command line prints, apart from the program around them.

#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "experiments/library.h"
#include "experiments/pilot.h"
#include "experiments/report_json.h"
#include "experiments/run_summary.h"
#include "experiments/sparkline.h"
#include "experiments/text_diff.h"

namespace basin {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(TextDiff, shows_the_lines_that_changed_and_no_others) {
  EXPECT_EQ(text_diff("a\nb\nc\n", "a\nB\nc\nd\n", {.from = "old", .to = "new"}),
            "--- old\n+++ new\n-b\n+B\n+d");
}

TEST(TextDiff, is_short) {
  std::string many;
  for (int k = 0; k < 100; ++k) {
    many += std::to_string(k) + "\n";
  }
  const std::string diff = text_diff(many, "", {.from = "a", .to = "b", .most_lines = 3});
  EXPECT_EQ(diff, "--- a\n+++ b\n-0\n-1\n-2\nand 97 more lines");
}

TEST(TextDiff, takes_empty_texts_and_a_last_line_without_an_end) {
  EXPECT_EQ(text_diff("", "", {.from = "a", .to = "b"}), "--- a\n+++ b");
  EXPECT_EQ(text_diff("x", "x\n", {.from = "a", .to = "b"}), "--- a\n+++ b");
}

TEST(Sparkline, goes_from_blank_to_full) {
  const std::array<double, 4> values{0, 1, 4, 8};
  EXPECT_EQ(sparkline(values, 8, 4, true), " ▁▄█");
  EXPECT_EQ(sparkline(values, 8, 4, false), " 159");
}

TEST(Sparkline, takes_the_mean_where_columns_are_few_and_repeats_where_they_are_many) {
  const std::array<double, 4> values{0, 8, 8, 8};
  EXPECT_EQ(sparkline(values, 8, 2, true), "▄█");
  EXPECT_EQ(sparkline(values, 8, 8, true), "  ██████");
  EXPECT_EQ(sparkline({}, 8, 10, true), "");
}

TEST(Sparkline, what_is_above_zero_is_never_blank) {
  const std::array<double, 2> values{0.001, 1000};
  EXPECT_EQ(sparkline(values, 1000, 2, true), "▁█");
}

TEST(IncidentMarks, stand_where_the_incident_goes_on) {
  EXPECT_EQ(incident_marks({{.from = 20, .to = 45}}, 100, 10), "  ^^^");
  EXPECT_EQ(incident_marks({{.from = 99, .to = infinity}}, 100, 10), "         ^");
}

TEST(Readable, numbers_are_short) {
  EXPECT_EQ(readable(0.98765), "0.9877");
  EXPECT_EQ(readable(12345.6), "12,346");
  EXPECT_EQ(readable(-1234), "-1,234");
  EXPECT_EQ(readable(999'999.6), "1M");
  EXPECT_EQ(readable(3'600'465), "3.6M");
  EXPECT_EQ(readable(infinity), "never");
  EXPECT_EQ(readable(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Readable, spans_have_the_unit_that_people_use) {
  EXPECT_EQ(readable_span(0.0025), "2.5 ms");
  EXPECT_EQ(readable_span(0), "0 s");
  EXPECT_EQ(readable_span(42), "42 s");
  EXPECT_EQ(readable_span(1286), "21.4 min");
  EXPECT_EQ(readable_span(7200), "2 h");
}

Scenario small_scenario() {
  Scenario scenario;
  scenario.name = "small";
  scenario.replications = 2;
  scenario.system.horizon = std::chrono::seconds{100};
  scenario.system.incidents.resize(1);
  scenario.system.incidents[0].start = std::chrono::seconds{10};
  scenario.objective = Objective{.recovery_time = 60.0};
  return scenario;
}

// Two replications of both arms, the triggered one down for good.
CellResult vulnerable_cell() {
  CellResult cell;
  cell.output.status = CellStatus::done;
  cell.output.has_verdict = true;
  cell.output.phases = {Phase::vulnerable, Phase::vulnerable};
  CellVerdict& verdict = cell.output.verdict;
  verdict.phase = Phase::vulnerable;
  verdict.replications = 2;
  verdict.phases[static_cast<std::size_t>(Phase::vulnerable)] = {
      .count = 2, .estimate = 1, .interval = jeffreys_interval(2, 2)};
  verdict.within_rto =
      Probability{.count = 0, .estimate = 0, .interval = jeffreys_interval(0, 2)};
  verdict.recovery_time = {infinity, infinity, infinity};
  verdict.drain_time = {infinity, infinity, infinity};
  for (const double ratio : {1.0, 0.1}) {
    std::vector<ArmRecord>& records = cell.output.arms.emplace_back(2);
    for (ArmRecord& record : records) {
      record.present = true;
      record.metrics.goodput_ratio = ratio;
      record.metrics.latency_p50 = ratio < 1 ? infinity : 0.02;
      record.trajectory.depth = {0, 1, 2, 3};
      record.trajectory.goodput = {3, 2, 1, 0};
      record.recovery_time = infinity;
    }
  }
  return cell;
}

TEST(RunSummary, says_what_happened_and_how_sure_that_is) {
  const std::string text = run_summary(
      small_scenario(), {Arm::control, Arm::triggered}, vulnerable_cell(), {});
  EXPECT_THAT(
      text,
      HasSubstr("VULNERABLE (undecided): stays down after the trigger is gone, in 2 "
                "of 2 replications."));
  EXPECT_THAT(text, HasSubstr("recovered within 60 s"));
  EXPECT_THAT(text, HasSubstr("not reached by the horizon of 100 s"));
  EXPECT_THAT(text, HasSubstr("never"));
  EXPECT_THAT(text, HasSubstr("█  up to 3\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(RunSummary, a_failed_cell_has_no_verdict_but_its_reason) {
  CellResult cell = vulnerable_cell();
  cell.output.status = CellStatus::failed;
  cell.output.has_verdict = false;
  cell.output.message = "control arm, replication 1, seed 1: no progress in time";
  EXPECT_EQ(verdict_sentence(small_scenario(), cell),
            "No verdict: control arm, replication 1, seed 1: no progress in time");
}

TEST(ReportJson, what_is_not_finite_is_null) {
  const std::string json =
      run_json(small_scenario(), {Arm::control, Arm::triggered}, vulnerable_cell());
  EXPECT_THAT(json, Not(HasSubstr("inf")));
  EXPECT_THAT(json, Not(HasSubstr("nan")));
  EXPECT_THAT(json, HasSubstr("\"p50\": null"));
}

TEST(ReportJson, the_variance_reduction_needs_both_arms) {
  CellOutput cell = vulnerable_cell().output;
  cell.arms[0][0].metrics.throughput = 1;
  cell.arms[1][0].metrics.throughput = 2;
  // Var 1/2 and 2, of the difference 1/2.
  EXPECT_DOUBLE_EQ(variance_reduction(cell, &Metrics::throughput), 5.0);
  cell.arms.pop_back();
  EXPECT_TRUE(std::isnan(variance_reduction(cell, &Metrics::throughput)));
}

TEST(Library, a_scenario_is_described_by_its_description_or_first_comment) {
  EXPECT_EQ(description_of("# Headline.\nname = \"a\"\ndescription = \"What it is.\"\n"),
            "What it is.");
  EXPECT_EQ(description_of("\n# Headline.\n# More.\nname = \"a\"\n"), "Headline.");
  EXPECT_EQ(description_of("name = \"a\""), "");
}

TEST(Library, every_scenario_can_be_read_by_its_name) {
  ASSERT_FALSE(library_scenarios().empty());
  for (const LibraryScenario& scenario : library_scenarios()) {
    EXPECT_EQ(load_scenario(std::string{scenario.name}, {}).name, scenario.name);
  }
  EXPECT_THROW(load_scenario("no-such-thing", {}), UnknownScenario);
}

Axis axis_of(std::size_t size) {
  Axis axis{.key = "a", .unit = "1", .values = {}, .si_values = {}};
  axis.values.resize(size);
  axis.si_values.resize(size);
  return axis;
}

TEST(Pilot, looks_at_the_corners_and_the_middle) {
  const Grid grid{{axis_of(3), axis_of(5)}};
  EXPECT_EQ(pilot_cells(grid, 9), (std::vector<std::size_t>{0, 4, 7, 10, 14}));
  EXPECT_EQ(pilot_cells(Grid{{}}, 9), (std::vector<std::size_t>{0}));
}

TEST(Pilot, keeps_to_its_number_of_cells) {
  const Grid grid{{axis_of(3), axis_of(3), axis_of(3), axis_of(3), axis_of(3)}};
  EXPECT_EQ(pilot_cells(grid, 9).size(), 9U);
}

TEST(Pilot, estimates_from_the_mean_of_each_arm_and_stops_runs_that_take_long) {
  Scenario scenario = small_scenario();
  RunnerOptions options;
  options.simulate = [](const SystemConfig&, const RandomKey&, const RunLimits& limits) {
    while (!limits.stop->load()) {
    }
    throw RunStopped();
    return RunResult{};
  };
  const CostEstimate estimate =
      estimate_cost(scenario, options, {.seconds_per_run = 0.05});
  ASSERT_EQ(estimate.runs.size(), 2U);
  EXPECT_TRUE(estimate.runs[0].cut_short);
  EXPECT_TRUE(estimate.at_least);
  EXPECT_GT(estimate.cpu_seconds, 0);
}

}  // namespace
}  // namespace basin
