// Each intervention, by hand.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/trace_check.h"

namespace basin {
namespace {

Intervention intervention_at(double start, InterventionEffect effect) {
  Intervention intervention;
  intervention.start = seconds(start);
  intervention.effect = effect;
  return intervention;
}

Intervention intervention_between(double start, double end, InterventionEffect effect) {
  Intervention intervention = intervention_at(start, effect);
  intervention.duration = seconds(end - start);
  return intervention;
}

// The request at the start is turned away, the one at the end is let in.
TEST(InterventionTraces, what_is_shed_is_no_request_and_keeps_its_number) {
  SystemConfig config = small_system({1, 2, 3, 4}, 0.25);
  config.interventions = {intervention_between(2, 4, Shed{.admitted = 0})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.25 completed 0.1 c0
    1.25 answered 0.1
    2 intervention started 1:0
    2 shed 1
    3 shed 2
    4 intervention ended 1:0
    4 sent 3.1
    4 received 3.1 c0
    4.25 completed 3.1 c0
    4.25 answered 3.1
  )");
  const RunResult run = simulate(config, RandomKey{});
  EXPECT_EQ(run.interventions, (InterventionCounts{.shed = 2}));
  EXPECT_EQ(run.counts.sent, 2);
  EXPECT_EQ(run.outcomes.created.at(2) + run.outcomes.created.at(3), 0U);
  EXPECT_EQ(run.metrics.goodput_ratio, 1);
}

// Under any shed the requests that are let in have the times and the work that they have
// without one, and a milder shed lets in all that a stricter one does.
TEST(InterventionTraces, a_shed_shifts_no_other_request) {
  SystemConfig config;
  config.arrivals = PoissonArrivals{5};
  config.consumers.groups = {{.name = "", .count = 50, .service = Exponential{1}}};
  config.horizon = seconds(200);
  const auto completions = [&](double admitted) {
    config.interventions = {intervention_at(0, Shed{.admitted = admitted})};
    EventLog log;
    simulate(config, RandomKey{.seed = 3}, {}, &log);
    std::vector<std::pair<std::uint64_t, SimTime>> result;
    for (const LoggedEvent& event : log.events()) {
      if (event.what == Happening::completed) {
        result.emplace_back(event.request.bits, event.time);
      }
    }
    std::sort(result.begin(), result.end());
    return result;
  };
  const auto all = completions(1);
  const auto many = completions(0.6);
  const auto few = completions(0.3);
  // 1,000 requests: 4 standard deviations are 62 and 58.
  EXPECT_NEAR(
      static_cast<double>(many.size()), 0.6 * static_cast<double>(all.size()), 62);
  EXPECT_NEAR(static_cast<double>(few.size()), 0.3 * static_cast<double>(all.size()), 58);
  EXPECT_TRUE(std::includes(all.begin(), all.end(), many.begin(), many.end()));
  EXPECT_TRUE(std::includes(many.begin(), many.end(), few.begin(), few.end()));
}

// At 3 the new consumer takes what waits; the request of that instant waits behind it.
TEST(InterventionTraces, added_consumers_receive_from_the_start_on) {
  SystemConfig config = small_system({1, 2, 3}, 4);
  config.interventions = {intervention_at(3, AddConsumers{.count = 1})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 sent 1.1
    3 intervention started 1:0
    3 sent 2.1
    3 received 1.1 c1
    5 completed 0.1 c0
    5 answered 0.1
    5 received 2.1 c0
    7 completed 1.1 c1
    7 answered 1.1
    9 completed 2.1 c0
    9 answered 2.1
  )");
  // 12 s of work; one consumer for 100 s and one for 97.
  EXPECT_NEAR(simulate(config, RandomKey{}).metrics.utilization, 12.0 / 197, 1e-12);
}

// The later of the file has the higher number, although it comes first. Both serve as
// their group does.
TEST(InterventionTraces, added_consumers_are_numbered_as_in_the_file) {
  SystemConfig config = small_system({1, 2, 3}, 10);
  config.consumers.groups.push_back(
      {.name = "", .count = 1, .service = Deterministic{20}});
  config.interventions = {intervention_at(5, AddConsumers{.count = 1, .group = 1}),
                          intervention_at(4, AddConsumers{.count = 1, .group = 0})};
  config.arrivals = TraceArrivals{
      .times = std::make_shared<const std::vector<double>>(std::vector{1., 1., 2., 2.}),
      .length = 100};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    1 received 1.1 c1
    4 received 2.1 c3
    5 received 3.1 c2
    11 completed 0.1 c0
    14 completed 2.1 c3
    21 completed 1.1 c1
    25 completed 3.1 c2
  )",
               {Happening::received, Happening::completed});
}

