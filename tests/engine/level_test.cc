#include "engine/level.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/engine/random_operations.h"

namespace basin {
namespace {

using namespace std::chrono_literals;

TEST(Level, averages_a_step_by_hand) {
  Level level;
  level.add(3, at(10));
  level.add(-1, at(30));
  EXPECT_EQ(level.value(), 2);
  // 0 for 10, 3 for 20, 2 for 20.
  EXPECT_TRUE(level.area(at(50)) == 100);
  EXPECT_EQ(level.mean(at(0), at(50)), 2.0);
  EXPECT_EQ(level.mean(at(30), at(50), level.area(at(30))), 2.0);
}

TEST(Level, stays_exact_where_64_bits_overflow) {
  Level level;
  level.add(10'000'000, SimTime{});
  const SimTime end{30 * 24h};
  EXPECT_EQ(level.mean(SimTime{}, end), 1e7);
  EXPECT_TRUE(level.area(end) > LevelArea{INT64_MAX});
}

TEST(Level, agrees_with_a_plain_sum_over_random_changes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Operations random{seed};
    Level level;
    std::int64_t value = 0;
    LevelArea area = 0;
    SimTime now = at(0);
    for (int step = 0; step < 20'000; ++step) {
      // Zero spans too: several changes at one instant.
      const auto span =
          static_cast<std::int64_t>(random.below(3) * random.below(1'000'000'000));
      area += static_cast<LevelArea>(value) * span;
      now += Duration{span};
      const auto change = static_cast<std::int64_t>(random.below(2'001)) - 1'000;
      level.add(change, now);
      value += change;
      ASSERT_EQ(level.value(), value) << "seed " << seed << ", step " << step;
      ASSERT_TRUE(level.area(now) == area) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace basin
