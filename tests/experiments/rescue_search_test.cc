#include "experiments/rescue_search.h"

#include <algorithm>
#include <limits>
#include <set>
#include <variant>
#include <vector>

#include <gmock/gmock.h>

#include "analysis/intervals.h"

namespace basin {
namespace {

using std::chrono::seconds;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A server that retries, as far as the search needs to know it.
RescueQuestion question() {
  RescueQuestion question;
  Scenario& scenario = question.scenario;
  scenario.replications = 10;
  scenario.system.arrivals = PoissonArrivals{280};
  scenario.system.producer.timeout = seconds{10};
  scenario.system.producer.max_attempts = 2;
  scenario.system.consumers.groups = {
      {.name = "", .count = 4, .service = Deterministic{0.01}}};
  scenario.system.horizon = seconds{1000};
  scenario.system.incidents.push_back({.name = "outage",
                                       .start = seconds{50},
                                       .duration = Deterministic{10},
                                       .effect = ConsumerOutage{}});
  scenario.objective = Objective{};
  question.at = seconds{200};
  question.rto = 300;
  return question;
}

const InterventionEffect& effect_of(const Scenario& scenario) {
  return scenario.system.interventions.back().effect;
}

// A cell of which `recovered` of ten replications came back after 100 s.
CellResult cell_with(std::int64_t recovered) {
  CellResult cell;
  cell.output.status = CellStatus::done;
  cell.output.has_verdict = true;
  cell.output.verdict.within_rto =
      Probability{.count = recovered,
                  .estimate = static_cast<double>(recovered) / 10,
                  .interval = jeffreys_interval(recovered, 10)};
  cell.output.arms.resize(2);
  for (std::int64_t r = 0; r < 10; ++r) {
    ArmRecord record;
    record.recovery_time = r < recovered ? 100 : infinity;
    record.interventions = {.shed = 5, .purged = 2, .expired = 1};
    cell.output.arms[1].push_back(record);
  }
  return cell;
}

// Runs in which what `is_enough` says brings all ten back, and anything else none.
class StandIn {
 public:
  template <class IsEnough>
  RescueAnswer search(const RescueQuestion& asked, IsEnough&& is_enough) {
    return search_rescue(asked, [&](const std::vector<Scenario>& scenarios) {
      std::vector<CellResult> cells;
      for (const Scenario& scenario : scenarios) {
        tried.push_back(scenario);
        cells.push_back(cell_with(is_enough(effect_of(scenario)) ? 10 : 0));
      }
      return cells;
    });
  }
  std::vector<Scenario> tried;
};

const LeverAnswer& answer_for(const RescueAnswer& answer, Lever lever) {
  return answer.levers.at(static_cast<std::size_t>(lever));
}

TEST(RescueSearch, finds_the_weakest_that_is_enough_and_the_next_weaker_one) {
  StandIn runs;
  const RescueAnswer answer =
      runs.search(question(), [](const InterventionEffect& effect) {
        if (const auto* shed = std::get_if<Shed>(&effect)) {
          return shed->admitted <= 0.41;
        }
        if (const auto* added = std::get_if<AddConsumers>(&effect)) {
          return added->count >= 7;
        }
        if (const auto* drop = std::get_if<DropExpired>(&effect)) {
          return drop->age <= seconds{6} && drop->age >= seconds{2};
        }
        if (const auto* purge = std::get_if<Purge>(&effect)) {
          return purge->fraction >= 0.5;
        }
        return std::holds_alternative<RetriesOff>(effect);
      });
  EXPECT_FALSE(answer.recovers_by_itself);
  EXPECT_EQ(answer.nothing.recovered.count, 0);

  const LeverAnswer& shed = answer_for(answer, Lever::shed);
  EXPECT_NEAR(std::get<Shed>(shed.enough->effect).admitted, 0.40, 1e-9);
  EXPECT_NEAR(std::get<Shed>(shed.too_little->effect).admitted, 0.42, 1e-9);
  EXPECT_EQ(shed.enough->trial.recovered.count, 10);
  EXPECT_EQ(shed.enough->trial.requests_shed, 5);
  EXPECT_NEAR(shed.enough->trial.messages_dropped, 3, 1e-12);

  const LeverAnswer& added = answer_for(answer, Lever::add_consumers);
  EXPECT_EQ(added.enough->effect, InterventionEffect(AddConsumers{.count = 7}));
  EXPECT_EQ(added.too_little->effect, InterventionEffect(AddConsumers{.count = 6}));

  const LeverAnswer& off = answer_for(answer, Lever::retries_off);
  EXPECT_TRUE(off.enough.has_value());
  EXPECT_FALSE(off.too_little.has_value());

  const LeverAnswer& drop = answer_for(answer, Lever::drop_expired);
  EXPECT_EQ(drop.enough->effect, InterventionEffect(DropExpired{.age = seconds{6}}));
  EXPECT_EQ(drop.too_little->effect,
            InterventionEffect(DropExpired{.age = std::chrono::milliseconds{6200}}));

  const LeverAnswer& purge = answer_for(answer, Lever::purge);
  EXPECT_NEAR(std::get<Purge>(purge.enough->effect).fraction, 0.50, 1e-9);
  EXPECT_NEAR(std::get<Purge>(purge.too_little->effect).fraction, 0.48, 1e-9);
}

TEST(RescueSearch, what_is_tried_starts_when_operators_act_and_is_judged_from_then) {
  StandIn runs;
  runs.search(question(), [](const InterventionEffect&) { return false; });
  for (const Scenario& scenario : runs.tried) {
    ASSERT_EQ(scenario.system.interventions.size(), 1U);
    EXPECT_EQ(scenario.system.interventions[0].start, seconds{200});
    EXPECT_FALSE(scenario.system.interventions[0].duration.has_value());
    EXPECT_EQ(scenario.recovery_counts_from, seconds{200});
    EXPECT_EQ(scenario.objective->recovery_time, 300);
  }
}

TEST(RescueSearch, a_kind_of_which_nothing_is_enough_shows_the_strongest) {
  StandIn runs;
  const RescueAnswer answer =
      runs.search(question(), [](const InterventionEffect&) { return false; });
  for (const LeverAnswer& lever : answer.levers) {
    EXPECT_FALSE(lever.enough.has_value());
    EXPECT_TRUE(lever.too_little.has_value());
  }
  const auto strongest = [&](Lever lever) {
    return answer_for(answer, lever).too_little->effect;
  };
  EXPECT_NEAR(std::get<Shed>(strongest(Lever::shed)).admitted, 0.02, 1e-9);
  EXPECT_EQ(std::get<AddConsumers>(strongest(Lever::add_consumers)).count, 1000);
  EXPECT_EQ(std::get<Purge>(strongest(Lever::purge)).fraction, 1);
  EXPECT_FALSE(answer.return_of_load.has_value());
}

// Nine of ten are 90%.
TEST(RescueSearch, enough_is_the_share_of_replications_that_was_asked_for) {
  for (const auto& [probability, by_itself] :
       {std::pair{0.9, true}, std::pair{0.95, false}}) {
    RescueQuestion asked = question();
    asked.probability = probability;
    const RescueAnswer answer =
        search_rescue(asked, [](const std::vector<Scenario>& scenarios) {
          return std::vector<CellResult>(scenarios.size(), cell_with(9));
        });
    EXPECT_EQ(answer.recovers_by_itself, by_itself);
    EXPECT_EQ(answer.levers.empty(), by_itself);
  }
}

TEST(RescueSearch, where_nothing_needs_to_be_done_nothing_is_tried) {
  StandIn runs;
  const RescueAnswer answer =
      runs.search(question(), [](const InterventionEffect&) { return true; });
  EXPECT_TRUE(answer.recovers_by_itself);
  EXPECT_EQ(runs.tried.size(), 1U);
  EXPECT_EQ(effect_of(runs.tried[0]), InterventionEffect(Shed{.admitted = 1}));
}

TEST(RescueSearch, a_kind_that_makes_no_sense_is_left_out_with_its_reason) {
  RescueQuestion asked = question();
  asked.scenario.system.producer = {};  // fire and forget
  StandIn runs;
  const RescueAnswer answer =
      runs.search(asked, [](const InterventionEffect&) { return false; });
  EXPECT_EQ(answer_for(answer, Lever::retries_off).left_out, "there are none");
  EXPECT_THAT(answer_for(answer, Lever::drop_expired).left_out,
              testing::HasSubstr("objective.latency"));
}

// Load is back after 1.2 times the slowest recovery, and what follows is judged from
// there.
TEST(RescueSearch, the_load_that_was_shed_comes_back_at_the_end) {
  StandIn runs;
  const RescueAnswer answer =
      runs.search(question(), [](const InterventionEffect& effect) {
        const auto* shed = std::get_if<Shed>(&effect);
        return shed != nullptr && shed->admitted < 0.5;
      });
  ASSERT_TRUE(answer.return_of_load.has_value());
  EXPECT_EQ(answer.return_of_load->shed_for, seconds{120});
  EXPECT_EQ(answer.return_of_load->trial.recovered.count, 10);
  const Scenario& last = runs.tried.back();
  EXPECT_EQ(last.system.interventions.back().duration, seconds{120});
  EXPECT_EQ(last.recovery_counts_from, seconds{320});
  EXPECT_EQ(last.objective->recovery_time, last.objective->hold);
}

TEST(RescueSearch, a_horizon_too_short_for_the_return_of_load_says_so) {
  RescueQuestion asked = question();
  asked.at = seconds{850};
  StandIn runs;
  const RescueAnswer answer = runs.search(asked, [](const InterventionEffect& effect) {
    const auto* shed = std::get_if<Shed>(&effect);
    return shed != nullptr && shed->admitted < 0.5;
  });
  EXPECT_THAT(answer.return_of_load->left_out, testing::HasSubstr("horizon"));
}

TEST(RescueSearch, a_replication_that_fails_ends_it) {
  EXPECT_THROW(search_rescue(question(),
                             [](const std::vector<Scenario>& scenarios) {
                               CellResult failed;
                               failed.output.status = CellStatus::failed;
                               return std::vector<CellResult>(scenarios.size(), failed);
                             }),
               RescueFailed);
}

TEST(RescueSearch, incidents_are_over_at_the_latest_mean_end) {
  SystemConfig system;
  EXPECT_FALSE(mean_end_of_incidents(system).has_value());
  system.incidents = {{.name = "a",
                       .start = seconds{10},
                       .duration = Exponential{5},
                       .occurrences = 3,
                       .every = seconds{20},
                       .effect = ConsumerOutage{}},
                      {.name = "b", .start = seconds{50}, .effect = Backlog{}}};
  EXPECT_DOUBLE_EQ(*mean_end_of_incidents(system), 55);
}

// Hold 60 s, tail a tenth of 1,000 s.
TEST(RescueSearch, hold_and_tail_come_after_the_latest_intervention) {
  EXPECT_EQ(latest_judgeable(question().scenario), seconds{900});
}

}  // namespace
}  // namespace basin
