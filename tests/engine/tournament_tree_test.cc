#include "engine/tournament_tree.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/random_operations.h"

namespace basin {
namespace {

TEST(TournamentTree, equal_times_go_to_the_lowest_slot) {
  TournamentTree tree{100};
  for (const std::size_t slot : {99U, 7U, 64U, 8U}) {
    tree.set(slot, at(5));
  }
  std::vector<std::size_t> order;
  while (tree.next() != never) {
    order.push_back(tree.next_slot());
    tree.set(tree.next_slot(), never);
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{7, 8, 64, 99}));
}

TEST(TournamentTree, is_at_never_without_timers) {
  TournamentTree tree{3};
  EXPECT_EQ(tree.next(), never);
  tree.set(2, at(4));
  EXPECT_EQ(tree.next(), at(4));
  tree.set(2, never);
  EXPECT_EQ(tree.next(), never);
}

// Sizes around the powers of two and of eight at which a tree gains a level.
TEST(TournamentTree, agrees_with_a_plain_vector_over_random_settings) {
  std::uint64_t seed = 0;
  for (const std::size_t slots : {1U, 2U, 3U, 7U, 8U, 9U, 63U, 64U, 65U, 100U, 513U}) {
    for (const std::size_t times : {4U, 1'000'000U}) {
      Operations random{++seed};
      TournamentTree tree{slots};
      std::vector<SimTime> shadow(slots, never);
      for (int step = 0; step < 10'000; ++step) {
        // Half of the time the earliest moves, as it does in a simulation.
        const std::size_t slot =
            random.below(2) == 0 ? tree.next_slot() : random.below(slots);
        const SimTime time = random.below(4) == 0 ? never : at(random.below(times));
        tree.set(slot, time);
        shadow[slot] = time;
        const auto least = std::min_element(shadow.begin(), shadow.end());
        ASSERT_EQ(tree.next(), *least)
            << slots << " slots, seed " << seed << ", step " << step;
        if (*least != never) {
          ASSERT_EQ(tree.next_slot(), static_cast<std::size_t>(least - shadow.begin()))
              << slots << " slots, seed " << seed << ", step " << step;
        }
        ASSERT_EQ(tree.time_of(slot), time);
      }
    }
  }
}

}  // namespace
}  // namespace basin
