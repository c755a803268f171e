#include "experiments/comparison.h"

#include <limits>

#include <gmock/gmock.h>

#include "experiments/comparison_report.h"
#include "experiments/scenario_reader.h"
#include "tests/experiments/example_scenario.h"

namespace basin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<Arm> both_arms{Arm::control, Arm::triggered};
const std::vector<Arm> control_alone{Arm::control};

Scenario example(const std::vector<std::string>& set = {}) {
  Overrides overrides{.set = set, .sweep = {}};
  overrides.set.push_back("simulation.replications=4");
  Scenario scenario = read_scenario_text(example_scenario, "example.toml", overrides);
  scenario.axes.clear();
  return scenario;
}

// Replications whose triggered arm recovered after so long.
CellResult recovered_after(const std::vector<double>& recovery_times, double depth) {
  CellResult cell;
  cell.output.status = CellStatus::done;
  cell.output.has_verdict = true;
  cell.output.arms.resize(2);
  std::vector<ReplicationVerdict> verdicts;
  for (const double time : recovery_times) {
    ArmRecord record;
    record.present = true;
    record.metrics.mean_depth = depth * (time < infinity ? 1 : 10);
    record.metrics.latency_p99 = time;
    cell.output.arms[0].push_back(record);
    record.recovery_time = time;
    record.drain_time = time;
    cell.output.arms[1].push_back(record);
    verdicts.push_back({.phase = time < infinity ? Phase::stable : Phase::vulnerable,
                        .control = {},
                        .triggered = {.recovery_time = time}});
  }
  Objective objective;
  objective.recovery_time = 1800;
  cell.output.verdict = judge_cell(verdicts, recovery_times, objective);
  return cell;
}

TEST(Comparison, counts_who_recovered_alone_and_compares_times_where_both_did) {
  const Scenario scenario = example();
  const CellResult a = recovered_after({10, infinity, infinity, 2000}, 1);
  const CellResult b = recovered_after({30, 50, infinity, 1000}, 2);
  const Comparison comparison =
      compare({.scenario = &scenario, .arms = &both_arms, .result = &a},
              {.scenario = &scenario, .arms = &both_arms, .result = &b});
  ASSERT_TRUE(comparison.recovered);
  EXPECT_EQ(comparison.recovered->both, 2);
  EXPECT_EQ(comparison.recovered->first_alone, 0);
  EXPECT_EQ(comparison.recovered->second_alone, 1);
  EXPECT_EQ(comparison.recovered->neither, 1);
  // Within 1,800 s.
  ASSERT_TRUE(comparison.within_rto);
  EXPECT_EQ(comparison.within_rto->both, 1);
  EXPECT_EQ(comparison.within_rto->second_alone, 2);
  EXPECT_EQ(comparison.recovery_time.pairs, 2);
  EXPECT_DOUBLE_EQ(comparison.recovery_time.difference.mean, (20 - 1000) / 2.0);
  ASSERT_EQ(comparison.arms.size(), 2U);
  EXPECT_FALSE(comparison.arms[1].is_identical());
}

TEST(Comparison, with_the_control_where_one_has_no_incidents) {
  const Scenario scenario = example();
  const CellResult a = recovered_after({10, 20, 30, 40}, 1);
  CellResult b = recovered_after({10, 20, 30, 40}, 1);
  b.output.arms.pop_back();
  const ComparedSide side_a{.scenario = &scenario, .arms = &both_arms, .result = &a};
  const ComparedSide side_b{.scenario = &scenario, .arms = &control_alone, .result = &b};
  const Comparison comparison = compare(side_a, side_b);
  ASSERT_EQ(comparison.arms.size(), 2U);
  EXPECT_EQ(comparison.arms[1].of_a, Arm::triggered);
  EXPECT_EQ(comparison.arms[1].of_b, Arm::control);
  EXPECT_TRUE(comparison.arms[0].is_identical());
  EXPECT_THAT(cautions(side_a, side_b), ElementsAre(HasSubstr("B has no incidents")));
}

TEST(Comparison, names_what_is_different) {
  const Scenario a = example();
  const Scenario b = example({"consumers.count=40", "simulation.seed=9"});
  const std::vector<ChangedValue> changed = changed_values(a, b);
  ASSERT_EQ(changed.size(), 1U);  // the seed does not count
  EXPECT_EQ(changed[0].key, "consumers.count");
  EXPECT_EQ(changed[0].a, "32");
  EXPECT_EQ(changed[0].b, "40");
  EXPECT_THAT(changed_values(a, a), IsEmpty());
}

TEST(Comparison, says_so_where_the_measured_parts_differ) {
  const Scenario a = example();
  const Scenario b = example({"simulation.horizon=3h", "objective.goodput=0.9"});
  const CellResult cell = recovered_after({1, 2, 3, 4}, 1);
  const std::vector<std::string> texts =
      cautions({.scenario = &a, .arms = &both_arms, .result = &cell},
               {.scenario = &b, .arms = &both_arms, .result = &cell});
  EXPECT_THAT(texts,
              ElementsAre(HasSubstr("5min to 2h in A, 5min to 3h in B"),
                          HasSubstr("objectives differ")));
}

TEST(Comparison, a_failed_replication_is_missing_and_named_in_the_texts) {
  const Scenario scenario = example();
  const CellResult a = recovered_after({10, 20, 30, 40}, 1);
  CellResult b = recovered_after({10, 20, 30, 41}, 2);
  b.output.status = CellStatus::failed;
  b.output.has_verdict = false;
  b.output.arms[1][2] = {};
  ComparisonReport report{.a = {.scenario = &scenario, .arms = &both_arms, .result = &a},
                          .b = {.scenario = &scenario, .arms = &both_arms, .result = &b},
                          .name_of_a = "a.toml",
                          .name_of_b = "b.toml",
                          .comparison = {},
                          .notes = {}};
  report.comparison = compare(report.a, report.b);
  EXPECT_FALSE(report.comparison.recovered);
  const std::string text = comparison_text(report);
  EXPECT_THAT(text, HasSubstr("No verdicts to compare"));
  EXPECT_THAT(text, HasSubstr("nothing to average in 1 of 4"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_THAT(comparison_json(report), HasSubstr("\"status\": \"failed\""));
}

}  // namespace
}  // namespace basin
