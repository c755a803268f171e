// The simulated system in motion against what theory says of it: from empty, through a
// surge and its drain, and on either side of the edge between recovery and collapse.
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/theory_check.h"

namespace basin {
namespace {

using namespace std::chrono_literals;

SystemConfig mm1(double arrivals, double services) {
  SystemConfig config;
  config.arrivals = PoissonArrivals{arrivals};
  config.consumers.groups = {
      {.name = "", .count = 1, .service = Exponential{1 / services}}};
  return config;
}

Incident surge(double extra_rate, Duration start, Duration duration) {
  return {.name = "surge",
          .start = start,
          .duration = Deterministic{to_seconds(duration)},
          .effect = ArrivalSurge{extra_rate}};
}

std::vector<double> column(const std::vector<std::vector<double>>& rows,
                           std::size_t place) {
  std::vector<double> values;
  for (const std::vector<double>& row : rows) {
    values.push_back(row[place]);
  }
  return values;
}

void expect_column(const std::string& what,
                   const std::vector<std::vector<double>>& rows,
                   std::size_t place,
                   const std::string& name,
                   double exact,
                   double widest) {
  expect_agreement(what,
                   {.name = name, .exact = exact, .estimate = {}},
                   interval_of(column(rows, place)),
                   widest);
}

// M/M/1, load 0.8, empty at time 0, after 10 mean services. Uniformization of the chain
// (rate lambda + mu, 400 states); the same to 4e-16 by the matrix exponential.
void check_growth_from_empty(int runs_in_a_group, double widest) {
  SystemConfig config = mm1(0.8, 1);
  config.horizon = 10s;
  config.sample_interval = 10s;
  config.outcome_interval = 10s;
  config.success_within = 1ns;  // what happens after 10 s does not matter here
  const auto rows = replicate(100, [&](std::uint64_t group) {
    double sum = 0;
    double squares = 0;
    double empty = 0;
    const auto runs = static_cast<std::uint64_t>(runs_in_a_group);
    for (std::uint64_t run = 0; run < runs; ++run) {
      const RunResult result =
          simulate(config, {.seed = 21, .replication = group * runs + run});
      const double number = static_cast<double>(result.trajectory.depth[1]) +
                            static_cast<double>(result.trajectory.in_flight[1]);
      sum += number;
      squares += number * number;
      empty += number == 0 ? 1 : 0;
    }
    return std::vector<double>{
        sum / runs_in_a_group, squares / runs_in_a_group, empty / runs_in_a_group};
  });
  constexpr double mean = 2.030281563579;
  constexpr double variance = 4.440750554947;
  std::printf("M/M/1, load 0.8, 10 s from empty: uniformization\n");
  expect_column("from empty", rows, 0, "E N(10)", mean, widest);
  expect_column("from empty", rows, 1, "E N(10)^2", variance + mean * mean, widest);
  expect_column("from empty", rows, 2, "P(N(10) = 0)", 0.2864225932848, widest);
}

TEST(TransientOracles, growth_from_empty_follows_the_chain) {
  check_growth_from_empty(400, 0.12);
}
TEST(TransientOraclesSlow, growth_from_empty_follows_the_chain) {
  check_growth_from_empty(10'000, 0.02);
}

// Load 0.8; arrivals at 1.5 for 100 s, then at 0.8 again. Fluid: the backlog grows to
// (1.5
// - 1) * 100 = 50 mean seconds of work and is gone 50 / (1 - 0.8) = 250 s later. Per unit
// of the fluid there are 1,000 messages, whose chance moves both by 1%.
void check_surge_and_drain(int replications, double widest) {
  constexpr double scale = 1000;
  SystemConfig config = mm1(0.8 * scale, scale);
  config.horizon = 600s;
  config.warmup = 10s;
  config.incidents = {surge((1.5 - 0.8) * scale, 20s, 100s)};
  const auto rows = replicate(replications, [&](std::uint64_t replication) {
    const RunResult result = simulate(config, {.seed = 22, .replication = replication});
    const double drained = to_seconds(result.drained_at.value_or(never));
    return std::vector<double>{result.metrics.peak_depth / scale,
                               drained - to_seconds(result.last_incident_end.value())};
  });
  std::printf("surge and drain: fluid limit, %g messages a unit\n", scale);
  expect_column("surge", rows, 0, "peak backlog", 50, widest);
  expect_column("surge", rows, 1, "drain time", 250, widest);
}

TEST(TransientOracles, a_surge_drains_as_the_fluid_does) {
  check_surge_and_drain(24, 0.08);
}
TEST(TransientOraclesSlow, a_surge_drains_as_the_fluid_does) {
  check_surge_and_drain(120, 0.02);
}

// One server, exponential work of mean 1 s, timeout 10 s, three attempts, each at once: a
// saturated system feeds itself if load * 3 > 1. A surge to 3/s for 60 s saturates it.
// Replications that are back at 40,000 s; elsewhere it was found for 40 of them that all
// are at 0.25, 0.30 and 0.32, and none at 0.34, 0.36 and 0.40.
int recovered(double load, int replications) {
  SystemConfig config = mm1(load, 1);
  config.producer = {.timeout = 10s, .max_attempts = 3, .backoff = {}};
  config.success_within = 10s;
  config.horizon = 40'000s;
  config.incidents = {surge(3 - load, 100s, 60s)};
  const auto rows = replicate(replications, [&](std::uint64_t replication) {
    const RunResult result = simulate(config, {.seed = 23, .replication = replication});
    double created = 0;
    double succeeded = 0;
    for (std::size_t bin = 36'000; bin < 40'000; ++bin) {
      created += result.outcomes.created[bin];
      succeeded += result.outcomes.succeeded[bin];
    }
    return std::vector<double>{succeeded > 0.5 * created ? 1.0 : 0.0};
  });
  int count = 0;
  for (const std::vector<double>& row : rows) {
    count += row[0] > 0 ? 1 : 0;
  }
  std::printf("load %.3f, edge 0.333: %d of %d recovered\n", load, count, replications);
  return count;
}

TEST(TransientOracles, three_attempts_recover_below_a_third_of_the_capacity) {
  EXPECT_EQ(recovered(0.30, 8), 8);
  EXPECT_EQ(recovered(0.36, 8), 0);
}
TEST(TransientOraclesSlow, three_attempts_recover_below_a_third_of_the_capacity) {
  for (const double load : {0.25, 0.30, 0.32}) {
    EXPECT_EQ(recovered(load, 40), 40) << load;
  }
  for (const double load : {0.347, 0.36, 0.40}) {
    EXPECT_EQ(recovered(load, 40), 0) << load;
  }
}

}  // namespace
}  // namespace basin
