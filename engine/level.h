// A whole-number quantity over time (a queue's length), with its exact time integral.
#pragma once

#include <cstdint>

#include "engine/time.h"

namespace basin {

// unit * nanoseconds; 128 bits, since 10 million messages over a day pass 2^63.
__extension__ using LevelArea = __int128;

class Level {
 public:
  std::int64_t value() const { return value_; }

  void add(std::int64_t change, SimTime now) {
    // The integral of a sum of steps: each step counts from its instant on, so it is
    // entered as change * (end - now) with the end's part left to area().
    value_ += change;
    steps_ += static_cast<LevelArea>(change) * now.time_since_epoch().count();
  }

  // Integral from the start of time to `now`, exact. `now` is not before the last change.
  LevelArea area(SimTime now) const {
    return static_cast<LevelArea>(value_) * now.time_since_epoch().count() - steps_;
  }

  // Time average over [from, to], given the area at `from`.
  double mean(SimTime from, SimTime to, LevelArea area_at_from = 0) const {
    return static_cast<double>(area(to) - area_at_from) /
           static_cast<double>((to - from).count());
  }

 private:
  std::int64_t value_ = 0;
  LevelArea steps_ = 0;
};

}  // namespace basin
