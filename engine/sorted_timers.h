// One timer for each of a few slots, kept sorted: the earliest is at hand at once, and a
// timer that is set shifts those that end before it, which suits some dozens of slots.
// Among equal times the lowest slot is first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/time.h"

namespace basin {

class SortedTimers {
 public:
  explicit SortedTimers(std::size_t slots)
      : runs_(slots), timers_(slots + 1), last_{timers_.data()} {
    *last_ = {never, 0};
  }
  SortedTimers(const SortedTimers&) = delete;
  SortedTimers& operator=(const SortedTimers&) = delete;

  SimTime next() const { return last_->time; }
  // 0 where no timer runs.
  std::size_t next_slot() const { return last_->slot; }

  // `never` cancels.
  void set(std::size_t slot, SimTime time) {
    if (runs_[slot] != 0) {
      remove(slot);
    }
    runs_[slot] = time != never ? 1 : 0;
    if (time != never) {
      insert({time, slot});
    }
  }

 private:
  struct Timer {
    SimTime time;
    std::uint64_t slot;  // 64 bits wide, so that a timer moves in one piece
  };

  void remove(std::size_t slot) {
    Timer* place = last_--;
    while (place->slot != slot) {
      --place;
    }
    for (; place <= last_; ++place) {
      *place = place[1];
    }
  }
  void insert(const Timer& timer) {
    Timer* place = last_++;
    for (; place->time < timer.time; --place) {
      place[1] = *place;
    }
    for (; place->time == timer.time && place->slot < timer.slot; --place) {
      place[1] = *place;
    }
    place[1] = timer;
  }

  std::vector<char> runs_;  // by slot: whether its timer runs
  // `never`, and then those that run, the latest first.
  std::vector<Timer> timers_;
  Timer* last_;
};

}  // namespace basin
