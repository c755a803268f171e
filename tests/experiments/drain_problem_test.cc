#include "experiments/drain_problem.h"

#include <gtest/gtest.h>

#include "analysis/no_answer.h"
#include "experiments/library.h"

namespace basin {
namespace {

// 25 consumers of 400/s at 10,000/s, callers with three attempts, and that incident.
Scenario scenario_with(IncidentEffect effect, double seconds = 600) {
  Scenario scenario;
  scenario.name = "fleet";
  scenario.system.arrivals = PoissonArrivals{10'000};
  scenario.system.producer.timeout = std::chrono::seconds{30};
  scenario.system.producer.max_attempts = 3;
  scenario.system.producer.retries_per_timeout = 0.5;
  scenario.system.queue.message_ttl = std::chrono::minutes{10};
  scenario.system.consumers.groups = {
      {.name = "", .count = 25, .service = Deterministic{1.0 / 400}}};
  scenario.system.success_within = std::chrono::seconds{60};
  scenario.objective = Objective{.recovery_time = 1'800};
  scenario.system.incidents = {{.name = "poison", .effect = Poison{}},
                               {.name = "trouble",
                                .duration = Deterministic{seconds},
                                .effect = std::move(effect)}};
  return scenario;
}

DrainProblem problem_of(const Scenario& scenario, const DrainValues& values = {}) {
  return drain_problem(&scenario, values);
}

TEST(DrainProblem, a_scenario_gives_all_it_says) {
  const DrainProblem problem =
      problem_of(scenario_with(ConsumerOutage{.share = std::int64_t{15}}));
  EXPECT_EQ(problem.scenario, "fleet");
  EXPECT_EQ(problem.flow.arrival_rate, 10'000);
  EXPECT_EQ(problem.flow.consumers, 25);
  EXPECT_DOUBLE_EQ(problem.flow.service_rate, 400);
  EXPECT_NEAR(problem.backlog.value(), 3.6e6, 1e-6);
  EXPECT_EQ(problem.accumulation_from, "15 of 25 consumers gone");
  EXPECT_EQ(problem.recovery_time, 1'800);
  EXPECT_EQ(problem.wait_objective, 60);
  EXPECT_EQ(problem.time_to_live, 600);
  EXPECT_EQ(problem.timeout, 30);
  EXPECT_EQ(problem.retries_per_timeout, 0.75);  // 0.5 + 0.25: A - 1
}

TEST(DrainProblem, incidents_build_backlogs_each_in_its_way) {
  EXPECT_NEAR(
      problem_of(scenario_with(ConsumerOutage{.share = 0.6})).accumulation, 6'000, 1e-6);
  EXPECT_NEAR(
      problem_of(scenario_with(Slowdown{.speed = 0.5})).accumulation, 5'000, 1e-6);
  EXPECT_NEAR(problem_of(scenario_with(ArrivalSurge{1'000})).accumulation, 1'000, 1e-6);
  EXPECT_EQ(problem_of(scenario_with(Partition{Partition::Side::messages})).accumulation,
            10'000);
  EXPECT_EQ(problem_of(scenario_with(Backlog{5'000})).backlog, 5'000);
  EXPECT_EQ(problem_of(scenario_with(Saturated{std::chrono::seconds{10}})).backlog,
            100'000);
  const DrainProblem none = problem_of(scenario_with(AckLoss{}));
  EXPECT_FALSE(none.backlog.has_value());
  EXPECT_TRUE(none.accumulation_assumed);
}

TEST(DrainProblem, values_beside_the_scenario_win) {
  const Scenario scenario = scenario_with(ConsumerOutage{.share = std::int64_t{15}});
  EXPECT_EQ(problem_of(scenario, {.consumers = 32}).backlog.value(), 3'200 * 600);
  EXPECT_EQ(problem_of(scenario, {.backlog = 7}).backlog, 7);
  EXPECT_NEAR(problem_of(scenario, {.incident = 60}).backlog.value(), 3.6e5, 1e-6);
  EXPECT_NEAR(problem_of(scenario, {.lost_consumers = 5}).backlog.value(), 1.2e6, 1e-6);
  EXPECT_EQ(problem_of(scenario, {.accumulation = 10}).backlog, 6'000);
  EXPECT_EQ(problem_of(scenario, {.retries_per_timeout = 2}).retries_per_timeout, 2);
  EXPECT_EQ(problem_of(scenario, {.arrival_rate = 5'000}).flow.arrival_rate, 5'000);
  EXPECT_THROW(problem_of(scenario, {.lost_consumers = 26}), NoAnswer);
}

TEST(DrainProblem, the_first_consumers_are_those_that_are_lost) {
  Scenario scenario = scenario_with(ConsumerOutage{.share = std::int64_t{15}});
  scenario.system.consumers.groups = {
      {.name = "fast", .count = 10, .service = Deterministic{1.0 / 800}},
      {.name = "slow", .count = 10, .service = Deterministic{1.0 / 200}}};
  const DrainProblem problem = problem_of(scenario);
  EXPECT_EQ(problem.flow.consumers, 20);
  EXPECT_DOUBLE_EQ(problem.flow.service_rate, 500);
  EXPECT_NEAR(problem.accumulation, 9'000, 1e-6);  // five slow ones are left
  EXPECT_EQ(problem.notes.size(), 2U);
}

TEST(DrainProblem, a_recovery_time_counts_without_a_latency) {
  const Scenario scenario =
      load_scenario("three-am", {.set = {"objective.latency=any"}, .sweep = {}});
  EXPECT_EQ(problem_of(scenario).recovery_time, 1'800);
}

}  // namespace
}  // namespace basin
