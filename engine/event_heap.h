// Events at arbitrary instants, in the order (time, scheduling). A 4-ary heap of small
// values: an event owns no memory. For delays that differ; constant ones belong in a
// TimerLane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/contract.h"
#include "engine/time.h"

namespace basin {

template <class Payload>
class EventHeap {
 public:
  struct Event {
    SimTime time;
    std::uint64_t sequence;
    Payload payload;
  };

  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  SimTime next() const { return events_.empty() ? never : events_.front().time; }

  void push(SimTime time, const Payload& payload) {
    const Event event{time, sequence_++, payload};
    events_.push_back(event);
    std::size_t hole = events_.size() - 1;
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / arity;
      if (!before(event, events_[parent])) {
        break;
      }
      events_[hole] = events_[parent];
      hole = parent;
    }
    events_[hole] = event;
  }

  Event pop() {
    BASIN_ASSERT(!events_.empty());
    const Event top = events_.front();
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) {
      sink(last);
    }
    return top;
  }

  std::size_t memory_bytes() const { return events_.capacity() * sizeof(Event); }

 private:
  static constexpr std::size_t arity = 4;

  static bool before(const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }

  // Whichever child is least, its own children come next: they are asked for while it is
  // still being found. In a heap beyond the caches a pop is mostly this wait.
  void prefetch_grandchildren(std::size_t first_child) const {
    const std::size_t begin = first_child * arity + 1;
    const std::size_t end = begin + arity * arity;
    constexpr std::size_t cache_line = 64;
    constexpr std::size_t step =
        sizeof(Event) < cache_line ? cache_line / sizeof(Event) : 1;
    if (end <= events_.size()) {
      for (std::size_t event = begin; event < end; event += step) {
        __builtin_prefetch(&events_[event]);
      }
    }
  }

  // Puts `event` where it belongs, from the top down.
  void sink(const Event& event) {
    const std::size_t size = events_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = hole * arity + 1;
      if (first >= size) {
        break;
      }
      prefetch_grandchildren(first);
      std::size_t least = first;
      const std::size_t end = first + arity < size ? first + arity : size;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(events_[child], events_[least])) {
          least = child;
        }
      }
      if (!before(events_[least], event)) {
        break;
      }
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = event;
  }

  std::vector<Event> events_;
  std::uint64_t sequence_ = 0;
};

}  // namespace basin
