// Each incident, by hand.
#include <gtest/gtest.h>

#include "tests/models/trace_check.h"

namespace basin {
namespace {

constexpr ConsumerOutage pause_all{};
constexpr ConsumerOutage crash_all{.share = 1.0, .mode = ConsumerOutage::Mode::crash};

// 1 s of 2 is done at 2; the rest runs from 5 to 6.
TEST(IncidentTraces, a_pause_freezes_work) {
  SystemConfig config = small_system({1}, 2);
  config.incidents = {incident_between(2, 5, pause_all)};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    5 incident ended 1:0
    6 completed 0.1 c0
    6 answered 0.1
  )");
}

// The lease ends at 4, while the work is frozen; message 0 waits. The rest of the work (1
// s) runs from 5 to 6; its stale ack deletes the waiting message.
TEST(IncidentTraces, leases_run_while_work_is_paused) {
  SystemConfig config = small_system({1}, 2);
  config.queue.visibility_timeout = seconds(3);
  config.incidents = {incident_between(2, 5, pause_all)};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    4 lease ended 0.1
    5 incident ended 1:0
    6 completed 0.1 c0
    6 acknowledged 0.1 c0
    6 answered 0.1
  )");
}

TEST(IncidentTraces, without_leases_a_crash_loses_what_consumers_hold) {
  SystemConfig config = small_system({1, 1.5}, 2);
  config.incidents = {incident_between(2, 3, crash_all)};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.5 sent 1.1
    2 incident started 1:0
    2 lost 0.1 c0
    2 given up 0
    3 incident ended 1:0
    3 received 1.1 c0
    5 completed 1.1 c0
    5 answered 1.1
  )");
}

// The lease of what was dropped runs out at 1 + 4 = 5.
TEST(IncidentTraces, with_leases_a_crash_delays_what_consumers_hold) {
  SystemConfig config = small_system({1}, 2);
  config.queue.visibility_timeout = seconds(4);
  config.incidents = {incident_between(2, 3, crash_all)};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    3 incident ended 1:0
    5 lease ended 0.1
    5 received 0.1 c0
    7 completed 0.1 c0
    7 acknowledged 0.1 c0
    7 answered 0.1
  )");
}

// Down from 2 to 5 by either or both.
TEST(IncidentTraces, a_consumer_is_down_while_any_outage_holds_it) {
  SystemConfig config = small_system({1}, 2);
  config.incidents = {incident_between(2, 4, pause_all),
                      incident_between(3, 5, pause_all)};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    3 incident started 2:0
    4 incident ended 1:0
    5 incident ended 2:0
    6 completed 0.1 c0
    6 answered 0.1
  )");
}

// Work 2: 1 s done at 2, half a second of it from 2 to 3, the last half from 3 to 3.5.
TEST(IncidentTraces, a_slowdown_changes_the_speed_of_work_in_progress) {
  SystemConfig config = small_system({1}, 2);
  config.incidents = {incident_between(2, 3, Slowdown{.speed = 0.5})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    3 incident ended 1:0
    3.5 completed 0.1 c0
    3.5 answered 0.1
  )");
}

// Work 4 from 1: 1 s at speed 1, 1 s at 1/2, 1 s at 1/4, then at 1/2: 4 - 1.75 = 2.25 s
// of work take 4.5 s from 4.
TEST(IncidentTraces, overlapping_slowdowns_multiply) {
  SystemConfig config = small_system({1}, 4);
  config.incidents = {incident_between(2, 20, Slowdown{.speed = 0.5}),
                      incident_between(3, 4, Slowdown{.speed = 0.5})};
  expect_trace(config, "8.5 completed 0.1 c0", {Happening::completed});
}

// Occurrences from 2 to 5 and from 3 to 6 overlap: work 4 is 1 at 2, 1.5 at 3, and from
// then to 5 goes on at a quarter: 2 at 5, 2.5 at 6, then at full speed.
TEST(IncidentTraces, overlapping_occurrences_of_a_slowdown_multiply) {
  SystemConfig config = small_system({1}, 4);
  Incident slowdown = incident_between(2, 5, Slowdown{.speed = 0.5});
  slowdown.occurrences = 2;
  slowdown.every = seconds(1);
  config.incidents = {slowdown};
  expect_trace(config, "7.5 completed 0.1 c0", {Happening::completed});
}

// The first processing begins at 1, in the incident, and fails at 2; the second does not.
SystemConfig fails_once(OnFailure on_failure) {
  SystemConfig config = small_system({1}, 1);
  config.queue.visibility_timeout = seconds(10);
  config.consumers.on_failure = on_failure;
  config.incidents = {incident_between(0.5, 1.5, DownstreamFailure{})};
  return config;
}

