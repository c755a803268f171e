// One timer for each of a fixed number of slots (the servers of a queue), with the
// earliest at hand. Among equal times the lowest slot is first.
//
// A winner tree: each inner node holds the slot that is earliest below it. Setting,
// moving and cancelling a timer replay the path from its leaf and stop where nothing
// changes, at most log2(slots) steps, without moving data. Knuth, The Art of Computer
// Programming vol. 3, 5.4.1.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/contract.h"
#include "engine/time.h"

namespace basin {

class TournamentTree {
 public:
  explicit TournamentTree(std::size_t slots)
      : leaves_{std::bit_ceil(slots < 2 ? std::size_t{2} : slots)},
        times_(leaves_, never),
        winner_(leaves_) {
    for (std::size_t node = leaves_; node-- > 1;) {
      winner_[node] = winner_below(2 * node);
    }
  }

  SimTime next() const { return times_[winner_[1]]; }
  std::size_t next_slot() const { return winner_[1]; }
  SimTime time_of(std::size_t slot) const { return times_[slot]; }

  // `never` cancels.
  void set(std::size_t slot, SimTime time) {
    BASIN_ASSERT(slot < leaves_);
    times_[slot] = time;
    for (std::size_t node = (leaves_ + slot) / 2; node >= 1; node /= 2) {
      const std::uint32_t before = winner_[node];
      const std::uint32_t left = winner_below(2 * node);
      const std::uint32_t right = winner_below(2 * node + 1);
      const std::uint32_t now = times_[right] < times_[left] ? right : left;
      winner_[node] = now;
      if (now == before && now != slot) {
        return;  // above this node nothing depends on the slot
      }
    }
  }

 private:
  std::uint32_t winner_below(std::size_t node) const {
    return node >= leaves_ ? static_cast<std::uint32_t>(node - leaves_) : winner_[node];
  }

  std::size_t leaves_;  // a power of two
  std::vector<SimTime> times_;
  std::vector<std::uint32_t> winner_;  // by node, 1 is the root
};

}  // namespace basin
