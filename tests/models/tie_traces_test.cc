// Two things at the very same nanosecond, by hand.
#include <gtest/gtest.h>

#include "tests/models/trace_check.h"

namespace basin {
namespace {

TEST(TieTraces, a_completion_at_the_timeout_is_in_time) {
  SystemConfig config = small_system({1}, 2);
  config.producer.timeout = seconds(2);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 completed 0.1 c0
    3 answered 0.1
  )");
}

TEST(TieTraces, an_acknowledgement_at_the_end_of_the_lease_deletes) {
  SystemConfig config = small_system({1}, 2);
  config.queue.visibility_timeout = seconds(2);
  config.queue.stale_ack = StaleAck::ignore;
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 completed 0.1 c0
    3 acknowledged 0.1 c0
    3 answered 0.1
  )");
}

// The lease would end at 1 + 2 = 3; the beats at 2, 3, 4 come before it. Work to 5.5.
TEST(TieTraces, a_heartbeat_at_the_end_of_the_lease_extends_it) {
  SystemConfig config = small_system({1}, 4.5);
  config.queue.visibility_timeout = seconds(2);
  config.consumers.heartbeat = seconds(1);
  // The beat at 2 does not come; the consumer is back for the one at 3.
  config.incidents = {incident_between(1.75, 2.25, ConsumerOutage{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.75 incident started 1:0
    2.25 incident ended 1:0
    6 completed 0.1 c0
    6 acknowledged 0.1 c0
    6 answered 0.1
  )");
}

// Both arrivals of 1 are in the line before the hand-out.
TEST(TieTraces, arrivals_come_before_the_hand_out) {
  SystemConfig config = small_system({1, 1}, 1);
  config.queue.order = QueueOrder::lifo;
  expect_trace(config, "1 received 1.1 c0\n 2 received 0.1 c0", {Happening::received});
}

TEST(TieTraces, a_pause_at_the_end_of_processing_freezes_it) {
  SystemConfig config = small_system({1}, 1);
  config.incidents = {incident_between(2, 3, ConsumerOutage{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    3 incident ended 1:0
    3 completed 0.1 c0
    3 answered 0.1
  )");
}

TEST(TieTraces, a_crash_at_the_end_of_processing_loses_it) {
  SystemConfig config = small_system({1}, 1);
  config.incidents = {
      incident_between(2, 3, ConsumerOutage{.mode = ConsumerOutage::Mode::crash})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    2 lost 0.1 c0
    2 given up 0
    3 incident ended 1:0
  )");
}

TEST(TieTraces, a_reply_at_the_end_of_a_partition_arrives) {
  SystemConfig config = small_system({1}, 1);
  config.producer.timeout = seconds(10);
  config.incidents = {incident_between(1.5, 2, Partition{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident started 1:0
    2 incident ended 1:0
    2 completed 0.1 c0
    2 answered 0.1
  )");
}

// At 2 one partition ends before the other starts, so what was held is released at 2.
TEST(TieTraces, incidents_end_before_others_start) {
  SystemConfig config = small_system({1, 2}, 0.5);
  const Partition partition{.side = Partition::Side::messages};
  config.incidents = {incident_between(2, 3, partition),
                      incident_between(0.5, 2, partition)};
  expect_trace(config, R"(
    0.5 incident started 2:0
    1 held 0.1
    2 incident ended 2:0
    2 sent 0.1
    2 incident started 1:0
    2 held 1.1
    2 received 0.1 c0
    2.5 completed 0.1 c0
    2.5 answered 0.1
    3 incident ended 1:0
    3 sent 1.1
    3 received 1.1 c0
    3.5 completed 1.1 c0
    3.5 answered 1.1
  )");
}

// Message 0 is abandoned at 3, when request 1 arrives: the arrival enters first, and the
// redelivery goes behind it. The objective ends the run at 3.5 + 0.5.
TEST(TieTraces, an_arrival_enters_before_a_redelivery) {
  SystemConfig config = small_system({1, 3}, 5);
  config.queue.visibility_timeout = seconds(2);
  config.queue.redeliver_at = RedeliverAt::back;
  config.consumers.on_lease_end = OnLeaseEnd::abandon;
  config.horizon = seconds(3.5);
  config.success_within = seconds(0.5);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 lease ended 0.1
    3 abandoned 0.1 c0
    3 sent 1.1
    3 received 1.1 c0
  )");
}

// The retry of request 0 is due at 2 + 1 = 3, when request 1 is created; the consumer is
// busy until 6.
TEST(TieTraces, a_base_arrival_enters_before_a_retry) {
  SystemConfig config = small_system({1, 3}, 5);
  config.producer.timeout = seconds(1);
  config.producer.max_attempts = 2;
  config.producer.backoff = {.kind = Backoff::Kind::constant, .base = seconds(1)};
  config.horizon = seconds(12);
  expect_trace(config,
               R"(
    1 received 0.1 c0
    6 received 1.1 c0
    11 received 0.2 c0
  )",
               {Happening::received});
}

// Timeout and arrival at 2: the time-out is before the arrival, and without backoff its
// retry enters at 2, after the arrival.
TEST(TieTraces, a_retry_without_backoff_enters_after_the_base_arrival_of_its_instant) {
  SystemConfig config = small_system({1, 2}, 5);
  config.producer.timeout = seconds(1);
  config.producer.max_attempts = 2;
  config.horizon = seconds(12);
  expect_trace(config,
               R"(
    1 received 0.1 c0
    6 received 1.1 c0
    11 received 0.2 c0
  )",
               {Happening::received});
}

// c0 works from 1 to 2, c1 has been idle since the start: c1 receives at 3. c0, idle
// since 2, receives at 3.5.
TEST(TieTraces, the_longest_idle_consumer_receives) {
  SystemConfig config = small_system({1, 3, 3.5}, 1);
  config.consumers.groups[0].count = 2;
  expect_trace(config,
               R"(
    1 received 0.1 c0
    3 received 1.1 c1
    3.5 received 2.1 c0
  )",
               {Happening::received});
}

// Both end at 2, the lower first, so c0 has been idle for longer.
TEST(TieTraces, of_consumers_that_end_together_the_lower_is_idle_first) {
  SystemConfig config = small_system({1, 1, 3}, 1);
  config.consumers.groups[0].count = 2;
  expect_trace(config,
               R"(
    1 received 0.1 c0
    1 received 1.1 c1
    3 received 2.1 c0
  )",
               {Happening::received});
}

TEST(TieTraces, a_consumer_that_comes_back_is_the_shortest_idle) {
  SystemConfig config = small_system({2}, 1);
  config.consumers.groups[0].count = 2;
  config.incidents = {incident_between(0.5, 1, ConsumerOutage{.share = std::int64_t{1}})};
  expect_trace(config, "2 received 0.1 c1", {Happening::received});
}

}  // namespace
}  // namespace basin