TEST(InterventionTraces, an_incident_does_not_touch_added_consumers) {
  SystemConfig config = small_system({3}, 1);
  config.incidents = {incident_between(1, 9, ConsumerOutage{})};
  config.interventions = {intervention_at(2, AddConsumers{.count = 1})};
  expect_trace(config,
               "3 received 0.1 c1\n 4 completed 0.1 c1",
               {Happening::received, Happening::completed});
}

// Timeouts of 1 s and a backoff of 2 s, behind work that takes for ever.
SystemConfig retrying(std::vector<double> arrivals) {
  SystemConfig config = small_system(std::move(arrivals), 90);
  config.producer.timeout = seconds(1);
  config.producer.max_attempts = 3;
  config.producer.backoff = {.kind = Backoff::Kind::constant, .base = seconds(2)};
  config.horizon = seconds(10);
  return config;
}

// The retry of request 0, due at 4, is dropped at 3; so is that of request 1, which is
// due at this instant. Request 2 times out at the end and is tried again, at 7.
TEST(InterventionTraces, retries_off_drops_what_is_pending_and_sends_nothing_new) {
  SystemConfig config = retrying({1, 3.5, 4});
  config.interventions = {intervention_between(3, 5, RetriesOff{})};
  const std::initializer_list<Happening> shown{Happening::timed_out,
                                               Happening::retry_scheduled,
                                               Happening::retry_cancelled,
                                               Happening::given_up};
  expect_trace(config,
               R"(
    2 timed out 0.1
    2 retry scheduled 0.2
    3 retry cancelled 0
    3 given up 0
    4.5 timed out 1.1
    4.5 given up 1
    5 timed out 2.1
    5 retry scheduled 2.2
    8 timed out 2.2
    8 retry scheduled 2.3
    11 timed out 2.3
    11 given up 2
  )",
               shown);
  const RunResult run = simulate(config, RandomKey{});
  EXPECT_EQ(run.interventions, (InterventionCounts{.retries_cancelled = 1}));
}

TEST(InterventionTraces, a_retry_due_at_the_start_is_not_sent) {
  SystemConfig config = retrying({1});
  config.interventions = {intervention_at(4, RetriesOff{})};
  expect_trace(config,
               R"(
    1 sent 0.1
    2 timed out 0.1
    4 retry cancelled 0
    4 given up 0
  )",
               {Happening::sent,
                Happening::timed_out,
                Happening::retry_cancelled,
                Happening::given_up});
}

TEST(InterventionTraces, an_attempt_that_times_out_at_the_start_is_not_tried_again) {
  SystemConfig config = retrying({1});
  config.interventions = {intervention_at(2, RetriesOff{})};
  expect_trace(config,
               "2 timed out 0.1\n 2 given up 0",
               {Happening::timed_out, Happening::retry_cancelled, Happening::given_up});
}

// Two retries for each timeout: of request 0 both wait until 4 while no timer runs.
TEST(InterventionTraces, a_request_is_given_up_with_its_last_pending_retry) {
  SystemConfig config = retrying({1});
  config.producer.retries_per_timeout = 2;
  config.interventions = {intervention_at(3, RetriesOff{})};
  expect_trace(config,
               R"(
    2 timed out 0.1
    3 retry cancelled 0
    3 retry cancelled 0
    3 given up 0
  )",
               {Happening::timed_out, Happening::retry_cancelled, Happening::given_up});
}

// At 4 request 1 is 2.5 s old, request 2 exactly 2 s.
TEST(InterventionTraces, what_is_older_than_the_drop_age_is_dropped) {
  SystemConfig config = small_system({1, 1.5, 2}, 3);
  config.interventions = {intervention_at(3, DropExpired{.age = seconds(2)})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    4 expired 1.1
    4 given up 1
    4 received 2.1 c0
  )",
               {Happening::received, Happening::expired, Happening::given_up});
  const RunResult run = simulate(config, RandomKey{});
  EXPECT_EQ(run.interventions, (InterventionCounts{.expired = 1}));
  EXPECT_EQ(run.counts.expired, 1);
}

// The TTL of 1 s drops both at 4, whatever the operators say; after the end of the drop
// age it is 1 s again, and the message of 4.5, received at 5.25, goes through.
TEST(InterventionTraces, the_lesser_of_drop_age_and_ttl_counts) {
  SystemConfig config = small_system({1, 1.5, 2, 4.25, 4.5}, 3);
  config.consumers.groups[0].service = Deterministic{1};
  config.queue.message_ttl = seconds(1);
  config.interventions = {intervention_between(0, 5, DropExpired{.age = seconds(0.5)}),
                          intervention_between(0, 5, DropExpired{.age = seconds(2)})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    2 received 1.1 c0
    3 expired 2.1
    4.25 received 3.1 c0
    5.25 received 4.1 c0
  )",
               {Happening::received, Happening::expired});
}

