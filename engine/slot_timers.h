// One timer for each of a fixed number of slots (the servers of a queue), with the
// earliest at hand; among equal times the lowest slot is first. A few are kept sorted,
// many in a tree.
#pragma once

#include <cstddef>

#include "engine/sorted_timers.h"
#include "engine/time.h"
#include "engine/tournament_tree.h"

namespace basin {

class SlotTimers {
 public:
  explicit SlotTimers(std::size_t slots)
      : few_{slots <= most_sorted}, sorted_{few_ ? slots : 0}, tree_{few_ ? 0 : slots} {}

  SimTime next() const { return few_ ? sorted_.next() : tree_.next(); }
  // Any slot where no timer runs.
  std::size_t next_slot() const { return few_ ? sorted_.next_slot() : tree_.next_slot(); }

  // `never` cancels.
  void set(std::size_t slot, SimTime time) {
    if (few_) {
      sorted_.set(slot, time);
    } else {
      tree_.set(slot, time);
    }
  }

 private:
  // Measured in the whole model, where the next event waits for the earliest end: M/M/c
  // with 25, 32 and 64 servers is 10 to 15% faster sorted. By itself the tree is as fast.
  static constexpr std::size_t most_sorted = 64;

  bool few_;
  SortedTimers sorted_;
  TournamentTree tree_;
};

}  // namespace basin
