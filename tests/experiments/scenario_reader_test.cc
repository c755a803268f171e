#include "experiments/scenario_reader.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(ScenarioReader, takes_other_values_after_reading) {
  const Scenario scenario = read_scenario_text(example_scenario, "example.toml");
  const Scenario other =
      with_values(scenario, {"arrivals.rate=55.5/s", "incident.outage.duration=90s"});
  EXPECT_EQ(other.system.arrivals, Arrivals(PoissonArrivals{.rate = 55.5}));
  EXPECT_EQ(other.system.incidents[0].duration, Distribution(Deterministic{.mean = 90}));
  EXPECT_TRUE(other.axes.empty());
  EXPECT_EQ(
      with_values(other, {"arrivals.rate=100/s", "incident.outage.duration=8min"}).system,
      scenario.system);
  EXPECT_THROW(with_values(scenario, {"arrivals.rat=1/s"}), ScenarioError);
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

TEST(ScenarioReader, an_option_takes_the_axis_of_its_key_away) {
  const Scenario scenario = read_scenario_text(
      example_scenario, "x.toml", {.set = {"arrivals.rate=50/s"}, .sweep = {}});
  ASSERT_EQ(scenario.axes.size(), 1U);
  EXPECT_EQ(scenario.axes[0].key, "incident.outage.duration");
  EXPECT_EQ(scenario.system.arrivals, Arrivals(PoissonArrivals{.rate = 50}));
}

TEST(ScenarioReader, an_axis_of_the_command_line_replaces_the_files) {
  const Scenario scenario = read_scenario_text(
      example_scenario,
      "x.toml",
      {.set = {}, .sweep = {"incident.0.duration=0s:90s:4", "queue.order=fifo,lifo"}});
  ASSERT_EQ(scenario.axes.size(), 3U);
  EXPECT_EQ(scenario.axes[1].values,
            (std::vector<std::string>{"0s", "30s", "60s", "90s"}));
  EXPECT_FALSE(scenario.axes[2].is_numeric);
  EXPECT_EQ(scenario.axes[2].si_values, (std::vector<double>{0, 1}));
  EXPECT_EQ(at_cell(scenario, {0, 0, 1}).system.queue.order, QueueOrder::lifo);
}

TEST(ScenarioReader, another_kind_takes_the_keys_of_the_former_one_away) {
  const Scenario scenario = read_scenario_text(
      example_scenario,
      "x.toml",
      {.set = {"incident.outage.kind=arrival_surge", "incident.outage.factor=5"},
       .sweep = {}});
  EXPECT_EQ(scenario.system.incidents[0].effect,
            IncidentEffect(ArrivalSurge{.extra_rate = 400}));
}

TEST(ScenarioReader, a_rate_rescales_processes_with_a_mean_of_their_own) {
  const Scenario scenario = read_scenario_text(R"(
consumers.service = "1ms"
[arrivals]
process = "mmpp"
rate = "30/s"
rates = ["1/s", "3/s"]
transitions = [["0/s", "1/s"], ["1/s", "0/s"]]
)",
                                               "x.toml");
  EXPECT_EQ(std::get<MmppArrivals>(scenario.system.arrivals).rates,
            (std::vector<double>{15, 45}));
}

TEST(ScenarioReader, a_bounded_pareto_has_the_mean_that_was_asked_for) {
  const Scenario scenario = read_scenario_text(R"(
arrivals.rate = "1/s"
consumers.service = { distribution = "pareto", shape = 1.5, mean = "1s", upper = "1min" }
)",
                                               "x.toml");
  EXPECT_NEAR(mean_of(scenario.system.consumers.groups[0].service), 1, 1e-12);
}

TEST(ScenarioReader, resolved_values_say_where_they_come_from) {
  const Scenario scenario = read_scenario_text(
      example_scenario, "x.toml", {.set = {"consumers.count=8"}, .sweep = {}});
  const auto base = nlohmann::json::parse(scenario.document.resolved_json);
  const auto entry = [&](const char* key) { return base.at(key); };
  EXPECT_EQ(entry("producer.timeout")["value"], 30);
  EXPECT_EQ(entry("producer.timeout")["unit"], "s");
  EXPECT_EQ(entry("producer.timeout")["from"], "file");
  EXPECT_EQ(entry("producer.timeout")["line"], 16);
  EXPECT_EQ(entry("queue.message_ttl")["from"], "preset");
  EXPECT_EQ(entry("producer.late_reply")["from"], "default");
  EXPECT_EQ(entry("consumers.count")["from"], "--set");
  EXPECT_TRUE(entry("queue.capacity")["value"].is_null());
  const auto cell = nlohmann::json::parse(resolved_json_at(scenario, {1, 0}));
  EXPECT_EQ(cell["arrivals.rate"]["value"], 25);
  EXPECT_EQ(cell["incident.outage.duration"]["written"], "1min");
}

TEST(ScenarioReader, without_latency_and_timeout_there_is_no_verdict) {
  constexpr const char* text = "arrivals.rate = \"1/s\"\nconsumers.service = \"1ms\"\n";
  EXPECT_FALSE(read_scenario_text(text, "x.toml").objective);
  const Scenario any =
      read_scenario_text(text, "x.toml", {.set = {"objective.latency=any"}, .sweep = {}});
  EXPECT_TRUE(any.objective);
  EXPECT_FALSE(any.system.success_within);
}

TEST(ScenarioReader, outcomes_are_binned_finely_enough_and_at_most_a_million_times) {
  const auto interval = [](const char* horizon) {
    return read_scenario_text(example_scenario,
                              "x.toml",
                              {.set = {std::string("simulation.horizon=") + horizon,
                                       "simulation.sample_interval=1h"},
                               .sweep = {}})
        .system.outcome_interval;
  };
  EXPECT_EQ(interval("2h"), 1s);
  EXPECT_EQ(interval("2000000s"), 2s);
}

}  // namespace
}  // namespace basin
