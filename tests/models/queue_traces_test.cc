// Leases, acknowledgements, order, capacity and TTL, by hand.
#include <gtest/gtest.h>

#include "tests/models/trace_check.h"

namespace basin {
namespace {

// Received at 1, the lease runs to 1 + 2, the work to 1 + 3.
TEST(LeaseTraces, a_stale_ack_deletes_a_message_that_was_not_received_again) {
  SystemConfig config = small_system({1}, 3);
  config.queue.visibility_timeout = seconds(2);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 lease ended 0.1
    4 completed 0.1 c0
    4 acknowledged 0.1 c0
    4 answered 0.1
  )");
}

// As before, but the late delete is ignored: at 4 the idle consumer receives it again.
// The request is decided, so the run ends at the horizon.
TEST(LeaseTraces, an_ignored_stale_ack_leaves_the_message_to_be_received_again) {
  SystemConfig config = small_system({1}, 3);
  config.queue.visibility_timeout = seconds(2);
  config.queue.stale_ack = StaleAck::ignore;
  config.horizon = seconds(5);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 lease ended 0.1
    4 completed 0.1 c0
    4 ack ignored 0.1 c0
    4 answered 0.1
    4 received 0.1 c0
  )");
}

// c1 receives at 3 what c0 still works on, so c0's ack at 4 is of an old receipt. c1's
// lease ends at 3 + 2 = 5, c0 (idle since 4) receives at 5; c1's ack at 6 is of an old
// receipt; c0's lease ends at 7, c1 receives at 7.
TEST(LeaseTraces, an_ack_of_an_old_receipt_never_deletes) {
  SystemConfig config = small_system({1}, 3);
  config.queue.visibility_timeout = seconds(2);
  config.consumers.groups[0].count = 2;
  config.horizon = seconds(7);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    3 lease ended 0.1
    3 received 0.1 c1
    4 completed 0.1 c0
    4 ack ignored 0.1 c0
    4 answered 0.1
    5 lease ended 0.1
    5 received 0.1 c0
    6 completed 0.1 c1
    6 ack ignored 0.1 c1
    7 lease ended 0.1
    7 received 0.1 c1
  )");
}

// Both leases run from the receive at 1 to 4. Serial: the first ends at 3, the second
// works from 3 to 5 and outlives its lease.
TEST(LeaseTraces, in_a_serial_batch_the_lease_of_the_second_message_runs_while_it_waits) {
  SystemConfig config = small_system({1, 1}, 2);
  config.queue.visibility_timeout = seconds(3);
  config.queue.receive_batch = 2;
  expect_trace(config, R"(
    1 sent 0.1
    1 sent 1.1
    1 received 0.1 c0
    1 received 1.1 c0
    3 completed 0.1 c0
    3 acknowledged 0.1 c0
    3 answered 0.1
    4 lease ended 1.1
    5 completed 1.1 c0
    5 acknowledged 1.1 c0
    5 answered 1.1
  )");
}

TEST(LeaseTraces, a_concurrent_batch_ends_together) {
  SystemConfig config = small_system({1, 1}, 2);
  config.queue.visibility_timeout = seconds(3);
  config.queue.receive_batch = 2;
  config.consumers.processing = Processing::concurrent;
  expect_trace(config, R"(
    1 sent 0.1
    1 sent 1.1
    1 received 0.1 c0
    1 received 1.1 c0
    3 completed 0.1 c0
    3 acknowledged 0.1 c0
    3 answered 0.1
    3 completed 1.1 c0
    3 acknowledged 1.1 c0
    3 answered 1.1
  )");
}

// The first message ends at 3 and answers, but is deleted when the batch is over at 5.
// With a lease to 1 + 3 = 4 it has become visible again meanwhile.
TEST(LeaseTraces, acknowledged_by_batch_a_finished_message_can_outlive_its_lease) {
  SystemConfig config = small_system({1, 1}, 2);
  config.queue.visibility_timeout = seconds(3);
  config.queue.receive_batch = 2;
  config.consumers.acknowledge = Acknowledge::batch;
  expect_trace(config, R"(
    1 sent 0.1
    1 sent 1.1
    1 received 0.1 c0
    1 received 1.1 c0
    3 completed 0.1 c0
    3 answered 0.1
    4 lease ended 0.1
    4 lease ended 1.1
    5 completed 1.1 c0
    5 acknowledged 0.1 c0
    5 acknowledged 1.1 c0
    5 answered 1.1
  )");
}

