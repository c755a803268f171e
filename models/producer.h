// The producer's policy: how many new attempts a failed one causes, and when they are
// sent. The course of a request (timers, answers, giving up) is in stage.h.
#pragma once

#include <cstdint>

#include "engine/event_heap.h"
#include "engine/random.h"
#include "engine/time.h"
#include "engine/timer_lane.h"
#include "models/random_purpose.h"
#include "models/system_config.h"

namespace basin {

// A retry that waits for its backoff.
struct Retry {
  RequestKey request;
  std::uint32_t attempt = 0;    // its number within the request
  std::uint8_t generation = 0;  // >= 2
};

// New attempts caused by the failure of one: floor(r), and one more with probability
// r - floor(r), by the coin word of the failed attempt's block.
int retries_after(double retries_per_timeout,
                  const RandomKey& key,
                  RequestKey request,
                  std::uint32_t failed_attempt);

// Time between the failure that causes an attempt and its sending. Jitter takes the
// jitter word of the new attempt's block. Brooker, "Exponential backoff and jitter", AWS
// Architecture Blog, 2015.
Duration backoff_delay(const Backoff& backoff, const RandomKey& key, const Retry& retry);

// Where retries wait, in the order (due, scheduling). A backoff that is always the same
// keeps them in a lane, any other in a heap.
class RetrySchedule {
 public:
  explicit RetrySchedule(const Backoff& backoff)
      : in_order_{backoff.kind == Backoff::Kind::none ||
                  (backoff.kind == Backoff::Kind::constant &&
                   backoff.jitter == Backoff::Jitter::none)} {}

  SimTime next() const { return in_order_ ? lane_.next() : heap_.next(); }
  void add(SimTime due, const Retry& retry) {
    if (in_order_) {
      lane_.set(due, retry);
    } else {
      heap_.push(due, retry);
    }
  }
  Retry take() { return in_order_ ? lane_.pop().payload : heap_.pop().payload; }

  std::size_t memory_bytes() const { return lane_.memory_bytes() + heap_.memory_bytes(); }

 private:
  bool in_order_;
  TimerLane<Retry> lane_;
  EventHeap<Retry> heap_;
};

}  // namespace basin
