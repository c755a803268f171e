// Timeouts, retries, replies and refusals, by hand.
#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/plain_model.h"
#include "tests/models/trace_check.h"

namespace basin {
namespace {

Backoff constant(double base) {
  return {.kind = Backoff::Kind::constant, .base = seconds(base)};
}

// Work to 1 + 3 = 4, the producer waits until 1 + 2 = 3 and would try again at 5.
SystemConfig late_answer() {
  SystemConfig config = small_system({1}, 3);
  config.producer.timeout = seconds(2);
  config.producer.max_attempts = 2;
  config.producer.backoff = constant(2);
  return config;
}

TEST(ProducerTraces, a_late_reply_is_ignored) {
  expect_trace(late_answer(), R"(
    1 sent 0.1
    1 received 0.1 c0
    3 timed out 0.1
    3 retry scheduled 0.2
    4 completed 0.1 c0
    5 sent 0.2
    5 received 0.2 c0
    7 timed out 0.2
    7 given up 0
    8 completed 0.2 c0
  )");
}

TEST(ProducerTraces, an_accepted_late_reply_cancels_the_pending_retry) {
  SystemConfig config = late_answer();
  config.producer.late_reply = LateReply::accepted;
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 timed out 0.1
    3 retry scheduled 0.2
    4 completed 0.1 c0
    4 answered 0.1
    4 retry cancelled 0
  )");
}

TEST(ProducerTraces, no_reply_is_taken_once_the_request_is_given_up) {
  SystemConfig config = late_answer();
  config.producer.late_reply = LateReply::accepted;
  config.producer.max_attempts = 1;
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 timed out 0.1
    3 given up 0
    4 completed 0.1 c0
  )");
}

// Capacity 0: request 1 is refused at 2, while the consumer works from 1 to 6.
SystemConfig refused_once(OnReject on_reject) {
  SystemConfig config = small_system({1, 2}, 5);
  config.queue.capacity = 0;
  config.producer.timeout = seconds(6);
  config.producer.max_attempts = 2;
  config.producer.backoff = constant(1);
  config.producer.on_reject = on_reject;
  return config;
}

// It learns at 2 + 6 = 8 and tries again at 9.
TEST(ProducerTraces, a_refused_message_is_learned_of_at_the_timeout) {
  expect_trace(refused_once(OnReject::timeout), R"(
    1 sent 0.1
    1 received 0.1 c0
    2 refused 1.1
    6 completed 0.1 c0
    6 answered 0.1
    8 timed out 1.1
    8 retry scheduled 1.2
    9 sent 1.2
    9 received 1.2 c0
    14 completed 1.2 c0
    14 answered 1.2
  )");
}

// It learns at once and is refused again at 3.
TEST(ProducerTraces, a_refused_message_is_an_error_at_once) {
  expect_trace(refused_once(OnReject::error), R"(
    1 sent 0.1
    1 received 0.1 c0
    2 refused 1.1
    2 retry scheduled 1.2
    3 refused 1.2
    3 given up 1
    6 completed 0.1 c0
    6 answered 0.1
  )");
}

TEST(ProducerTraces, a_silently_refused_message_is_never_retried) {
  expect_trace(refused_once(OnReject::silent), R"(
    1 sent 0.1
    1 received 0.1 c0
    2 refused 1.1
    2 given up 1
    6 completed 0.1 c0
    6 answered 0.1
  )");
}

// Attempt 1 waits to 2 and causes attempts 2 and 3, which wait from 2 to 3.
TEST(ProducerTraces, two_retries_a_timeout_share_a_generation) {
  SystemConfig config = small_system({1}, 10);
  config.producer.timeout = seconds(1);
  config.producer.max_attempts = 2;
  config.producer.retries_per_timeout = 2;
  config.horizon = seconds(5);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 timed out 0.1
    2 retry scheduled 0.2
    2 retry scheduled 0.3
    2 sent 0.2
    2 sent 0.3
    3 timed out 0.2
    3 timed out 0.3
    3 given up 0
  )");
}

// Sends at 1, 1+1+2 = 4, 4+1+2 = 7; given up at 8.
TEST(ProducerTraces, constant_backoff) {
  SystemConfig config = small_system({1}, 50);
  config.producer.timeout = seconds(1);
  config.producer.max_attempts = 3;
  config.producer.backoff = constant(2);
  config.horizon = seconds(10);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 timed out 0.1
    2 retry scheduled 0.2
    4 sent 0.2
    5 timed out 0.2
    5 retry scheduled 0.3
    7 sent 0.3
    8 timed out 0.3
    8 given up 0
  )");
}

// Delays 1, then 3, then min(5, 9) = 5: sends at 1, 3, 7, 13.
TEST(ProducerTraces, exponential_backoff_is_capped) {
  SystemConfig config = small_system({1}, 50);
  config.producer.timeout = seconds(1);
  config.producer.max_attempts = 4;
  config.producer.backoff = {.kind = Backoff::Kind::exponential,
                             .base = seconds(1),
                             .factor = 3,
                             .cap = seconds(5)};
  config.horizon = seconds(20);
  expect_trace(config,
               R"(
    1 sent 0.1
    3 sent 0.2
    7 sent 0.3
    13 sent 0.4
    14 given up 0
  )",
               {Happening::sent, Happening::given_up});
}

// Reply and acknowledgement of the first delivery (1 to 2) are lost. The lease runs to 5,
// the second delivery ends at 6, and the producer waits until 11.
TEST(ProducerTraces, a_reply_from_a_second_delivery_is_an_answer) {
  SystemConfig config = small_system({1}, 1);
  config.producer.timeout = seconds(10);
  config.queue.visibility_timeout = seconds(4);
  config.incidents = {incident_between(1.5, 2.5, AckLoss{}),
                      incident_between(1.5, 2.5, Partition{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    1.5 incident started 1:0
    1.5 incident started 2:0
    2 completed 0.1 c0
    2 ack ignored 0.1 c0
    2.5 incident ended 1:0
    2.5 incident ended 2:0
    5 lease ended 0.1
    5 received 0.1 c0
    6 completed 0.1 c0
    6 acknowledged 0.1 c0
    6 answered 0.1
  )");
}

// Answers after 2 s, 4 s and 6 s.
TEST(ProducerTraces, an_answer_exactly_at_the_objective_is_a_success) {
  SystemConfig config = small_system({1, 1, 1}, 2);
  config.success_within = seconds(4);
  const RunResult run = simulate(config, RandomKey{});
  EXPECT_EQ(run.outcomes.created.at(1), 3U);
  EXPECT_EQ(run.outcomes.succeeded.at(1), 2U);
  EXPECT_EQ(plain_run(config, RandomKey{}).outcomes.succeeded.at(1), 2U);
}

}  // namespace
}  // namespace basin