// max_receives 1. At 4 the consumer finds message 0, received once already, moves it away
// and receives message 1 in the same batch of one. At 7 message 1 is moved.
TEST(LeaseTraces, a_message_is_dead_lettered_at_the_next_receive_and_takes_no_place) {
  SystemConfig config = small_system({1, 2}, 3);
  config.queue.visibility_timeout = seconds(2);
  config.queue.stale_ack = StaleAck::ignore;
  config.queue.max_receives = 1;
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 sent 1.1
    3 lease ended 0.1
    4 completed 0.1 c0
    4 ack ignored 0.1 c0
    4 answered 0.1
    4 dead-lettered 0.1
    4 received 1.1 c0
    6 lease ended 1.1
    7 completed 1.1 c0
    7 ack ignored 1.1 c0
    7 answered 1.1
    7 dead-lettered 1.1
  )");
}

// Beats at 2.5, 4 and 5.5 extend the lease to 4.5, 6 and 7.5; the work ends at 6.
TEST(LeaseTraces, a_heartbeat_keeps_the_lease_while_work_goes_on) {
  SystemConfig config = small_system({1}, 5);
  config.queue.visibility_timeout = seconds(2);
  config.consumers.heartbeat = seconds(1.5);
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    6 completed 0.1 c0
    6 acknowledged 0.1 c0
    6 answered 0.1
  )");
}

// The beat at 2.5 falls into the pause, so the lease ends at 3; of 5 s of work 1 is done
// at 2, the rest runs from 4.2 to 8.2. Later beats find no running lease.
TEST(LeaseTraces, a_paused_consumer_sends_no_heartbeat) {
  SystemConfig config = small_system({1}, 5);
  config.queue.visibility_timeout = seconds(2);
  config.consumers.heartbeat = seconds(1.5);
  config.incidents = {incident_between(2, 4.2, ConsumerOutage{})};
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 incident started 1:0
    3 lease ended 0.1
    4.2 incident ended 1:0
    8.2 completed 0.1 c0
    8.2 acknowledged 0.1 c0
    8.2 answered 0.1
  )");
}

// Both leases end at 3, one after the other: the consumer leaves message 0, turns to
// message 1 and leaves that too. Both have been received once, and the idle consumer's
// receive at 3 moves them away.
TEST(LeaseTraces, a_consumer_that_abandons_leaves_each_message_as_its_lease_ends) {
  SystemConfig config = small_system({1, 1}, 3);
  config.queue.visibility_timeout = seconds(2);
  config.queue.receive_batch = 2;
  config.queue.max_receives = 1;
  config.consumers.on_lease_end = OnLeaseEnd::abandon;
  expect_trace(config, R"(
    1 sent 0.1
    1 sent 1.1
    1 received 0.1 c0
    1 received 1.1 c0
    3 lease ended 0.1
    3 abandoned 0.1 c0
    3 lease ended 1.1
    3 abandoned 1.1 c0
    3 dead-lettered 0.1
    3 given up 0
    3 dead-lettered 1.1
    3 given up 1
  )");
}

// Work 1 to 3, 3 to 5: message 1 is 2 s old at 3, exactly its TTL; message 2 is 4 s old
// at 5.
TEST(QueueTraces, a_message_exactly_as_old_as_its_ttl_is_kept) {
  SystemConfig config = small_system({1, 1, 1}, 2);
  config.queue.message_ttl = seconds(2);
  expect_trace(config, R"(
    1 sent 0.1
    1 sent 1.1
    1 sent 2.1
    1 received 0.1 c0
    3 completed 0.1 c0
    3 answered 0.1
    3 received 1.1 c0
    5 completed 1.1 c0
    5 answered 1.1
    5 expired 2.1
    5 given up 2
  )");
}

// Capacity 0: the idle consumer is about to receive the first message; for the second
// none is idle.
TEST(QueueTraces, with_capacity_zero_only_an_idle_consumer_lets_a_message_in) {
  SystemConfig config = small_system({1, 2, 7}, 5);
  config.queue.capacity = 0;
  expect_trace(config, R"(
    1 sent 0.1
    1 received 0.1 c0
    2 refused 1.1
    2 given up 1
    6 completed 0.1 c0
    6 answered 0.1
    7 sent 2.1
    7 received 2.1 c0
    12 completed 2.1 c0
    12 answered 2.1
  )");
}

// An idle consumer will take two of what waits at 1, so of four messages three fit into a
// capacity of one. At 2 the consumer works and one waits already.
TEST(QueueTraces, capacity_does_not_count_what_idle_consumers_are_about_to_receive) {
  SystemConfig config = small_system({1, 1, 1, 1, 2}, 5);
  config.queue.capacity = 1;
  config.queue.receive_batch = 2;
  expect_trace(config,
               R"(
    1 sent 0.1
    1 sent 1.1
    1 sent 2.1
    1 refused 3.1
    1 received 0.1 c0
    1 received 1.1 c0
    2 refused 4.1
    11 received 2.1 c0
  )",
               {Happening::sent, Happening::refused, Happening::received});
}

