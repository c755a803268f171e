#include "engine/timer_lane.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/contract.h"
#include "tests/engine/random_operations.h"

namespace basin {
namespace {

TEST(TimerLane, equal_ends_go_in_the_order_of_setting) {
  TimerLane<int> lane;
  lane.set(at(3), 0);
  lane.set(at(3), 1);
  lane.set(at(4), 2);
  EXPECT_EQ(lane.pop().payload, 0);
  EXPECT_EQ(lane.pop().payload, 1);
  EXPECT_EQ(lane.next(), at(4));
  lane.pop();
  EXPECT_EQ(lane.next(), never);
}

TEST(TimerLane, skipping_stops_at_the_first_that_is_alive) {
  TimerLane<int> lane;
  for (int payload = 0; payload < 6; ++payload) {
    lane.set(at(static_cast<std::size_t>(payload)), payload);
  }
  lane.skip_while(
      [](const auto& timer) { return timer.payload < 2 || timer.payload == 4; });
  EXPECT_EQ(lane.next(), at(2));
  EXPECT_EQ(lane.size(), 4U);
}

#ifdef BASIN_CONTRACTS
TEST(TimerLane, ends_that_decrease_break_the_contract) {
  TimerLane<int> lane;
  lane.set(at(3), 0);
  EXPECT_THROW(lane.set(at(2), 1), ContractViolation);
}
#endif

TEST(TimerLane, stays_small_while_timers_are_cancelled_long_before_they_end) {
  TimerLane<std::size_t> lane;
  for (std::size_t timer = 0; timer < 1'000'000; ++timer) {
    // All but the latest ten are cancelled.
    lane.set(at(timer + 500'000), timer, [timer](const auto& other) {
      return other.payload + 10 < timer;
    });
  }
  EXPECT_LE(lane.memory_bytes(), 256 * sizeof(TimerLane<std::size_t>::Timer));
}

// The shadow forgets a cancelled timer at once; the lane when it comes to the front or
// the lane is full.
TEST(TimerLane, agrees_with_a_sorted_vector_over_random_operations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Operations random{seed};
    TimerLane<std::size_t> lane;
    std::vector<bool> alive;
    std::vector<std::pair<SimTime, std::size_t>> shadow;  // by end, then by setting
    const auto drop_dead = [&] {
      lane.skip_while([&](const auto& timer) { return !alive[timer.payload]; });
    };
    SimTime now = at(0);
    for (int step = 0; step < 30'000; ++step) {
      switch (random.below(4)) {
        case 0:
        case 1: {
          now += Duration{static_cast<std::int64_t>(random.below(3))};
          const SimTime end = now + Duration{100};
          lane.set(end, alive.size(), [&](const auto& timer) {
            return !alive[timer.payload];
          });
          shadow.emplace_back(end, alive.size());
          alive.push_back(true);
          break;
        }
        case 2:
          if (!shadow.empty()) {
            const auto place = static_cast<std::ptrdiff_t>(random.below(shadow.size()));
            alive[shadow[static_cast<std::size_t>(place)].second] = false;
            shadow.erase(shadow.begin() + place);
          }
          break;
        default:
          drop_dead();
          if (!shadow.empty()) {
            const auto timer = lane.pop();
            ASSERT_EQ(timer.end, shadow.front().first)
                << "seed " << seed << ", step " << step;
            ASSERT_EQ(timer.payload, shadow.front().second)
                << "seed " << seed << ", step " << step;
            now = std::max(now, timer.end);
            shadow.erase(shadow.begin());
          }
      }
      drop_dead();
      ASSERT_EQ(lane.next(), shadow.empty() ? never : shadow.front().first)
          << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace basin
