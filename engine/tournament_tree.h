// One timer for each of a fixed number of slots (the servers of a queue), with the
// earliest at hand. Among equal times the lowest slot is first.
//
// A winner tree of arity 8: each node holds the earliest time below it and which child
// has it, and the times of siblings lie side by side. Setting a timer that is not the
// earliest of its eight costs one comparison; moving or cancelling the earliest looks
// again at eight times a level, log8(slots) levels at most. After Knuth, The Art of
// Computer Programming vol. 3, 5.4.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/contract.h"
#include "engine/time.h"

namespace basin {

class TournamentTree {
 public:
  explicit TournamentTree(std::size_t slots) {
    // Levels from the leaves up to one of a single family, one after another in times_.
    std::size_t width = slots < 1 ? 1 : slots;
    std::size_t begin = 0;
    do {
      const std::size_t families = (width + arity - 1) / arity;
      level_begin_[levels_++] = begin;
      begin += families * arity;
      width = families;
    } while (width > 1);
    times_.resize(begin, never);
    winner_.resize(begin / arity, 0);
  }

  SimTime next() const { return family_minimum(levels_ - 1, 0); }

  std::size_t next_slot() const {
    std::size_t slot = 0;
    for (std::size_t level = levels_; level-- > 0;) {
      slot = slot * arity + winner_of(level, slot);
    }
    return slot;
  }

  // `never` cancels.
  void set(std::size_t slot, SimTime time) {
    std::size_t place = slot;
    for (std::size_t level = 0;; ++level) {
      SimTime* siblings = &times_[level_begin_[level] + place / arity * arity];
      std::uint8_t& winner = winner_[level_begin_[level] / arity + place / arity];
      const auto self = static_cast<std::uint8_t>(place % arity);
      siblings[self] = time;
      if (self != winner) {
        const bool wins =
            time < siblings[winner] || (time == siblings[winner] && self < winner);
        if (!wins) {
          return;  // nothing above depends on the slot
        }
        winner = self;
      } else {
        // First the time, then who has it: no load waits for the one before, and no
        // branch has to be guessed.
        time = std::min({std::min(siblings[0], siblings[1]),
                         std::min(siblings[2], siblings[3]),
                         std::min(siblings[4], siblings[5]),
                         std::min(siblings[6], siblings[7])});
        std::uint8_t least = 7;
        for (std::uint8_t other = 7; other-- > 0;) {
          least = siblings[other] == time ? other : least;
        }
        winner = least;
      }
      if (level + 1 == levels_) {
        return;
      }
      place /= arity;
    }
  }

 private:
  static constexpr std::size_t arity = 8;
  static constexpr std::size_t most_levels = 12;  // 8^12 slots

  std::uint8_t winner_of(std::size_t level, std::size_t family) const {
    return winner_[level_begin_[level] / arity + family];
  }
  SimTime family_minimum(std::size_t level, std::size_t family) const {
    return times_[level_begin_[level] + family * arity + winner_of(level, family)];
  }

  std::size_t levels_ = 0;
  std::size_t level_begin_[most_levels] = {};
  std::vector<SimTime> times_;        // by level, the leaves first; families side by side
  std::vector<std::uint8_t> winner_;  // by family, in the same order
};

}  // namespace basin
