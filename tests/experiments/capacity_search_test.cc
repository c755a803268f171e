#include "experiments/capacity_search.h"

#include <cmath>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "analysis/no_answer.h"
#include "experiments/runner.h"
#include "experiments/scenario_reader.h"
#include "models/system.h"

namespace basin {
namespace {

using testing::HasSubstr;

class NoProgress final : public Progress {
 public:
  void update(std::size_t, std::size_t) override {}
  void clear() override {}
};

RunScenarios runner(unsigned threads) {
  return [threads](const std::vector<Scenario>& scenarios, std::size_t first) {
    NoProgress progress;
    return run_candidates(
               scenarios,
               {.simulate =
                    [](const SystemConfig& system,
                       const RandomKey& key,
                       const RunLimits& limits) { return simulate(system, key, limits); },
                .at_cell = {},
                .threads = threads,
                .first_replication = first,
                .trajectories = TrajectoriesToKeep::none},
               progress)
        .cells;
  };
}

Scenario from_library(const std::string& name, const std::vector<std::string>& set = {}) {
  const auto path = std::filesystem::path{BASIN_SOURCE_DIR} / "experiments" /
                    "scenarios" / (name + ".toml");
  Scenario scenario = read_scenario_file(path.string(), {.set = set, .sweep = {}});
  scenario.axes.clear();
  return scenario;
}

// A tenth of the published server, for ten minutes.
Scenario small_server(const std::vector<std::string>& set = {}) {
  std::vector<std::string> all = {
      "simulation.horizon=10min", "arrivals.rate=28/s", "consumers.service.rate=30/s"};
  all.insert(all.end(), set.begin(), set.end());
  return from_library("metastable-server", all);
}

TEST(CapacitySearch, a_server_with_a_retry_has_two_capacities) {
  const Capacity found = search_capacity(small_server(), {.precision = 0.05}, runner(2));
  const CapacityRow& row = found.rows.front();
  EXPECT_NEAR(row.theory.capacity, 30, 1e-9);
  EXPECT_EQ(row.theory.attempts, 2);
  EXPECT_GT(row.advertised.interval.low, 26);
  EXPECT_LT(row.advertised.interval.high, 31.5);
  // 15/s less what working off 6 s of backlog in 10 min takes: 0.15/s.
  EXPECT_NEAR(edge_shift(found, row), 0.15, 0.001);
  EXPECT_NEAR(row.saturated.estimate, 14.6, 0.6);
  ASSERT_TRUE(row.own_trigger);
  EXPECT_NEAR(row.own_trigger->estimate, 14.6, 0.8);
  EXPECT_TRUE(row.saturated.reached);
  EXPECT_FALSE(row.saturated.breach);
}

TEST(CapacitySearch, texts_fit_a_terminal_and_the_json_is_complete) {
  const Capacity found = search_capacity(
      small_server(), {.precision = 0.1, .over = "producer.max_attempts=1,2"}, runner(2));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_GT(found.rows[0].saturated.estimate, 1.7 * found.rows[1].saturated.estimate);
  for (const std::string& text : {capacity_text(found)}) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 84U) << line;  // with characters of several bytes
    }
  }
  const auto json = nlohmann::json::parse(capacity_json(found));
  EXPECT_EQ(json["over"]["key"], "producer.max_attempts");
  EXPECT_EQ(json["rows"].size(), 2U);
  for (const auto& row : json["rows"]) {
    for (const char* name : {"advertised", "hidden_saturated", "hidden_own_trigger"}) {
      EXPECT_LE(row[name]["low"], row[name]["estimate"]);
      EXPECT_GE(row[name]["high"], row[name]["estimate"]);
      EXPECT_GT(row[name]["runs"], 0);
    }
  }
}

TEST(CapacitySearch, an_end_of_the_range_is_named) {
  const Capacity found =
      search_capacity(small_server(), {.from = "2/s", .to = "10/s"}, runner(2));
  EXPECT_EQ(found.rows.front().advertised.at, CrossingAt::all_yes);
  EXPECT_THAT(capacity_text(found), HasSubstr("carried up to the highest tried"));
}

TEST(CapacitySearch, what_cannot_be_searched_says_why) {
  const auto message = [](const Scenario& scenario, const CapacityOptions& options) {
    try {
      search_capacity(scenario, options, runner(1));
    } catch (const std::exception& error) {
      return std::string{error.what()};
    }
    return std::string{"nothing wrong"};
  };
  EXPECT_THAT(message(small_server(), {.load = "arrivals.rat"}),
              HasSubstr("did you mean arrivals.rate?"));
  EXPECT_THAT(message(small_server(), {.load = "queue.order"}),
              HasSubstr("has no number to search"));
  EXPECT_THAT(message(small_server(), {.load = "producer.timeout"}),
              HasSubstr("does not scale the load"));
  EXPECT_THAT(message(small_server(), {.load = "consumers.count"}),
              HasSubstr("whole number"));
  EXPECT_THAT(message(small_server(), {.from = "20/s", .to = "10/s"}),
              HasSubstr("no range of loads from 20/s to 10/s"));
  EXPECT_THAT(message(small_server(), {.from = "20"}), HasSubstr("'20'"));
  EXPECT_THAT(message(small_server(), {.over = "arrivals.rate=1/s,2/s"}),
              HasSubstr("is the load itself"));
  EXPECT_THAT(message(from_library("bursty-trace", {"arrivals.rate=0/s"}), {}),
              HasSubstr("there is no load today in arrivals.rate"));
}

TEST(CapacitySearchThreads, the_threads_do_not_show) {
  const CapacityOptions options{.precision = 0.05};
  const std::string alone =
      capacity_json(search_capacity(small_server(), options, runner(1)));
  EXPECT_EQ(alone, capacity_json(search_capacity(small_server(), options, runner(2))));
  EXPECT_EQ(alone, capacity_json(search_capacity(small_server(), options, runner(7))));
}

// Bronson et al., HotOS 2021, section 2.1. C/A: 150/s and 100/s; undisturbed the server
// carries almost 300/s.
TEST(CapacitySearchSlow, the_published_server_at_a_horizon_of_an_hour) {
  for (const int attempts : {2, 3}) {
    const Capacity found = search_capacity(
        from_library("metastable-server",
                     {"producer.max_attempts=" + std::to_string(attempts)}),
        {},
        runner(2));
    const CapacityRow& row = found.rows.front();
    const double edge = 300.0 / attempts;
    EXPECT_NEAR(row.saturated.estimate, edge, 0.03 * edge);
    ASSERT_TRUE(row.own_trigger);
    EXPECT_NEAR(row.own_trigger->estimate, edge, 0.03 * edge);
    EXPECT_TRUE(row.saturated.reached);
    EXPECT_TRUE(row.own_trigger->reached);
    if (attempts == 2) {
      EXPECT_GE(row.advertised.estimate, 293);
      EXPECT_LE(row.advertised.estimate, 299);
      EXPECT_TRUE(row.advertised.reached);
    }
  }
}

}  // namespace
}  // namespace basin