TEST(IncidentTraces, a_nack_returns_the_message_at_once) {
  expect_trace(fails_once(OnFailure::nack), R"(
    0.5 incident started 1:0
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident ended 1:0
    2 failed 0.1 c0
    2 returned 0.1
    2 received 0.1 c0
    3 completed 0.1 c0
    3 acknowledged 0.1 c0
    3 answered 0.1
  )");
}

TEST(IncidentTraces, without_a_nack_the_lease_of_a_failed_message_runs_out) {
  expect_trace(fails_once(OnFailure::lease), R"(
    0.5 incident started 1:0
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident ended 1:0
    2 failed 0.1 c0
    11 lease ended 0.1
    11 received 0.1 c0
    12 completed 0.1 c0
    12 acknowledged 0.1 c0
    12 answered 0.1
  )");
}

TEST(IncidentTraces, without_a_lease_a_failed_message_is_lost) {
  SystemConfig config = fails_once(OnFailure::nack);
  config.queue.visibility_timeout.reset();
  expect_trace(config, R"(
    0.5 incident started 1:0
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident ended 1:0
    2 failed 0.1 c0
    2 lost 0.1 c0
    2 given up 0
  )");
}

// Begun at 1 and 1.25 in the incident, each fails after 0.25; at 1.5 it is over.
TEST(IncidentTraces, a_fast_failure_ends_before_the_work_would) {
  SystemConfig config = fails_once(OnFailure::nack);
  config.incidents = {incident_between(
      0.5, 1.5, DownstreamFailure{.probability = 1, .fails_after = seconds(0.25)})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    1.25 failed 0.1 c0
    1.25 received 0.1 c0
    1.5 failed 0.1 c0
    1.5 received 0.1 c0
    2.5 completed 0.1 c0
  )",
               {Happening::received, Happening::failed, Happening::completed});
}

// Poison would show at 2, the downstream's failure shows at 1.25; after the fast
// failure's incident the same request fails after its whole work.
TEST(IncidentTraces, of_several_failures_the_one_that_shows_first_ends_the_processing) {
  SystemConfig config = fails_once(OnFailure::nack);
  config.queue.max_receives = 2;
  config.incidents = {
      incident_between(0.5, 1.5, Poison{}),
      incident_between(
          0.5, 1.25, DownstreamFailure{.probability = 1, .fails_after = seconds(0.25)})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    1.25 failed 0.1 c0
    1.25 received 0.1 c0
    2.25 failed 0.1 c0
    2.25 dead-lettered 0.1
  )",
               {Happening::received, Happening::failed, Happening::dead_lettered});
}

// The acknowledgement at 2 is lost, the one at 6 is not.
TEST(IncidentTraces, a_lost_acknowledgement_leaves_the_message_to_its_lease) {
  SystemConfig config = small_system({1}, 1);
  config.queue.visibility_timeout = seconds(4);
  config.incidents = {incident_between(0.5, 2.5, AckLoss{})};
  expect_trace(config, R"(
    0.5 incident started 1:0
    1 sent 0.1
    1 received 0.1 c0
    2 completed 0.1 c0
    2 ack ignored 0.1 c0
    2 answered 0.1
    2.5 incident ended 1:0
    5 lease ended 0.1
    5 received 0.1 c0
    6 completed 0.1 c0
    6 acknowledged 0.1 c0
  )");
}

