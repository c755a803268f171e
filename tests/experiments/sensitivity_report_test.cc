#include "experiments/sensitivity_report.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/scenario_reader.h"
#include "tests/experiments/example_scenario.h"

namespace basin {
namespace {

using testing::HasSubstr;
using testing::Not;

Scenario sampled(const std::string& method, int points) {
  return read_scenario_text(
      std::string(example_scenario.substr(0, example_scenario.find("[sweep]"))) +
          "[sweep]\nsample = { method = \"" + method +
          "\", points = " + std::to_string(points) + R"(, ranges = [
  { key = "arrivals.rate", from = "50/s", to = "150/s" },
  { key = "producer.timeout", from = "1s", to = "100s", scale = "log" },
  { key = "queue.order", values = ["fifo", "lifo"] } ] })",
      "x.toml");
}

// Recovers below 100/s under FIFO and below 130/s under LIFO; the timeout does nothing.
// With t = 1{rate < 100} and u = 1{rate < 130}, p = (t + u)/2 given the rate: Var(Y) =
// 0.65 * 0.35 = 0.2275, Var(E[Y|rate]) = 0.5 + 0.3 / 4 - 0.65^2 = 0.1525 (share 0.670),
// Var(E[Y|order]) = 0.15^2 = 0.0225 (share 0.099).
std::vector<double> recovery_of(const Scenario& scenario) {
  const std::vector<AxisKey>& keys = scenario.axes[0].with;
  std::vector<double> recovery;
  for (std::size_t i = 0; i < keys[0].values.size(); ++i) {
    const double edge = keys[2].values[i] == "fifo" ? 100 : 130;
    recovery.push_back(keys[0].si_values[i] < edge ? 1 : 0);
  }
  return recovery;
}

TEST(SensitivityReport, finds_the_shares_of_a_known_boundary_in_either_sample) {
  for (const std::string method : {"sobol", "latin_hypercube"}) {
    const Scenario scenario = sampled(method, 1024);
    const SensitivityReport report = sensitivity_of(scenario, recovery_of(scenario));
    ASSERT_EQ(report.rows.size(), 3U);
    EXPECT_EQ(report.rows[0].key, "arrivals.rate");
    EXPECT_NEAR(report.rows[0].index.estimate, 0.670, 0.05) << method;
    EXPECT_LE(report.rows[0].index.interval.low, 0.670) << method;
    EXPECT_EQ(report.rows[1].key, "queue.order");
    EXPECT_NEAR(report.rows[1].index.estimate, 0.099, 0.04) << method;
    EXPECT_EQ(report.rows[2].key, "producer.timeout");
    EXPECT_NEAR(report.rows[2].index.estimate, 0, 0.04) << method;
    EXPECT_NEAR(report.rest, 1 - 0.670 - 0.099, 0.07) << method;
  }
}

TEST(SensitivityReport, reads_as_a_listing_and_as_json) {
  const Scenario scenario = sampled("sobol", 256);
  EXPECT_TRUE(has_points(scenario.axes));
  std::vector<double> recovery = recovery_of(scenario);
  SensitivityReport report = sensitivity_of(scenario, recovery);
  const std::string text = sensitivity_text(report);
  EXPECT_THAT(text, HasSubstr("over 256 points"));
  EXPECT_THAT(text, HasSubstr("\n  arrivals.rate     0.6"));
  EXPECT_THAT(text, HasSubstr("\n  producer.timeout  0.0"));
  EXPECT_THAT(text, HasSubstr("keys together, and chance\n"));
  EXPECT_THAT(text, Not(HasSubstr("independently")));
  EXPECT_THAT(sensitivity_json(report),
              HasSubstr("\"independent\":true,\"keys\":[{\"key\":\"arrivals.rate\","));

  recovery[7] = std::numeric_limits<double>::quiet_NaN();
  report = sensitivity_of(scenario, recovery);
  EXPECT_EQ(report.points, 255U);
  EXPECT_THAT(sensitivity_text(report), HasSubstr("cells were left out"));

  recovery.assign(recovery.size(), 1.0);
  report = sensitivity_of(scenario, recovery);
  EXPECT_THAT(sensitivity_text(report), HasSubstr("none, since the output is the same"));
  EXPECT_THAT(sensitivity_json(report), HasSubstr("\"reason\":\"the output is the same"));
}

}  // namespace
}  // namespace basin
