// Stage: the course of a request. Included by stage.h.
#pragma once

#include "models/stage.h"

namespace basin {

template <class Recorder>
void Stage<Recorder>::on_base_arrival() {
  const Duration work = base_arrivals_.take();
  agenda_.set(base_arrivals, base_arrivals_.next());
  create_request(0, work);
}

template <class Recorder>
void Stage<Recorder>::on_surge_arrival() {
  const Surges::Taken arrival = surges_.take();
  agenda_.set(surge_arrivals, surges_.next());
  const auto key = RequestKey::of(arrival.origin, requests_[arrival.origin].end());
  create_request(arrival.origin, work_.at_send(arrival.work, key));
}

template <class Recorder>
void Stage<Recorder>::create_request(std::uint32_t origin, Duration work) {
  RequestLog& log = requests_[origin];
  const RequestKey key = RequestKey::of(origin, log.end());
  if (sheds_ && !interventions_.admits(key)) {
    turn_away(log, key);
    return;
  }
  Request& request = log.append();
  request.created = now_;
  request.attempts = 1;
  request.poison = disturbance_.poisons(key);
  ++open_requests_;
  meters_.created(now_);
  send(key, request, 1, 1, work);
}

// One attempt's message, on its way to the queue.
template <class Recorder>
void Stage<Recorder>::send(RequestKey key,
                           Request& request,
                           std::uint32_t attempt,
                           std::uint8_t generation,
                           Duration work) {
  const bool waits_for_answer = config_.producer.timeout.has_value();
  Message* message = put(key, attempt);
  if (message == nullptr) {
    if (config_.producer.on_reject != OnReject::timeout || !waits_for_answer) {
      refused(key, request, attempt, generation);
      return;
    }
    message = &queue_.send(MessageState::gone, now_);
  } else if (message->state == MessageState::waiting) {
    if (fleet_.has_idle()) {
      agenda_.set(hand_outs, now_);
    } else {
      meters_.saw_depth(queue_.waiting().value(), now_);
    }
  }
  message->request = key;
  message->work = work;
  message->attempt = attempt;
  message->generation = generation;
  message->timer = waits_for_answer;
  message->poison = request.poison;
  if (waits_for_answer) {
    ++request.timers;
    arm_timeouts(now_ + *config_.producer.timeout);
  }
}

// Writes down a message that is sent now, in the queue or on its way to it; null if the
// queue has no room.
template <class Recorder>
Message* Stage<Recorder>::put(RequestKey key, std::uint32_t attempt) {
  ++counts_.sent;
  if (disturbance_.messages_are_held()) {
    record(Happening::held, key, attempt);
    return &queue_.send(MessageState::held, now_);
  }
  if (queue_.has_room(about_to_be_received())) {
    record(Happening::sent, key, attempt);
    ++meters_.counters.entered;
    return &queue_.send(MessageState::waiting, now_);
  }
  ++meters_.counters.refused;
  record(Happening::refused, key, attempt);
  return nullptr;
}

// The queue did not take the message, and the producer does not wait for its timer.
template <class Recorder>
void Stage<Recorder>::refused(RequestKey key,
                              Request& request,
                              std::uint32_t attempt,
                              std::uint8_t generation) {
  if (config_.producer.on_reject == OnReject::error && config_.producer.timeout) {
    attempt_failed(key, request, attempt, generation);
  } else if (request.timers == 0 && request.pending == 0) {
    give_up(key, request);
  }
}

// Schedules what a failed attempt causes, or gives the request up.
template <class Recorder>
void Stage<Recorder>::attempt_failed(RequestKey key,
                                     Request& request,
                                     std::uint32_t attempt,
                                     std::uint8_t generation) {
  const ProducerConfig& producer = config_.producer;
  if (generation < most_attempts_) {
    const int more = retries_after(producer.retries_per_timeout, key_, key, attempt);
    for (int i = 0; i < more; ++i) {
      const Retry retry{
          key, ++request.attempts, static_cast<std::uint8_t>(generation + 1)};
      ++request.pending;
      ++retries_pending_;
      retry_schedule_.add(now_ + backoff_delay(producer.backoff, key_, retry), retry);
      record(Happening::retry_scheduled, key, retry.attempt);
    }
    if (more > 0) {
      agenda_.set(retries, retry_schedule_.next());
    }
  }
  if (request.timers == 0 && request.pending == 0) {
    give_up(key, request);
  }
}

template <class Recorder>
void Stage<Recorder>::on_retry() {
  const Retry retry = retry_schedule_.take();
  // An answer cancels what is pending; the schedule then still holds it.
  if (Request* request = open_request(retry.request)) {
    --request->pending;
    --retries_pending_;
    ++meters_.counters.retries;
    send(retry.request,
         *request,
         retry.attempt,
         retry.generation,
         work_.at_send(retry.request, retry.attempt));
  }
  agenda_.set(retries, retry_schedule_.next());
}

template <class Recorder>
void Stage<Recorder>::on_producer_timeout() {
  advance_timeouts();
  if (agenda_.time_of(producer_timeouts) != now_) {
    return;  // what was armed for this instant has been answered
  }
  const MessageId id = timeout_cursor_++;
  Message& message = queue_.log().at(id);
  const RequestKey key = message.request;
  const std::uint32_t attempt = message.attempt;
  const std::uint8_t generation = message.generation;
  queue_.stop_timer(id, message);
  if (Request* request = open_request(key)) {
    --request->timers;
    record(Happening::timed_out, key, attempt);
    attempt_failed(key, *request, attempt, generation);
  }
  advance_timeouts();
}

// Moves the cursor to the next attempt whose timer runs, and the agenda to its end.
template <class Recorder>
void Stage<Recorder>::advance_timeouts() {
  MessageLog& log = queue_.log();
  while (timeout_cursor_ < log.end()) {
    const Message* message = log.find(timeout_cursor_);
    if (message == nullptr) {
      timeout_cursor_ = log.skip_dropped(timeout_cursor_);
    } else if (message->timer) {
      agenda_.set(producer_timeouts, message->sent + *config_.producer.timeout);
      return;
    } else {
      ++timeout_cursor_;
    }
  }
  agenda_.set(producer_timeouts, never);
}

// A message's processing ended well: its reply, if somebody waits for it, decides the
// request. `awaited` is the message's record if its producer's timer runs.
template <class Recorder>
void Stage<Recorder>::reply(const Task& task, Message* awaited) {
  const bool has_reply = config_.producer.timeout.has_value();  // else: fire and forget
  if (task.orphan || (has_reply && disturbance_.replies_are_lost())) {
    return;
  }
  Request* request = open_request(task.request);
  if (request == nullptr) {
    return;
  }
  if (has_reply) {
    if (awaited != nullptr) {
      queue_.stop_timer(task.message, *awaited);
    } else if (config_.producer.late_reply == LateReply::ignored) {
      return;  // this attempt has timed out
    }
  }
  answer(task.request, *request, task.attempt);
}

template <class Recorder>
void Stage<Recorder>::answer(RequestKey key, Request& request, std::uint32_t attempt) {
  record(Happening::answered, key, attempt);
  for (std::uint32_t i = 0; i < request.pending; ++i) {
    record(Happening::retry_cancelled, key, 0);
  }
  retries_pending_ -= request.pending;
  if (!config_.success_within || now_ - request.created <= *config_.success_within) {
    meters_.succeeded(request.created, now_);
  }
  close(key, request);
}

template <class Recorder>
void Stage<Recorder>::give_up(RequestKey key, Request& request) {
  record(Happening::given_up, key, 0);
  ++meters_.counters.given_up;
  close(key, request);
}

// A fire-and-forget producer's message will never be answered.
template <class Recorder>
void Stage<Recorder>::message_is_gone(RequestKey key, bool orphan) {
  if (orphan || config_.producer.timeout) {
    return;
  }
  if (Request* request = open_request(key)) {
    give_up(key, *request);
  }
}

template <class Recorder>
void Stage<Recorder>::close(RequestKey key, Request& request) {
  request.open = false;
  --open_requests_;
  if (horizon_passed_ && request.created < SimTime{config_.horizon}) {
    --open_to_decide_;
  }
  requests_[key.origin()].release(key.place());
}

}  // namespace basin
