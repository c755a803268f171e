// Operators against a published retry storm (Bronson et al., HotOS '21, section 2.1): one
// server of 300/s, a timeout of 1 s with one retry sent at once, 280/s, an outage of 10 s
// at 50 s. Every request is sent twice, so the queue grows by 260/s; operators act at
// 200 s. What must come out is the arithmetic of the backlog.
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "experiments/rescue_search.h"
#include "experiments/runner.h"
#include "models/system.h"

namespace basin {
namespace {

using std::chrono::seconds;

Scenario retry_storm() {
  Scenario scenario;
  scenario.name = "retry storm";
  scenario.replications = 3;
  SystemConfig& system = scenario.system;
  system.arrivals = PoissonArrivals{280};
  system.producer.timeout = seconds{1};
  system.producer.max_attempts = 2;
  system.consumers.groups = {
      {.name = "", .count = 1, .service = Deterministic{1.0 / 300}}};
  system.incidents.push_back({.name = "outage",
                              .start = seconds{50},
                              .duration = Deterministic{10},
                              .effect = ConsumerOutage{}});
  system.success_within = seconds{1};
  system.horizon = std::chrono::hours{1};
  system.sample_interval = seconds{5};
  scenario.objective = Objective{};
  scenario.recovery_counts_from = seconds{200};
  return scenario;
}

class NoProgress final : public Progress {
 public:
  void update(std::size_t, std::size_t) override {}
  void clear() override {}
};

std::vector<CellResult> run(const std::vector<Scenario>& scenarios) {
  RunnerOptions options;
  options.simulate =
      [](const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
        return simulate(config, key, limits);
      };
  options.threads = 2;
  options.trajectories = TrajectoriesToKeep::all;
  NoProgress progress;
  return run_candidates(scenarios, options, progress).cells;
}

std::vector<ArmRecord> replications_with(const InterventionEffect& effect) {
  Scenario scenario = retry_storm();
  scenario.system.interventions.push_back(
      {.name = "act", .start = seconds{200}, .duration = {}, .effect = effect});
  return run({scenario}).front().output.arms.at(1);
}

// What the outage leaves, 280/s for 10 s and as many retries for 9 s, and 260/s for the
// 140 s after it: 41,720 messages when operators act. The standard deviation is that of
// two messages for each of the requests of 140 s, sqrt(4 * 280 * 140) = 396.
constexpr double expected_backlog = 41'720;
constexpr double backlog_tolerance = 1'600;

// Waiting messages when operators act.
double backlog_of(const ArmRecord& record) {
  return static_cast<double>(record.trajectory.depth.at(200 / 5));
}

// Goodput is back when the wait is below the timeout: at 300 messages.
TEST(RescueCase, shedding_to_100_a_second_drains_at_100_a_second) {
  for (const ArmRecord& record : replications_with(Shed{.admitted = 100.0 / 280})) {
    const double backlog = backlog_of(record);
    EXPECT_NEAR(backlog, expected_backlog, backlog_tolerance);
    // A standard deviation of sqrt(4 * 100 * 415) messages: 4 s.
    EXPECT_NEAR(record.recovery_time, (backlog - 300) / (300 - 2 * 100), 20);
    EXPECT_NEAR(record.recovery_time, 415, 30);
    EXPECT_NEAR(static_cast<double>(record.interventions.shed), 180 * 3'400, 10'000);
  }
}

TEST(RescueCase, shedding_to_152_a_second_never_drains) {
  for (const ArmRecord& record : replications_with(Shed{.admitted = 152.0 / 280})) {
    EXPECT_TRUE(std::isinf(record.recovery_time));
    EXPECT_TRUE(record.stuck);
  }
}

// 280 of 300 messages a second are new ones: 20/s, with a standard deviation of
// sqrt(280 * 2,060) messages: 38 s.
TEST(RescueCase, without_retries_it_drains_at_20_a_second) {
  for (const ArmRecord& record : replications_with(RetriesOff{})) {
    EXPECT_NEAR(record.recovery_time, (backlog_of(record) - 300) / (300 - 280), 160);
  }
}

// 600/s against the 560/s of a storm: 40/s, with a standard deviation of
// sqrt(4 * 280 * 1,030) messages: 27 s.
TEST(RescueCase, one_more_server_drains_at_40_a_second) {
  for (const ArmRecord& record : replications_with(AddConsumers{.count = 1})) {
    EXPECT_NEAR(record.recovery_time, (backlog_of(record) - 600) / (600 - 560), 110);
  }
}

TEST(RescueCase, a_purge_heals_at_once) {
  for (const ArmRecord& record : replications_with(Purge{})) {
    EXPECT_LE(record.recovery_time, 2);
    EXPECT_NEAR(static_cast<double>(record.interventions.purged),
                expected_backlog,
                backlog_tolerance);
  }
}

// Left to itself it stays down. Of loads in steps of 2% the largest that drains the
// backlog within 3,340 s (the horizon less a hold) is below 150 - 41,400 / 3,340 / 2 =
// 143.8: 140/s, and not 145.6/s. One server more is enough, and 98% of the queue is too
// little: 830 messages are a wait of more than a second.
TEST(RescueCaseSlow, the_search_finds_what_the_arithmetic_says) {
  RescueQuestion question;
  question.scenario = retry_storm();
  question.at = seconds{200};
  question.rto = 3'400;
  const RescueAnswer answer = search_rescue(question, run);
  EXPECT_FALSE(answer.recovers_by_itself);
  EXPECT_EQ(answer.nothing.recovered.count, 0);
  const auto enough = [&](Lever lever) {
    return answer.levers.at(static_cast<std::size_t>(lever)).enough.value().effect;
  };
  EXPECT_NEAR(280 * std::get<Shed>(enough(Lever::shed)).admitted, 140, 1e-6);
  EXPECT_EQ(enough(Lever::add_consumers), InterventionEffect(AddConsumers{.count = 1}));
  EXPECT_EQ(enough(Lever::retries_off), InterventionEffect(RetriesOff{}));
  EXPECT_EQ(enough(Lever::purge), InterventionEffect(Purge{.fraction = 1}));
  // Back at full load the queue is short, and a short queue stays short.
  EXPECT_EQ(answer.return_of_load.value().trial.recovered.count, 3);
}

}  // namespace
}  // namespace basin
