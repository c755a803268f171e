#include "experiments/scenario_reader.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/example_scenario.h"

namespace basin {
namespace {

using namespace std::chrono_literals;

TEST(ScenarioReader, reads_the_example) {
  const Scenario scenario = read_scenario_text(example_scenario, "example.toml");
  EXPECT_EQ(scenario.name, "payments-outage");
  EXPECT_EQ(scenario.seed, 1U);
  EXPECT_EQ(scenario.replications, 20);
  EXPECT_TRUE(scenario.common_random_numbers);
  const SystemConfig& system = scenario.system;
  EXPECT_EQ(system.horizon, 2h);
  EXPECT_EQ(system.warmup, 5min);
  EXPECT_EQ(system.sample_interval, 5s);
  EXPECT_EQ(system.arrivals, Arrivals(PoissonArrivals{.rate = 100}));
  EXPECT_EQ(system.producer.timeout, Duration(30s));
  EXPECT_EQ(system.producer.max_attempts, 4);
  EXPECT_EQ(system.producer.backoff,
            (Backoff{.kind = Backoff::Kind::exponential,
                     .base = 1s,
                     .factor = 2,
                     .cap = 20s,
                     .jitter = Backoff::Jitter::full}));
  EXPECT_EQ(system.queue.visibility_timeout, Duration(30s));
  EXPECT_EQ(system.queue.receive_batch, 10);
  EXPECT_EQ(system.queue.message_ttl, Duration(96h)) << "from the preset";
  ASSERT_EQ(system.consumers.groups.size(), 1U);
  EXPECT_EQ(system.consumers.groups[0].count, 32);
  EXPECT_EQ(system.consumers.groups[0].service, Distribution(Exponential{.mean = 0.25}));
  ASSERT_EQ(system.incidents.size(), 1U);
  EXPECT_EQ(system.incidents[0].name, "outage");
  EXPECT_EQ(system.incidents[0].start, 10min);
  EXPECT_EQ(system.incidents[0].duration, Distribution(Deterministic{.mean = 480}));
  EXPECT_EQ(system.incidents[0].effect, IncidentEffect(ConsumerOutage{.share = 1.0}));
  EXPECT_EQ(system.success_within, Duration(60s));
  ASSERT_TRUE(scenario.objective);
  EXPECT_EQ(*scenario.objective, (Objective{.goodput = 0.95, .recovery_time = 1800}));
}

TEST(ScenarioReader, makes_axes_in_decimal) {
  const Scenario scenario = read_scenario_text(example_scenario, "example.toml");
  ASSERT_EQ(scenario.axes.size(), 2U);
  const Axis& rate = scenario.axes[0];
  EXPECT_EQ(rate.key, "arrivals.rate");
  EXPECT_EQ(rate.unit, "1/s");
  ASSERT_EQ(rate.values.size(), 21U);
  EXPECT_EQ(rate.values[1], "25/s");
  EXPECT_EQ(rate.si_values[20], 120);
  EXPECT_TRUE(rate.touches_control);
  const Axis& duration = scenario.axes[1];
  EXPECT_EQ(duration.values, (std::vector<std::string>{"1min", "2min", "4min", "8min"}));
  EXPECT_EQ(duration.si_values, (std::vector<double>{60, 120, 240, 480}));
  EXPECT_FALSE(duration.touches_control);
}

TEST(ScenarioReader, a_cell_has_the_values_of_its_indices) {
  const Scenario scenario = read_scenario_text(example_scenario, "example.toml");
  const Scenario cell = at_cell(scenario, {3, 1});
  EXPECT_EQ(cell.system.arrivals, Arrivals(PoissonArrivals{.rate = 35}));
  EXPECT_EQ(cell.system.incidents[0].duration, Distribution(Deterministic{.mean = 120}));
  EXPECT_TRUE(cell.axes.empty());
  EXPECT_EQ(cell.name, scenario.name);
}

}  // namespace
}  // namespace basin
