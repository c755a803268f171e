// Stage: what starts and ends of incidents do, and the observation of it all. Included by
// stage.h.
#pragma once

#include <cmath>
#include <variant>

#include "models/stage.h"

namespace basin {

template <class Recorder>
void Stage<Recorder>::on_incident_edge() {
  if (timeline_.next() > now_) {
    on_intervention_edge();
    return;
  }
  const IncidentTimeline::Edge edge = timeline_.take();
  agenda_.set(incident_edges, next_edge());
  const auto key = RequestKey::of(edge.incident + 1, edge.occurrence);
  record(edge.starts ? Happening::incident_started : Happening::incident_ended, key, 0);
  if (edge.starts && edge.time == timeline_.first_start()) {
    const SimTime from{config_.warmup};
    const bool seen = now_ > from;
    level_before_ = seen ? static_cast<std::int64_t>(std::ceil(queue_.waiting().mean(
                               from, now_, meters_.waiting_at_warmup())))
                         : 0;
  }

  const bool held_before = disturbance_.messages_are_held();
  disturbance_.update(timeline_);
  surges_.update(timeline_, now_);
  agenda_.set(surge_arrivals, surges_.next());

  const IncidentEffect& effect = config_.incidents[edge.incident].effect;
  if (const auto* outage = std::get_if<ConsumerOutage>(&effect)) {
    apply(*outage, edge.starts);
  } else if (std::holds_alternative<Slowdown>(effect)) {
    for (int consumer = 0; consumer < fleet_.count(); ++consumer) {
      fleet_.set_speed(consumer, disturbance_.speed_of(consumer), now_);
    }
    agenda_.set(processing_ends, fleet_.next_end());
  } else if (const auto* backlog = std::get_if<Backlog>(&effect)) {
    if (edge.starts) {
      send_backlog(edge.incident, backlog->messages);
    }
  } else if (const auto* saturated = std::get_if<Saturated>(&effect)) {
    if (edge.starts) {
      send_backlog(edge.incident, messages_for(saturated->delay, config_.consumers));
    }
  }
  if (held_before && !disturbance_.messages_are_held()) {
    release_held();
  }

  if (!edge.starts && edge.time == timeline_.last_end() && timeline_.next() == never) {
    drain_level_ = level_before_;
    agenda_.set(hand_outs, now_);  // where depth is compared with it
  }
}

template <class Recorder>
void Stage<Recorder>::apply(const ConsumerOutage& outage, bool starts) {
  const int touched = consumers_in(outage.share, total_count(config_.consumers));
  for (int consumer = 0; consumer < touched; ++consumer) {
    if (starts) {
      fleet_.take_down(consumer, now_);
      if (outage.mode == ConsumerOutage::Mode::crash && fleet_.is_busy(consumer)) {
        crash(consumer);
      }
    } else {
      fleet_.bring_up(consumer, now_);
    }
  }
  agenda_.set(processing_ends, fleet_.next_end());
  ask_for_hand_out();
}

// What the consumer holds is dropped: leases run out, without leases it is lost.
template <class Recorder>
void Stage<Recorder>::crash(int consumer) {
  for (Task& task : fleet_.batch(consumer)) {
    if (task.state == Task::State::working) {
      fleet_.stop_work(task);
    }
    const bool unfinished =
        task.state == Task::State::working || task.state == Task::State::queued;
    task.state = Task::State::over;
    if (unfinished && !queue_.has_leases()) {
      queue_.settle_handed_over(now_);
      ++counts_.lost;
      record(Happening::lost, task.request, task.attempt, consumer);
      message_is_gone(task.request, task.orphan);
    }
  }
  fleet_.end_batch(consumer, now_);
}

// Messages that nobody waits for, all sent now.
template <class Recorder>
void Stage<Recorder>::send_backlog(std::uint32_t incident, std::int64_t messages) {
  std::int64_t& sent = backlog_sent_[incident];
  for (std::int64_t i = 0; i < messages; ++i) {
    if (i % 4096 == 0 && memory_bytes() > memory_limit_) {
      backlog_was_cut_ = true;
      break;
    }
    const auto key = RequestKey::of(incident + 1, static_cast<std::uint64_t>(sent++));
    if (Message* message = put(key, 1)) {
      message->request = key;
      message->work = work_.at_send(key, 1);
      message->orphan = true;
    }
  }
  agenda_.set(hand_outs, now_);
}

// The partition has ended: what was held enters the queue, in the order of the sends.
template <class Recorder>
void Stage<Recorder>::release_held() {
  while (const std::optional<MessageId> id = queue_.next_held()) {
    Message& message = queue_.log().at(*id);
    if (queue_.has_room(about_to_be_received())) {
      record(Happening::sent, message.request, message.attempt);
      ++meters_.counters.entered;
      queue_.enter(*id, now_);
      continue;
    }
    ++meters_.counters.refused;
    const Message copy = message;
    record(Happening::refused, copy.request, copy.attempt);
    if (config_.producer.on_reject != OnReject::timeout && copy.timer) {
      queue_.stop_timer(*id, message);
    }
    queue_.remove(*id, message);
    Request* request = copy.orphan ? nullptr : open_request(copy.request);
    if (request == nullptr) {
      continue;
    }
    if (!config_.producer.timeout) {
      give_up(copy.request, *request);
    } else if (config_.producer.on_reject != OnReject::timeout && copy.timer) {
      --request->timers;
      refused(copy.request, *request, copy.attempt, copy.generation);
    }
  }
  agenda_.set(hand_outs, now_);
}

template <class Recorder>
void Stage<Recorder>::on_observation() {
  meters_.sample({.waiting = queue_.waiting().value(),
                  .in_flight = queue_.in_flight().value(),
                  .retries_pending = retries_pending_,
                  .consumers = fleet_.count() - fleet_.down(),
                  .oldest_age = queue_.oldest_age(now_)});
  const SimTime next = now_ + config_.sample_interval;
  agenda_.set(observations, next <= SimTime{config_.horizon} ? next : never);
}

}  // namespace basin
