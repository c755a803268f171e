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
    const std::span<Task> batch = fleet_.batch(consumer);
    if (config_.consumers.processing == Processing::serial) {
      begin(batch.front());
    } else {
      for (Task& task : batch) {
        begin(task);
      }
    }
  }
  meters_.saw_depth(queue_.waiting().value(), now_);
  check_drained();
}

// Takes messages from the queue into the consumer's slots; how many it got.
template <class Recorder>
std::size_t Stage<Recorder>::fill_batch(int consumer) {
  Task* const places = fleet_.places(consumer);
  std::size_t size = 0;
  while (size < fleet_.batch_limit()) {
    const Queue::Taken taken = queue_.take(now_);
    if (taken.message == nullptr) {
      break;
    }
    const Message& message = *taken.message;
    switch (taken.fate) {
      case Queue::Fate::received:
        record(Happening::received, message.request, message.attempt, consumer);
        if (taken.again) {
          ++meters_.counters.redelivered;
        } else {
          ++meters_.counters.first_receives;
          meters_.counters.waited += (now_ - message.sent).count();
        }
        take_task(places[size], taken.id, *taken.message);
        ++size;
        break;
      case Queue::Fate::expired:
        record(Happening::expired, message.request, message.attempt);
        ++meters_.counters.expired;
        intervention_counts_.expired += queue_.is_past_ttl(message, now_) ? 0 : 1;
        drop(taken.id, *taken.message);
        break;
      case Queue::Fate::dead_lettered:
        record(Happening::dead_lettered, message.request, message.attempt);
        ++meters_.counters.dead_lettered;
        drop(taken.id, *taken.message);
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
void Stage<Recorder>::take_task(Task& task, MessageId id, Message& message) {
  task.request = message.request;
  task.message = id;
  task.work = message.work;
  task.attempt = message.attempt;
  task.receipt = message.receives;
  task.state = Task::State::queued;
  task.lease_ended = false;
  task.poison = message.poison;
  task.orphan = message.orphan;
  if (queue_.has_leases()) {
    queue_.lease(id, message, task.slot, now_);
    if (agenda_.time_of(lease_ends) == never) {
      agenda_.set(lease_ends, queue_.next_lease_end());
    }
  } else {
    queue_.hand_over(id, message);
  }
}

// Processing of the task begins.
template <class Recorder>
void Stage<Recorder>::begin(Task& task) {
  Duration work = task.work;
  if (work == work_not_known) {
    work = work_.at_receipt(
        fleet_.service_of(task.consumer), task.request, task.attempt, task.receipt);
  }
  task.fails = false;
  if (const auto failure = disturbance_.failure(
          task.consumer, task.poison, task.request, task.attempt, task.receipt)) {
    task.fails = true;
    work = failure->shows_after(work);
  }
  fleet_.begin_work(task, work, now_);
  agenda_.set(processing_ends, fleet_.next_end());
}

template <class Recorder>
void Stage<Recorder>::on_processing_end() {
  Task& task = fleet_.next_to_end();
  fleet_.stop_work(task);
  if (task.fails) {
    end_in_failure(task);
  } else {
    end_well(task);
  }
  go_on(task);
  agenda_.set(processing_ends, fleet_.next_end());
  schedule_redelivery();
}

template <class Recorder>
void Stage<Recorder>::end_well(Task& task) {
  record(Happening::completed, task.request, task.attempt, task.consumer);
  ++meters_.counters.completions;
  const bool has_record = queue_.has_leases() || config_.producer.timeout;
  Message* const message = has_record ? queue_.log().find(task.message) : nullptr;
  Message* const awaited = message != nullptr && message->timer ? message : nullptr;
  if (!queue_.has_leases()) {
    task.state = Task::State::over;
    queue_.settle_handed_over(now_);
    ++counts_.completed;
  } else if (config_.consumers.acknowledge == Acknowledge::each) {
    task.state = Task::State::over;
    acknowledge(task, message);
  } else {
    task.state = Task::State::done;
  }
  reply(task, awaited);
}

template <class Recorder>
void Stage<Recorder>::end_in_failure(Task& task) {
  task.state = Task::State::over;
  record(Happening::failed, task.request, task.attempt, task.consumer);
  if (!queue_.has_leases()) {
    queue_.settle_handed_over(now_);
    ++counts_.lost;
    record(Happening::lost, task.request, task.attempt, task.consumer);
    message_is_gone(task.request, task.orphan);
  } else if (config_.consumers.on_failure == OnFailure::nack &&
             queue_.put_back(task.message, task.receipt, now_)) {
    record(Happening::returned, task.request, task.attempt);
  }
}

// After a task of the consumer ended or was abandoned: the next of its batch, or the end
// of the batch.
template <class Recorder>
void Stage<Recorder>::go_on(Task& ended) {
  const std::span<Task> batch = fleet_.batch(ended.consumer);
  if (config_.consumers.processing == Processing::serial) {
    for (Task* next = &ended + 1; next < batch.data() + batch.size(); ++next) {
      if (next->lease_ended && config_.consumers.on_lease_end == OnLeaseEnd::abandon) {
        next->state = Task::State::over;  // skipped
        continue;
      }
      begin(*next);
      return;
    }
  } else {
    for (const Task& other : batch) {
      if (other.state == Task::State::working) {
        return;
      }
    }
  }
  end_batch(ended.consumer);
}

template <class Recorder>
void Stage<Recorder>::end_batch(int consumer) {
  for (Task& task : fleet_.batch(consumer)) {
    if (task.state == Task::State::done) {
      task.state = Task::State::over;
      acknowledge(task, queue_.log().find(task.message));
    }
  }
  fleet_.end_batch(consumer, now_);
  ask_for_hand_out();
}

// Deletes the task's message; `message` is its record, null if that is gone.
template <class Recorder>
void Stage<Recorder>::acknowledge(const Task& task, Message* message) {
  if (!disturbance_.loses_ack(task.request, task.attempt, task.receipt)) {
    const AckOutcome outcome =
        queue_.acknowledge(task.message, message, task.receipt, now_);
    if (outcome != AckOutcome::ignored) {
      ++counts_.completed;
      record(Happening::acknowledged, task.request, task.attempt, task.consumer);
      if (outcome == AckOutcome::deleted_late) {
        agenda_.set(hand_outs, now_);  // the depth fell: where it is looked at
      }
      return;
    }
  }
  record(Happening::ack_ignored, task.request, task.attempt, task.consumer);
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
    record(Happening::abandoned, task.request, task.attempt, task.consumer);
    task.state = Task::State::over;
    fleet_.stop_work(task);
    go_on(task);
    agenda_.set(processing_ends, fleet_.next_end());
  }
}

template <class Recorder>
void Stage<Recorder>::on_heartbeat() {
  const Beat beat = beats_.pop().payload;
  const int consumer = beat.consumer;
  if (fleet_.is_busy(consumer) && fleet_.batch_number(consumer) == beat.batch_number) {
    if (fleet_.is_up(consumer)) {
      for (const Task& task : fleet_.batch(consumer)) {
        if (task.state != Task::State::over && !task.lease_ended) {
          queue_.extend({task.message, task.slot, task.receipt}, now_);
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
