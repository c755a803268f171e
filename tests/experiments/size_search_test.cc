#include "experiments/size_search.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

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

// Nobody retries; 5 consumers of 4/s at 16/s have a surplus of 4/s. An outage of a minute
// leaves 960 messages, which take 4 min.
constexpr std::string_view steady = R"(
[simulation]
horizon = "20min"
[arrivals]
rate = "16/s"
[consumers]
count = 5
service = { distribution = "exponential", rate = "4/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "1min"
duration = "1min"
[[incident]]
name = "flood"
kind = "backlog"
start = "1min"
messages = 200
weight = 3
[objective]
latency = "10s"
recovery_time = "2min"
)";

Scenario scenario(const std::vector<std::string>& set = {}, std::string_view more = {}) {
  return read_scenario_text(
      std::string{steady} + std::string{more}, "steady", {.set = set, .sweep = {}});
}

TEST(SizeSearch, incidents_are_cases_of_their_own_unless_they_name_one) {
  const Scenario alone = scenario();
  ASSERT_EQ(alone.cases.size(), 2U);
  EXPECT_EQ(alone.cases[1].name, "flood");
  EXPECT_EQ(alone.cases[1].weight, 3);
  const Scenario together = scenario({"incident.outage.case=night",
                                      "incident.flood.case=night",
                                      "incident.outage.weight=3"});
  ASSERT_EQ(together.cases.size(), 1U);
  EXPECT_EQ(together.cases[0].parts, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(together.system.incidents, alone.system.incidents);
  try {
    scenario({"incident.outage.case=night", "incident.flood.case=night"});
    ADD_FAILURE() << "weights 1 and 3 in one case";
  } catch (const ScenarioError& error) {
    EXPECT_THAT(error.what(), HasSubstr("differs in weight"));
  }
}

TEST(SizeSearch, headroom_is_the_arithmetic_of_each_case) {
  const Scenario steady_scenario = scenario();
  // 16/4 + 960/(4 * 120) = 6 and 4 + 200/(4 * 120) = 4.42.
  EXPECT_EQ(headroom_of(steady_scenario, steady_scenario.cases[0]).backlog, 960);
  EXPECT_EQ(headroom_of(steady_scenario, steady_scenario.cases[0]).consumers, 6);
  EXPECT_EQ(headroom_of(steady_scenario, steady_scenario.cases[1]).consumers, 5);
}

TEST(SizeSearch, finds_the_fewest_consumers_near_the_arithmetic) {
  const Size size = search_size(scenario(),
                                {.lever = "consumers.count",
                                 .from = "4",
                                 .to = "20",
                                 .probability = 0.9,
                                 .most_runs = 200},
                                runner(2));
  EXPECT_TRUE(size.nothing_to_find.empty());
  EXPECT_EQ(size.trend, Trend::rising);
  EXPECT_GE(size.found.value, 6);
  EXPECT_LE(size.found.value, 8);
  ASSERT_TRUE(size.short_of);
  EXPECT_EQ(size.short_of->value, size.found.value - 1);
  EXPECT_GT(size.found.probability, size.short_of->probability);
  EXPECT_LE(size.crossing.interval.low, size.found.value);
  EXPECT_GE(size.crossing.interval.high, size.found.value);
  // The flood alone, three quarters of the weight, is survived by fewer.
  EXPECT_GE(size.short_of->cases[1].recovered, size.short_of->cases[0].recovered);
  const auto json = nlohmann::json::parse(size_json(size));
  EXPECT_EQ(json["cases"].size(), 2U);
  EXPECT_EQ(json["headroom"]["consumers"], 6);
  EXPECT_EQ(json["found"]["cases"][0]["replications"], 50);
}

TEST(SizeSearch, the_direction_of_a_lever_is_found_from_its_ends) {
  // Longer outages are worse: the longest that is survived, 2 min * 4/s / 16/s = 30 s.
  const Scenario one = scenario({"incident.flood.messages=0"});
  const Size size = search_size(one,
                                {.lever = "incident.outage.duration",
                                 .from = "2s",
                                 .to = "4min",
                                 .probability = 0.9,
                                 .precision = 0.2,
                                 .most_runs = 120},
                                runner(2));
  EXPECT_EQ(size.trend, Trend::falling);
  EXPECT_GT(size.found.value, 15);
  EXPECT_LT(size.found.value, 60);
  EXPECT_THAT(size_text(size), HasSubstr("The largest incident.outage.duration"));
}

TEST(SizeSearch, says_so_where_nothing_of_the_range_suffices) {
  const Size size = search_size(
      scenario(),
      {.lever = "queue.receive_batch", .from = "1", .to = "2", .most_runs = 40},
      runner(2));
  EXPECT_THAT(size.nothing_to_find, HasSubstr("suffices at neither end"));
  EXPECT_THAT(size_text(size), HasSubstr("No level found"));
}

TEST(SizeSearchThreads, the_threads_do_not_show) {
  const SizeOptions options{.lever = "consumers.count", .to = "20", .most_runs = 80};
  const std::string alone = size_json(search_size(scenario(), options, runner(1)));
  EXPECT_EQ(alone, size_json(search_size(scenario(), options, runner(2))));
  EXPECT_EQ(alone, size_json(search_size(scenario(), options, runner(7))));
}

TEST(SizeSearch, what_cannot_be_searched_says_why) {
  const auto message = [](const Scenario& of, const SizeOptions& options) {
    try {
      search_size(of, options, runner(1));
    } catch (const std::exception& error) {
      return std::string{error.what()};
    }
    return std::string{"nothing wrong"};
  };
  Scenario calm = scenario();
  calm.cases.clear();
  EXPECT_THAT(message(calm, {.lever = "consumers.count"}), HasSubstr("no incidents"));
  Scenario open = scenario();
  open.objective->recovery_time.reset();
  EXPECT_THAT(message(open, {.lever = "consumers.count"}),
              HasSubstr("no objective.recovery_time"));
  EXPECT_THAT(message(scenario(), {.lever = "queue.message_ttl"}),
              HasSubstr("no value above 0 to begin from"));
  EXPECT_THAT(message(scenario(), {.lever = "consumers.counts"}),
              HasSubstr("did you mean consumers.count?"));
}

}  // namespace
}  // namespace basin
