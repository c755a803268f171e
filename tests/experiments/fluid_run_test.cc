#include "experiments/fluid_run.h"

#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "experiments/runner.h"
#include "experiments/scenario_reader.h"
#include "models/system.h"

namespace basin {
namespace {

using testing::HasSubstr;

// Ten thousand a second on 32 consumers of 400/s, and more of it by `rest`.
std::string scenario_text(const std::string& rest, const std::string& simulation = "") {
  return fmt::format(R"([simulation]
horizon = "20min"
warmup = "1min"
seed = 3
replications = 2
{}
[arrivals]
process = "poisson"
rate = "10k/s"
[consumers]
count = 32
service = {{ distribution = "exponential", rate = "400/s" }}
{}
)",
                     simulation,
                     rest);
}

constexpr const char* outage = R"([[incident]]
name = "outage"
kind = "consumer_outage"
start = "2min"
duration = "90s"
)";
constexpr const char* retries = "[producer]\ntimeout = \"30s\"\nmax_attempts = 3\n";

// Both engines on the same scenario: depth within 2% of its peak everywhere, rates too.
void expect_alike(const std::string& rest) {
  const Scenario scenario = read_scenario_text(scenario_text(rest), "test.toml");
  const RandomKey key = key_of(scenario, {}, 0);
  const RunResult events = simulate(scenario.system, key);
  const RunResult fluid = fluid_run(scenario.system, key);
  ASSERT_EQ(events.trajectory.depth.size(), fluid.trajectory.depth.size());
  const double peak = events.metrics.peak_depth;
  EXPECT_NEAR(fluid.metrics.peak_depth, peak, 0.01 * peak);
  for (std::size_t k = 1; k + 1 < events.trajectory.depth.size(); ++k) {
    // A jump may fall on the other side of a sample.
    double off = std::numeric_limits<double>::infinity();
    for (const std::size_t near : {k - 1, k, k + 1}) {
      off = std::min(off,
                     std::abs(static_cast<double>(fluid.trajectory.depth[near]) -
                              static_cast<double>(events.trajectory.depth[k])));
    }
    ASSERT_LT(off, 0.02 * peak) << "sample " << k << " of " << rest;
  }
  for (const MetricInfo& info : metric_table) {
    const std::string name{info.name};
    if (name.starts_with("latency") || name.starts_with("mean_latency") ||
        name == "final_depth" || name == "mean_in_flight" || name == "time_to_peak" ||
        name == "peak_amplification") {
      continue;
    }
    // What is wasted or lost is made in the minutes when attempts are just in time or
    // just too late, which a step blurs.
    const bool is_loss =
        name == "waste_rate" || name == "wasted" || name == "goodput_lost";
    const double exact = events.metrics.*info.member;
    EXPECT_NEAR(
        fluid.metrics.*info.member, exact, (is_loss ? 0.06 : 0.02) * std::abs(exact) + 1)
        << name << " of " << rest;
  }
  EXPECT_EQ(events.drained_at.has_value(), fluid.drained_at.has_value());
  if (events.drained_at && fluid.drained_at) {
    const double off = to_seconds(*events.drained_at - *fluid.drained_at);
    EXPECT_NEAR(off, 0, 15);
  }
}

TEST(FluidRun, many_messages_follow_the_fluid_limit) {
  expect_alike(outage);
}

TEST(FluidRunSlow, many_messages_follow_it_with_retries_surges_bounds_and_ttl) {
  expect_alike(std::string{retries} + outage);
  expect_alike(std::string{retries} +
               "backoff = { kind = \"exponential\", base = \"5s\", cap = \"60s\", jitter "
               "= \"full\" }\n" +
               outage);
  expect_alike(std::string{retries} + "[queue]\ncapacity = 300000\n" + outage);
  expect_alike(std::string{retries} + "[queue]\nmessage_ttl = \"20s\"\n" + outage);
  expect_alike(std::string{retries} + R"([[incident]]
name = "surge"
kind = "arrival_surge"
start = "3min"
duration = "60s"
extra_rate = "8k/s"
[[incident]]
name = "slow"
kind = "slowdown"
start = "7min"
duration = "60s"
speed = 0.5
)");
}

