#include "engine/slot_timers.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "engine/sorted_timers.h"
#include "engine/tournament_tree.h"
#include "tests/engine/random_operations.h"

namespace basin {
namespace {

// What each kind promises, and SlotTimers whichever it takes.
template <class Timers>
class SlotTimersOfEveryKind : public testing::Test {};
using Kinds = testing::Types<SortedTimers, TournamentTree, SlotTimers>;
TYPED_TEST_SUITE(SlotTimersOfEveryKind, Kinds);

TYPED_TEST(SlotTimersOfEveryKind, equal_times_go_to_the_lowest_slot) {
  TypeParam timers{100};
  for (const std::size_t slot : {99U, 7U, 64U, 8U}) {
    timers.set(slot, at(5));
  }
  std::vector<std::size_t> order;
  while (timers.next() != never) {
    order.push_back(timers.next_slot());
    timers.set(timers.next_slot(), never);
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{7, 8, 64, 99}));
}

TYPED_TEST(SlotTimersOfEveryKind, is_at_never_without_timers) {
  TypeParam timers{3};
  EXPECT_EQ(timers.next(), never);
  timers.set(2, at(4));
  EXPECT_EQ(timers.next(), at(4));
  timers.set(2, never);
  EXPECT_EQ(timers.next(), never);
}

// Sizes around the powers of two and of eight at which a tree gains a level.
TYPED_TEST(SlotTimersOfEveryKind, agrees_with_a_plain_vector_over_random_settings) {
  std::uint64_t seed = 0;
  for (const std::size_t slots : {1U, 2U, 3U, 7U, 8U, 9U, 63U, 64U, 65U, 100U, 513U}) {
    for (const std::size_t times : {4U, 1'000'000U}) {
      Operations random{++seed};
      TypeParam timers{slots};
      std::vector<SimTime> shadow(slots, never);
      for (int step = 0; step < 10'000; ++step) {
        // Half of the time the earliest moves, as it does in a simulation.
        const std::size_t slot =
            random.below(2) == 0 ? timers.next_slot() : random.below(slots);
        const SimTime time = random.below(4) == 0 ? never : at(random.below(times));
        timers.set(slot, time);
        shadow[slot] = time;
        const auto least = std::min_element(shadow.begin(), shadow.end());
        ASSERT_EQ(timers.next(), *least)
            << slots << " slots, seed " << seed << ", step " << step;
        if (*least != never) {
          ASSERT_EQ(timers.next_slot(), static_cast<std::size_t>(least - shadow.begin()))
              << slots << " slots, seed " << seed << ", step " << step;
        }
      }
    }
  }
}

}  // namespace
}  // namespace basin
