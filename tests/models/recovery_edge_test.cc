// Where recovery ends: a saturated system sees A = 1 + r + … + r^(N-1) attempts a
// request, and so stays saturated if load * A is above its capacity C. The edge found by
// simulation, an hour long, is C / A within 3%; below it the backlog needs its time to
// drain, so that the edge of an hour lies a little lower than that of eternity.
#include <cmath>
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/verdict.h"
#include "models/system.h"
#include "tests/models/theory_check.h"

namespace basin {
namespace {

using namespace std::chrono_literals;

constexpr double capacity = 300;  // messages per second

struct Retries {
  int attempts;
  double per_timeout = 1;
};

double attempts_when_saturated(const Retries& retries) {
  double sum = 0;
  for (int generation = 0; generation < retries.attempts; ++generation) {
    sum += std::pow(retries.per_timeout, generation);
  }
  return sum;
}

// One server of 1/300 s, timeout 1 s, retries at once; with the trigger it starts behind
// ten seconds of work.
SystemConfig saturated(double load, const Retries& retries) {
  SystemConfig config;
  config.arrivals = PoissonArrivals{load};
  config.consumers.groups = {
      {.name = "", .count = 1, .service = Deterministic{1 / capacity}}};
  config.producer = {.timeout = 1s,
                     .max_attempts = retries.attempts,
                     .retries_per_timeout = retries.per_timeout,
                     .backoff = {}};
  config.success_within = 1s;
  config.horizon = 1h;
  config.incidents = {{.name = "saturated", .effect = Saturated{10s}}};
  return config;
}

Phase verdict(double load, const Retries& retries, std::uint64_t replication) {
  const SystemConfig triggered = saturated(load, retries);
  SystemConfig control = triggered;
  control.incidents.clear();
  const RandomKey key{.seed = 34, .replication = replication};
  const RunResult results[] = {simulate(control, key), simulate(triggered, key)};
  std::vector<float> work[2];
  ArmView arms[2];
  for (std::size_t arm = 0; arm < 2; ++arm) {
    const Trajectory& trajectory = results[arm].trajectory;
    for (std::size_t i = 0; i < trajectory.depth.size(); ++i) {
      work[arm].push_back(trajectory.depth[i] + trajectory.in_flight[i] +
                          trajectory.retries_pending[i]);
    }
    arms[arm] = {.created = results[arm].outcomes.created,
                 .succeeded = results[arm].outcomes.succeeded,
                 .bin = to_seconds(triggered.outcome_interval),
                 .work = work[arm],
                 .sample = to_seconds(triggered.sample_interval),
                 .horizon = to_seconds(triggered.horizon),
                 .first_incident_start = std::nullopt,
                 .last_incident_end = std::nullopt,
                 .truncated_at = std::nullopt};
  }
  arms[1].first_incident_start = to_seconds(results[1].first_incident_start.value());
  arms[1].last_incident_end = to_seconds(results[1].last_incident_end.value());
  return judge_replication(arms[0], arms[1], {}).phase;
}

// Most of three replications are stable at the load.
bool recovers(double load, const Retries& retries) {
  int stable = 0;
  for (const auto& row : replicate(3, [&](std::uint64_t replication) {
         const bool is_stable = verdict(load, retries, replication) == Phase::stable;
         return std::vector<double>{is_stable ? 1.0 : 0.0};
       })) {
    stable += row[0] > 0 ? 1 : 0;
  }
  return stable >= 2;
}

void expect_edge(const Retries& retries) {
  const double theory = capacity / attempts_when_saturated(retries);
  double low = 0.8 * theory;
  double high = 1.2 * theory;
  ASSERT_TRUE(recovers(low, retries));
  ASSERT_FALSE(recovers(high, retries));
  while (high - low > 0.002 * theory) {
    const double middle = 0.5 * (low + high);
    (recovers(middle, retries) ? low : high) = middle;
  }
  std::printf("  %d attempts, %.1f a timeout: recovers up to %.2f/s, C/A = %.2f/s\n",
              retries.attempts,
              retries.per_timeout,
              low,
              theory);
  EXPECT_NEAR(0.5 * (low + high), theory, 0.03 * theory);
}

TEST(RecoveryEdge, three_percent_around_capacity_over_attempts_decide) {
  const double edge = capacity / 2;
  EXPECT_EQ(verdict(0.97 * edge, {.attempts = 2}, 0), Phase::stable);
  EXPECT_EQ(verdict(1.03 * edge, {.attempts = 2}, 0), Phase::vulnerable);
}

TEST(RecoveryEdgeSlow, is_capacity_over_attempts) {
  expect_edge({.attempts = 2});
  expect_edge({.attempts = 3});
  expect_edge({.attempts = 5});
}

TEST(RecoveryEdgeSlow, is_capacity_over_the_geometric_sum_with_more_retries_a_timeout) {
  expect_edge({.attempts = 3, .per_timeout = 1.5});
  expect_edge({.attempts = 4, .per_timeout = 0.5});
}

}  // namespace
}  // namespace basin