// Capacity 1, a crash at 2: message 1 (sent at 1.5) waits and fills the queue, and
// message 0 comes back at 1 + 3 = 4 all the same; message 2, sent at 5, is refused.
TEST(QueueTraces, a_redelivery_is_never_refused) {
  SystemConfig config = small_system({1, 1.5, 5}, 2);
  config.queue.capacity = 1;
  config.queue.visibility_timeout = seconds(3);
  config.incidents = {
      incident_between(2, 6, ConsumerOutage{.mode = ConsumerOutage::Mode::crash})};
  expect_trace(
      config,
      R"(
    1 sent 0.1
    1 received 0.1 c0
    1.5 sent 1.1
    4 lease ended 0.1
    5 refused 2.1
    6 received 0.1 c0
    8 received 1.1 c0
  )",
      {Happening::sent, Happening::refused, Happening::received, Happening::lease_ended});
}

// A crash at 3 drops messages 1 and 2, received together at 2; their leases end at 6,
// when messages 3 (sent at 2.5) and 4 (sent at 4) wait. At 7 the consumer is back and
// receives one batch of two after another, each of which takes 1 s a message.
SystemConfig two_come_back(QueueOrder order, RedeliverAt where) {
  SystemConfig config = small_system({1, 1.25, 1.5, 2.5, 4}, 1);
  config.queue.order = order;
  config.queue.redeliver_at = where;
  config.queue.visibility_timeout = seconds(4);
  config.queue.receive_batch = 2;
  config.consumers.acknowledge = Acknowledge::batch;
  config.incidents = {
      incident_between(2.75, 7, ConsumerOutage{.mode = ConsumerOutage::Mode::crash})};
  return config;
}

TEST(RedeliveryTraces, to_the_front_the_latest_return_is_next) {
  expect_trace(two_come_back(QueueOrder::fifo, RedeliverAt::front),
               R"(
    1 received 0.1 c0
    2 received 1.1 c0
    2 received 2.1 c0
    7 received 2.1 c0
    7 received 1.1 c0
    9 received 3.1 c0
    9 received 4.1 c0
  )",
               {Happening::received});
}

// At 2 LIFO receives 2 before 1; both come back in that order, so 1 is the latest return.
TEST(RedeliveryTraces, to_the_front_also_under_lifo) {
  SystemConfig config = two_come_back(QueueOrder::lifo, RedeliverAt::front);
  config.queue.receive_batch = 1;
  // One a receive: 2.1 at 2 is dropped at 2.75 and returns at 6, ahead of 4, 3 and 1.
  expect_trace(config,
               R"(
    1 received 0.1 c0
    2 received 2.1 c0
    7 received 2.1 c0
    8 received 4.1 c0
    9 received 3.1 c0
    10 received 1.1 c0
  )",
               {Happening::received});
}

TEST(RedeliveryTraces, to_the_back_behind_every_message_that_waits) {
  expect_trace(two_come_back(QueueOrder::fifo, RedeliverAt::back),
               R"(
    1 received 0.1 c0
    2 received 1.1 c0
    2 received 2.1 c0
    7 received 3.1 c0
    7 received 4.1 c0
    9 received 1.1 c0
    9 received 2.1 c0
  )",
               {Happening::received});
}

// One a receive. 2.1 is dropped, returns at 6 and is handed out when nothing else waits.
TEST(RedeliveryTraces, to_the_back_also_under_lifo) {
  SystemConfig config = two_come_back(QueueOrder::lifo, RedeliverAt::back);
  config.queue.receive_batch = 1;
  expect_trace(config,
               R"(
    1 received 0.1 c0
    2 received 2.1 c0
    7 received 4.1 c0
    8 received 3.1 c0
    9 received 1.1 c0
    10 received 2.1 c0
  )",
               {Happening::received});
}

TEST(RedeliveryTraces, to_the_original_place) {
  expect_trace(two_come_back(QueueOrder::fifo, RedeliverAt::original),
               R"(
    1 received 0.1 c0
    2 received 1.1 c0
    2 received 2.1 c0
    7 received 1.1 c0
    7 received 2.1 c0
    9 received 3.1 c0
    9 received 4.1 c0
  )",
               {Happening::received});
}

// One a receive: 2.1 goes between 3.1 (sent later) and 1.1 (sent before).
TEST(RedeliveryTraces, to_the_original_place_also_under_lifo) {
  SystemConfig config = two_come_back(QueueOrder::lifo, RedeliverAt::original);
  config.queue.receive_batch = 1;
  expect_trace(config,
               R"(
    1 received 0.1 c0
    2 received 2.1 c0
    7 received 4.1 c0
    8 received 3.1 c0
    9 received 2.1 c0
    10 received 1.1 c0
  )",
               {Happening::received});
}

}  // namespace
}  // namespace basin