// Published case 1: 150/s is the edge, from a saturated start.
TEST(FluidRun, the_verdict_of_the_published_server) {
  const auto phase_at = [](double load) {
    Scenario scenario = read_scenario_text(fmt::format(R"([simulation]
horizon = "20min"
solver = "fluid"
[arrivals]
process = "poisson"
rate = "{}/s"
[producer]
timeout = "1s"
max_attempts = 2
[consumers]
count = 1
service = {{ distribution = "deterministic", rate = "300/s" }}
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "50s"
duration = "10s"
)",
                                                       load),
                                           "test.toml");
    EXPECT_EQ(scenario.replications, 1);
    class Silent final : public Progress {
     public:
      void update(std::size_t, std::size_t) override {}
      void clear() override {}
    } progress;
    RunnerOptions options;
    options.simulate = [](const SystemConfig&, const RandomKey&, const RunLimits&) {
      return RunResult{};  // the event engine is not asked
    };
    const Candidates ran = run_candidates({scenario}, options, progress);
    return ran.cells.at(0).output.verdict;
  };
  EXPECT_EQ(phase_at(140).phase, Phase::stable);
  EXPECT_TRUE(phase_at(140).decided) << "there is no chance in it";
  // 118 s without goodput, of which a hold of 60 s forgives 5%.
  EXPECT_NEAR(phase_at(140).recovery_time[1], 115, 1);
  EXPECT_EQ(phase_at(280).phase, Phase::vulnerable);
  EXPECT_EQ(phase_at(310).phase, Phase::spontaneous)
      << "healthy until the backlog is there";
}

TEST(FluidRun, schedules_and_traces_keep_their_rates) {
  Scenario scenario = read_scenario_text(R"([simulation]
horizon = "100s"
sample_interval = "10s"
[arrivals]
process = "schedule"
period = "40s"
steps = [ { at = "0s", rate = "10/s" }, { at = "20s", rate = "30/s", ramp = "10s" } ]
[producer]
timeout = "2s"
[consumers]
count = 100
service = { distribution = "exponential", mean = "1s" }
[objective]
hold = "5s"
window = "5s"
)",
                                         "test.toml");
  const RunResult result = fluid_run(scenario.system, {});
  const std::vector<float>& rate = result.trajectory.base_rate;
  EXPECT_NEAR(static_cast<double>(rate[1]), 10, 1e-3);
  EXPECT_NEAR(static_cast<double>(rate[3]), 20, 1e-3) << "the mean of the ramp";
  EXPECT_NEAR(static_cast<double>(rate[4]), 30, 1e-3);
  EXPECT_NEAR(static_cast<double>(rate[5]), 10, 1e-3) << "the next period";
  EXPECT_NEAR(result.metrics.goodput_ratio, 1, 1e-9);
}

TEST(FluidRun, what_it_does_not_represent_is_an_error_at_its_key) {
  const auto error_of = [](const std::string& rest) {
    try {
      read_scenario_text(scenario_text(rest, "solver = \"fluid\""), "test.toml");
    } catch (const ScenarioError& error) {
      return std::string{error.what()};
    }
    return std::string{"none"};
  };
  EXPECT_EQ(error_of(std::string{retries} + outage), "none");
  EXPECT_THAT(error_of("[queue]\norder = \"lifo\"\n"), HasSubstr("queue.order"));
  EXPECT_THAT(error_of("[queue]\nvisibility_timeout = \"10ms\"\n"),
              HasSubstr("queue.visibility_timeout"));
  EXPECT_THAT(error_of(R"([[incident]]
name = "bad"
kind = "poison"
start = "2min"
duration = "90s"
probability = 0.1
)"),
              HasSubstr("kind"));
  EXPECT_THAT(error_of(std::string{retries} + "late_reply = \"accepted\"\n"),
              HasSubstr("producer.late_reply"));
}

}  // namespace
}  // namespace basin
