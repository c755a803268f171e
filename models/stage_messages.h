// Stage: the course of a message from the hand-out on. Included by stage.h.
#pragma once

#include "models/stage.h"

namespace basin {

// Idle consumers receive, the longest idle first, until none is idle or nothing waits.
template <class Recorder>
void Stage<Recorder>::hand_out() {
  agenda_.set(hand_outs, never);
  while (fleet_.has_idle() && queue_.waiting().value() > 0) {
    const int consumer = fleet_.longest_idle();
    const std::size_t size = fill_batch(consumer);
    if (size == 0) {
      break;  // everything that waited was past its TTL or dead-lettered
    }
    fleet_.begin_batch(consumer, size, now_);
    if (config_.consumers.heartbeat && queue_.has_leases()) {
      beats_.set(now_ + *config_.consumers.heartbeat,
                 {consumer, fleet_.batch_number(consumer)});
      agenda_.set(heartbeats, beats_.next());
    }
    const std::size_t first = fleet_.slot_of(consumer, 0);
    if (config_.consumers.processing == Processing::serial) {
      begin(first);
    } else {
      for (std::size_t place = 0; place < size; ++place) {
        begin(first + place);
      }
    }
  }
  meters_.saw_depth(queue_.waiting().value(), now_);
  check_drained();
}

// Takes messages from the queue into the consumer's slots; how many it got.
template <class Recorder>
std::size_t Stage<Recorder>::fill_batch(int consumer) {
  std::size_t size = 0;
  while (size < fleet_.batch_limit()) {
    const auto taken = queue_.take(now_);
    if (!taken) {
      break;
    }
    const Message& message = *taken->message;
    switch (taken->fate) {
      case Queue::Fate::received:
        record(Happening::received, message.request, message.attempt, consumer);
        if (taken->again) {
          ++meters_.counters.redelivered;
          ++counts_.redeliveries;
        } else {
          ++meters_.counters.first_receives;
          meters_.counters.waited += (now_ - message.sent).count();
        }
        take_task(fleet_.slot_of(consumer, size), taken->id, *taken->message);
        ++size;
        break;
      case Queue::Fate::expired:
        record(Happening::expired, message.request, message.attempt);
        ++meters_.counters.expired;
        ++counts_.expired;
        drop(taken->id, *taken->message);
        break;
      case Queue::Fate::dead_lettered:
        record(Happening::dead_lettered, message.request, message.attempt);
        ++meters_.counters.dead_lettered;
        ++counts_.dead_lettered;
        drop(taken->id, *taken->message);
        break;
    }
  }
  return size;
}

template <class Recorder>
void Stage<Recorder>::drop(MessageId id, Message& message) {
  const RequestKey request = message.request;
  const bool orphan = message.orphan;
  queue_.remove(id, message);
  message_is_gone(request, orphan);
}

template <class Recorder>
void Stage<Recorder>::take_task(std::size_t slot, MessageId id, Message& message) {
  Task& task = fleet_.task(slot);
  task.request = message.request;
  task.message = id;
  task.attempt = message.attempt;
  task.receipt = message.receives;
  task.state = Task::State::queued;
  task.lease_ended = false;
  task.poison = message.poison;
  task.orphan = message.orphan;
  if (queue_.has_leases()) {
    queue_.lease(id, message, static_cast<std::uint32_t>(slot), now_);
    if (agenda_.time_of(lease_ends) == never) {
      agenda_.set(lease_ends, queue_.next_lease_end());
    }
  } else {
    queue_.hand_over(id, message);
  }
}

// Processing of the task begins.
template <class Recorder>
void Stage<Recorder>::begin(std::size_t slot) {
  Task& task = fleet_.task(slot);
  const int consumer = fleet_.consumer_of(slot);
  const auto failure = disturbance_.failure(
      consumer, task.poison, task.request, task.attempt, task.receipt);
  task.fails = failure.has_value();
  const Duration work =
      work_.work(fleet_.service_of(consumer), task.request, task.attempt, task.receipt);
  fleet_.begin_work(slot, failure ? failure->shows_after(work) : work, now_);
  agenda_.set(processing_ends, fleet_.next_end());
}

template <class Recorder>
void Stage<Recorder>::on_processing_end() {
  const std::size_t slot = fleet_.next_end_slot();
  fleet_.stop_work(slot);
  if (fleet_.task(slot).fails) {
    end_in_failure(slot);
  } else {
    end_well(slot);
  }
  go_on(fleet_.consumer_of(slot), slot);
  agenda_.set(processing_ends, fleet_.next_end());
  schedule_redelivery();
}

template <class Recorder>
void Stage<Recorder>::end_well(std::size_t slot) {
  Task& task = fleet_.task(slot);
  const int consumer = fleet_.consumer_of(slot);
  record(Happening::completed, task.request, task.attempt, consumer);
  ++meters_.counters.completions;
  ++counts_.completions;
  if (!queue_.has_leases()) {
    task.state = Task::State::over;
    queue_.settle_handed_over(now_);
    ++counts_.completed;
  } else if (config_.consumers.acknowledge == Acknowledge::each) {
    task.state = Task::State::over;
    acknowledge(task, consumer);
  } else {
    task.state = Task::State::done;
  }
  reply(task);
}

template <class Recorder>
void Stage<Recorder>::end_in_failure(std::size_t slot) {
  Task& task = fleet_.task(slot);
  task.state = Task::State::over;
  record(Happening::failed, task.request, task.attempt, fleet_.consumer_of(slot));
  if (!queue_.has_leases()) {
    queue_.settle_handed_over(now_);
    ++counts_.lost;
    record(Happening::lost, task.request, task.attempt, fleet_.consumer_of(slot));
    message_is_gone(task.request, task.orphan);
  } else if (config_.consumers.on_failure == OnFailure::nack &&
             queue_.put_back(task.message, task.receipt, now_)) {
    record(Happening::returned, task.request, task.attempt);
  }
}

// After a task of the consumer ended or was abandoned: the next of its batch, or the end
// of the batch.
template <class Recorder>
void Stage<Recorder>::go_on(int consumer, std::size_t slot) {
  const std::size_t first = fleet_.slot_of(consumer, 0);
  const std::size_t end = first + fleet_.batch_size(consumer);
  if (config_.consumers.processing == Processing::serial) {
    for (std::size_t next = slot + 1; next < end; ++next) {
      Task& task = fleet_.task(next);
      if (task.lease_ended && config_.consumers.on_lease_end == OnLeaseEnd::abandon) {
        task.state = Task::State::over;  // skipped
        continue;
      }
      begin(next);
      return;
    }
  } else {
    for (std::size_t other = first; other < end; ++other) {
      if (fleet_.task(other).state == Task::State::working) {
        return;
      }
    }
  }
  end_batch(consumer);
}

template <class Recorder>
void Stage<Recorder>::end_batch(int consumer) {
  const std::size_t first = fleet_.slot_of(consumer, 0);
  for (std::size_t place = 0; place < fleet_.batch_size(consumer); ++place) {
    Task& task = fleet_.task(first + place);
    if (task.state == Task::State::done) {
      task.state = Task::State::over;
      acknowledge(task, consumer);
    }
  }
  fleet_.end_batch(consumer, now_);
  ask_for_hand_out();
}

template <class Recorder>
void Stage<Recorder>::acknowledge(Task& task, int consumer) {
  if (!disturbance_.loses_ack(task.request, task.attempt, task.receipt)) {
    const AckOutcome outcome = queue_.acknowledge(task.message, task.receipt, now_);
    if (outcome != AckOutcome::ignored) {
      ++counts_.completed;
      record(Happening::acknowledged, task.request, task.attempt, consumer);
      if (outcome == AckOutcome::deleted_late) {
        agenda_.set(hand_outs, now_);  // the depth fell: where it is looked at
      }
      return;
    }
  }
  record(Happening::ack_ignored, task.request, task.attempt, consumer);
}

template <class Recorder>
void Stage<Recorder>::on_lease_end() {
  const std::optional<Lease> ended = queue_.end_lease(now_);
  agenda_.set(lease_ends, queue_.next_lease_end());
  if (!ended) {
    return;
  }
  const Message message = queue_.log().at(ended->message);
  record(Happening::lease_ended, message.request, message.attempt);
  schedule_redelivery();
  Task& task = fleet_.task(ended->task);
  const bool still_held = task.state != Task::State::over &&
                          task.message == ended->message &&
                          task.receipt == ended->receipt;
  if (!still_held) {
    return;  // its consumer crashed, or failed it
  }
  task.lease_ended = true;
  if (config_.consumers.on_lease_end == OnLeaseEnd::abandon &&
      task.state == Task::State::working) {
    const int consumer = fleet_.consumer_of(ended->task);
    record(Happening::abandoned, task.request, task.attempt, consumer);
    task.state = Task::State::over;
    fleet_.stop_work(ended->task);
    go_on(consumer, ended->task);
    agenda_.set(processing_ends, fleet_.next_end());
  }
}

template <class Recorder>
void Stage<Recorder>::on_heartbeat() {
  const Beat beat = beats_.pop().payload;
  const int consumer = beat.consumer;
  if (fleet_.is_busy(consumer) && fleet_.batch_number(consumer) == beat.batch_number) {
    if (fleet_.is_up(consumer)) {
      const std::size_t first = fleet_.slot_of(consumer, 0);
      for (std::size_t place = 0; place < fleet_.batch_size(consumer); ++place) {
        const Task& task = fleet_.task(first + place);
        if (task.state != Task::State::over && !task.lease_ended) {
          queue_.extend(
              {task.message, static_cast<std::uint32_t>(first + place), task.receipt},
              now_);
        }
      }
    }
    beats_.set(now_ + *config_.consumers.heartbeat, beat);
  }
  agenda_.set(heartbeats, beats_.next());
}

template <class Recorder>
void Stage<Recorder>::on_redelivery() {
  agenda_.set(redeliveries, never);
  queue_.admit_returning(now_);
  if (fleet_.has_idle()) {
    agenda_.set(hand_outs, now_);
  } else {
    meters_.saw_depth(queue_.waiting().value(), now_);
  }
}

}  // namespace basin
