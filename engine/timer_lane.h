// Timers of one constant delay. They end in the order in which they were set, so a lane
// is a queue: setting, ending and cancelling cost O(1).
//
// Cancelling is the owner's: a timer that no longer matters is recognised by what it
// carries (an id, a generation) and dropped by skip_while when it comes to the front, or
// by set when the lane is full. So a lane whose timers are mostly cancelled long before
// they end holds few of them, however long the delay.
#pragma once

#include "engine/contract.h"
#include "engine/ring.h"
#include "engine/time.h"

namespace basin {

template <class Payload>
class TimerLane {
 public:
  struct Timer {
    SimTime end;
    Payload payload;
  };

  bool empty() const { return timers_.empty(); }
  std::size_t size() const { return timers_.size(); }
  // The end of the oldest timer; `never` without one.
  SimTime next() const { return timers_.empty() ? never : timers_.front().end; }

  // Ends must not decrease from call to call.
  void set(SimTime end, const Payload& payload) {
    BASIN_ASSERT(end >= latest_);
#ifdef BASIN_CONTRACTS
    latest_ = end;
#endif
    timers_.push_back({end, payload});
  }

  // The same; before the lane grows, it drops every timer for which dead(timer) holds.
  // Constant time on average: it grows unless most of its room is free then.
  template <class Dead>
  void set(SimTime end, const Payload& payload, Dead&& dead) {
    if (timers_.is_full()) {
      timers_.remove_if(dead);
      timers_.make_room();
    }
    set(end, payload);
  }

  // Takes the oldest timer.
  Timer pop() {
    const Timer timer = timers_.front();
    timers_.pop_front();
    return timer;
  }

  // Drops the oldest timers for as long as dead(timer) holds.
  template <class Dead>
  void skip_while(Dead&& dead) {
    while (!timers_.empty() && dead(timers_.front())) {
      timers_.pop_front();
    }
  }

  std::size_t memory_bytes() const {
    return timers_.memory_bytes();
  }

 private:
  Ring<Timer> timers_;
#ifdef BASIN_CONTRACTS
  SimTime latest_ = SimTime::min();
#endif
};

}  // namespace basin
