// Stage: what interventions do. Included by stage.h.
#pragma once

#include <cmath>
#include <variant>

#include "models/stage.h"

namespace basin {

template <class Recorder>
void Stage<Recorder>::on_intervention_edge() {
  const Interventions::Edge edge = interventions_.take();
  agenda_.set(incident_edges, next_edge());
  record(edge.starts ? Happening::intervention_started : Happening::intervention_ended,
         RequestKey::of(edge.intervention + 1, 0),
         0);
  sheds_ = interventions_.sheds();
  most_attempts_ = interventions_.retries_are_off() ? 0 : config_.producer.max_attempts;
  queue_.drop_older_than(interventions_.drop_age());
  if (!edge.starts) {
    return;
  }
  const InterventionEffect& effect = config_.interventions[edge.intervention].effect;
  if (std::holds_alternative<AddConsumers>(effect)) {
    bring_in(edge.intervention);
  } else if (std::holds_alternative<RetriesOff>(effect)) {
    cancel_retries();
  } else if (const auto* purged = std::get_if<Purge>(&effect)) {
    purge(purged->fraction);
  }
}

// The consumers that this one adds.
template <class Recorder>
void Stage<Recorder>::bring_in(std::uint32_t intervention) {
  int consumer = total_count(config_.consumers);
  for (std::uint32_t place = 0; place <= intervention; ++place) {
    const auto* added = std::get_if<AddConsumers>(&config_.interventions[place].effect);
    for (int i = 0; added != nullptr && i < added->count; ++i) {
      if (place == intervention) {
        fleet_.bring_up(consumer, now_);
      }
      ++consumer;
    }
  }
  ask_for_hand_out();
}

template <class Recorder>
void Stage<Recorder>::cancel_retries() {
  while (retry_schedule_.next() != never) {
    const RequestKey key = retry_schedule_.take().request;
    Request* request = open_request(key);
    if (request == nullptr) {
      continue;  // cancelled by an answer before
    }
    --request->pending;
    --retries_pending_;
    ++intervention_counts_.retries_cancelled;
    record(Happening::retry_cancelled, key, 0);
    if (request->timers == 0 && request->pending == 0) {
      give_up(key, *request);
    }
  }
  agenda_.set(retries, never);
}

template <class Recorder>
void Stage<Recorder>::purge(double fraction) {
  auto left = std::llround(fraction * static_cast<double>(queue_.waiting().value()));
  for (; left > 0; --left) {
    const std::optional<MessageId> id = queue_.oldest_waiting();
    if (!id) {
      break;
    }
    Message& message = queue_.log().at(*id);
    record(Happening::purged, message.request, message.attempt);
    ++intervention_counts_.purged;
    queue_.take_out_waiting(now_);
    drop(*id, message);
  }
  agenda_.set(hand_outs, now_);  // the depth fell: where it is looked at
}

// A request that is not let in keeps its number, and is decided at once.
template <class Recorder>
void Stage<Recorder>::turn_away(RequestLog& log, RequestKey request) {
  record(Happening::shed, request, 0);
  ++intervention_counts_.shed;
  log.append().open = false;
  log.release(request.place());
}

// Over the measured part.
template <class Recorder>
double Stage<Recorder>::mean_consumers() const {
  double mean = total_count(config_.consumers);
  const SimTime until = meters_.measured_until();
  const Duration measured = until - SimTime{config_.warmup};
  for (const Intervention& intervention : config_.interventions) {
    const auto* added = std::get_if<AddConsumers>(&intervention.effect);
    const Duration there = until - SimTime{intervention.start};
    if (added != nullptr && there > Duration{0}) {
      mean += added->count * to_seconds(there) / to_seconds(measured);
    }
  }
  return mean;
}

}  // namespace basin