// At 5 three messages wait: half of them, to the nearest whole number, are 2. What is
// sent at this instant comes later.
TEST(InterventionTraces, a_purge_removes_the_oldest_waiting_messages) {
  SystemConfig config = small_system({1, 2, 3, 4, 5}, 9);
  config.interventions = {intervention_at(5, Purge{.fraction = 0.5})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 sent 1.1
    3 sent 2.1
    4 sent 3.1
    5 intervention started 1:0
    5 purged 1.1
    5 given up 1
    5 purged 2.1
    5 given up 2
    5 sent 4.1
    10 completed 0.1 c0
    10 answered 0.1
    10 received 3.1 c0
    19 completed 3.1 c0
    19 answered 3.1
    19 received 4.1 c0
    28 completed 4.1 c0
    28 answered 4.1
  )");
  const RunResult run = simulate(config, RandomKey{});
  EXPECT_EQ(run.interventions, (InterventionCounts{.purged = 2}));
  EXPECT_EQ(run.counts.purged, 2);
}

// The oldest go, also where the newest is handed out next.
TEST(InterventionTraces, a_purge_of_a_stack_removes_the_oldest_too) {
  SystemConfig config = small_system({1, 2, 3, 4}, 9);
  config.queue.order = QueueOrder::lifo;
  config.interventions = {intervention_at(5, Purge{.fraction = 0.4})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    5 purged 1.1
    10 received 3.1 c0
    19 received 2.1 c0
  )",
               {Happening::received, Happening::purged});
}

// A producer that waits learns by its timeout, and tries again.
TEST(InterventionTraces, producers_learn_of_a_purge_by_their_timeout) {
  SystemConfig config = small_system({1, 2}, 3);
  config.producer.timeout = seconds(4);
  config.producer.max_attempts = 2;
  config.interventions = {intervention_at(3, Purge{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 sent 1.1
    3 intervention started 1:0
    3 purged 1.1
    4 completed 0.1 c0
    4 answered 0.1
    6 timed out 1.1
    6 retry scheduled 1.2
    6 sent 1.2
    6 received 1.2 c0
    9 completed 1.2 c0
    9 answered 1.2
  )");
}

// A message that came back waits like any other, and what is in flight stays.
TEST(InterventionTraces, a_purge_removes_what_came_back_but_not_what_is_in_flight) {
  SystemConfig config = small_system({1, 2}, 1);
  config.queue.visibility_timeout = seconds(2);
  config.consumers.groups.push_back(
      {.name = "", .count = 1, .service = Deterministic{1}});
  config.incidents = {
      incident_between(1.5, 6, ConsumerOutage{.share = 1.0}),
  };
  config.interventions = {intervention_at(3.5, Purge{})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    3 lease ended 0.1
    3.5 purged 0.1
    3.5 purged 1.1
    3.5 given up 0
    3.5 given up 1
    6.5 completed 0.1 c0
    6.5 ack ignored 0.1 c0
  )",
               {Happening::received,
                Happening::lease_ended,
                Happening::purged,
                Happening::given_up,
                Happening::completed,
                Happening::ack_ignored,
                Happening::answered});
}

// The backlog of 2 is there when operators act.
TEST(InterventionTraces, incidents_come_before_interventions_of_the_same_instant) {
  SystemConfig config = small_system({1}, 9);
  Incident backlog = incident_between(2, 2, Backlog{.messages = 2});
  config.incidents = {backlog};
  config.interventions = {intervention_at(2, Purge{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    2 sent 1:0.1
    2 sent 1:1.1
    2 incident ended 1:0
    2 intervention started 1:0
    2 purged 1:0.1
    2 purged 1:1.1
    10 completed 0.1 c0
    10 answered 0.1
  )");
}

// At 2 one ends before the other starts: the request of 2 meets the second alone.
TEST(InterventionTraces, interventions_end_before_others_start) {
  SystemConfig config = small_system({2}, 1);
  config.interventions = {intervention_between(2, 3, Shed{.admitted = 1}),
                          intervention_between(1, 2, Shed{.admitted = 0})};
  expect_trace(config, R"(
    1 intervention started 2:0
    2 intervention ended 2:0
    2 intervention started 1:0
    2 sent 0.1
    2 received 0.1 c0
    3 intervention ended 1:0
    3 completed 0.1 c0
    3 answered 0.1
  )");
}

TEST(InterventionTraces, the_last_incident_ends_where_it_does_without_interventions) {
  SystemConfig config = small_system({1}, 1);
  config.incidents = {incident_between(2, 3, ConsumerOutage{})};
  config.interventions = {intervention_between(5, 8, Shed{})};
  const RunResult run = simulate(config, RandomKey{});
  EXPECT_EQ(run.first_incident_start, SimTime{seconds(2)});
  EXPECT_EQ(run.last_incident_end, SimTime{seconds(3)});
}

}  // namespace
}  // namespace basin