// The reply at 2 is lost; the producer waits until 1 + 10.
TEST(IncidentTraces, a_partition_of_replies_loses_them) {
  SystemConfig config = small_system({1}, 1);
  config.producer.timeout = seconds(10);
  config.incidents = {incident_between(1.5, 2.5, Partition{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident started 1:0
    2 completed 0.1 c0
    2.5 incident ended 1:0
    11 timed out 0.1
    11 given up 0
  )");
}

TEST(IncidentTraces, a_partition_of_replies_does_not_touch_fire_and_forget) {
  SystemConfig config = small_system({1}, 1);
  config.incidents = {incident_between(1.5, 2.5, Partition{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident started 1:0
    2 completed 0.1 c0
    2 answered 0.1
    2.5 incident ended 1:0
  )");
}

// At 3 an idle consumer is about to take one, so of three messages two fit.
TEST(IncidentTraces, a_partition_of_messages_holds_them_and_releases_them_in_order) {
  SystemConfig config = small_system({1, 2, 2.5}, 1);
  config.queue.capacity = 1;
  config.incidents = {
      incident_between(0.5, 3, Partition{.side = Partition::Side::messages})};
  expect_trace(config, R"(
    0.5 incident started 1:0
    1 held 0.1
    2 held 1.1
    2.5 held 2.1
    3 incident ended 1:0
    3 sent 0.1
    3 sent 1.1
    3 refused 2.1
    3 given up 2
    3 received 0.1 c0
    4 completed 0.1 c0
    4 answered 0.1
    4 received 1.1 c0
    5 completed 1.1 c0
    5 answered 1.1
  )");
}

// Timer and TTL run from the send at 1: the producer stops at 3.5, and at 4 the message
// is 3 s old.
TEST(IncidentTraces, timers_and_ttl_of_a_held_message_run_from_its_send) {
  SystemConfig config = small_system({1}, 1);
  config.queue.message_ttl = seconds(2.75);
  config.producer.timeout = seconds(2.5);
  config.incidents = {
      incident_between(0.5, 4, Partition{.side = Partition::Side::messages})};
  expect_trace(config, R"(
    0.5 incident started 1:0
    1 held 0.1
    3.5 timed out 0.1
    3.5 given up 0
    4 incident ended 1:0
    4 sent 0.1
    4 expired 0.1
  )");
}

TEST(IncidentTraces, a_poison_request_always_fails) {
  SystemConfig config = small_system({1, 2}, 0.5);
  config.incidents = {incident_between(0.5, 1.25, Poison{})};
  expect_trace(config, R"(
    0.5 incident started 1:0
    1 sent 0.1
    1 received 0.1 c0
    1.25 incident ended 1:0
    1.5 failed 0.1 c0
    1.5 lost 0.1 c0
    1.5 given up 0
    2 sent 1.1
    2 received 1.1 c0
    2.5 completed 1.1 c0
    2.5 answered 1.1
  )");
}

// c0 fails after 0.1 s and so takes message 2 as well, while c1 works until 2.
TEST(IncidentTraces, a_black_hole_takes_ever_more) {
  SystemConfig config = small_system({1, 1, 1.5}, 1);
  config.consumers.groups[0].count = 2;
  config.incidents = {
      incident_between(0.5, 1.75, BlackHole{.fails_after = seconds(0.1)})};
  expect_trace(config,
               R"(
    1 received 0.1 c0
    1 received 1.1 c1
    1.1 failed 0.1 c0
    1.5 received 2.1 c0
    1.6 failed 2.1 c0
    2 completed 1.1 c1
  )",
               {Happening::received, Happening::failed, Happening::completed});
}

// Nobody waits for them, and the third does not fit: one is about to be received, one
// waits.
TEST(IncidentTraces, a_backlog_enters_at_once_and_is_refused_silently) {
  SystemConfig config = small_system({2}, 1);
  config.queue.capacity = 1;
  config.incidents = {incident_between(1, 1, Backlog{.messages = 3})};
  expect_trace(config, R"(
    1 incident started 1:0
    1 sent 1:0.1
    1 sent 1:1.1
    1 refused 1:2.1
    1 incident ended 1:0
    1 received 1:0.1 c0
    2 completed 1:0.1 c0
    2 sent 0.1
    2 received 1:1.1 c0
    3 completed 1:1.1 c0
    3 received 0.1 c0
    4 completed 0.1 c0
    4 answered 0.1
  )");
}

// Three consumers with services 1, 1 and 0.5 do 4 messages a second: 6 in 1.5 s.
TEST(IncidentTraces, saturated_sends_what_all_consumers_do_in_the_delay) {
  SystemConfig config = small_system({}, 1);
  config.consumers.groups = {{.name = "", .count = 2, .service = Deterministic{1}},
                             {.name = "", .count = 1, .service = Deterministic{0.5}}};
  config.incidents = {incident_between(1, 1, Saturated{.delay = seconds(1.5)})};
  expect_trace(config,
               R"(
    1 sent 1:0.1
    1 sent 1:1.1
    1 sent 1:2.1
    1 sent 1:3.1
    1 sent 1:4.1
    1 sent 1:5.1
  )",
               {Happening::sent});
}

// Occurrences at 1, 3, 5 of half a second each.
TEST(IncidentTraces, an_incident_repeats) {
  SystemConfig config = small_system({}, 1);
  Incident outage = incident_between(1, 1.5, pause_all);
  outage.occurrences = 3;
  outage.every = seconds(2);
  config.incidents = {outage};
  expect_trace(config, R"(
    1 incident started 1:0
    1.5 incident ended 1:0
    3 incident started 1:1
    3.5 incident ended 1:1
    5 incident started 1:2
    5.5 incident ended 1:2
  )");
}

}  // namespace
}  // namespace basin
