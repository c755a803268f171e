#include "engine/ring.h"

#include <cstdint>
#include <deque>

#include <gtest/gtest.h>

#include "tests/engine/random_operations.h"

namespace basin {
namespace {

TEST(Ring, keeps_the_order_while_it_grows_around_its_end) {
  Ring<int> ring;
  for (int value = 0; value < 60; ++value) {
    ring.push_back(value);
  }
  for (int value = 0; value < 40; ++value) {
    ring.pop_front();
  }
  for (int value = 60; value < 200; ++value) {
    ring.push_back(value);
  }
  EXPECT_EQ(ring.size(), 160U);
  for (int value = 40; value < 200; ++value) {
    ASSERT_EQ(ring.front(), value);
    ring.pop_front();
  }
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, takes_no_new_memory_once_it_is_large_enough) {
  Ring<int> ring;
  for (int value = 0; value < 1'000; ++value) {
    ring.push_back(value);
  }
  const std::size_t bytes = ring.memory_bytes();
  for (int value = 0; value < 100'000; ++value) {
    ring.pop_front();
    ring.push_back(value);
  }
  EXPECT_EQ(ring.memory_bytes(), bytes);
}

TEST(Ring, removes_what_it_is_told_to_and_keeps_the_order) {
  Ring<int> ring;
  for (int value = 0; value < 100; ++value) {
    ring.push_back(value);
  }
  for (int value = 0; value < 50; ++value) {
    ring.pop_front();
  }
  for (int value = 100; value < 150; ++value) {
    ring.push_back(value);  // around the end of the block
  }
  ring.remove_if([](int value) { return value % 3 != 0; });
  for (int value = 51; value < 150; value += 3) {
    ASSERT_EQ(ring.front(), value);
    ring.pop_front();
  }
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, agrees_with_a_deque_over_random_operations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Operations random{seed};
    Ring<std::uint64_t> ring;
    std::deque<std::uint64_t> shadow;
    for (std::uint64_t step = 0; step < 50'000; ++step) {
      // Tends up and down in turn, so that it fills, grows and runs empty.
      const std::size_t pushes = step / 5'000 % 2 == 0 ? 6 : 4;
      if (shadow.empty() || random.below(10) < pushes) {
        ring.push_back(step);
        shadow.push_back(step);
      } else {
        ring.pop_front();
        shadow.pop_front();
      }
      ASSERT_EQ(ring.size(), shadow.size()) << "seed " << seed << ", step " << step;
      if (!shadow.empty()) {
        ASSERT_EQ(ring.front(), shadow.front()) << "seed " << seed << ", step " << step;
      }
    }
  }
}

}  // namespace
}  // namespace basin
