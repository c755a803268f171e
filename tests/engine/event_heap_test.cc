#include "engine/event_heap.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/engine/random_operations.h"

namespace basin {
namespace {

TEST(EventHeap, equal_times_run_in_scheduling_order) {
  EventHeap<int> heap;
  heap.push(at(5), 0);
  heap.push(at(3), 1);
  heap.push(at(5), 2);
  heap.push(at(3), 3);
  std::vector<int> order;
  while (!heap.empty()) {
    order.push_back(heap.pop().payload);
  }
  EXPECT_EQ(order, (std::vector<int>{1, 3, 0, 2}));
}

TEST(EventHeap, is_at_never_when_empty) {
  EventHeap<int> heap;
  EXPECT_EQ(heap.next(), never);
  heap.push(at(1), 0);
  EXPECT_EQ(heap.next(), at(1));
  heap.pop();
  EXPECT_EQ(heap.next(), never);
}

// Payloads are numbers in the order of scheduling, so pairs sort as events do.
TEST(EventHeap, agrees_with_a_sorted_vector_over_random_operations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Operations random{seed};
    // Few different times in some runs, so that most events meet an equal.
    const std::size_t times = seed % 2 == 0 ? 16 : 1'000'000;
    EventHeap<std::uint64_t> heap;
    std::vector<std::pair<SimTime, std::uint64_t>> shadow;  // latest first
    std::uint64_t scheduled = 0;
    for (int step = 0; step < 20'000; ++step) {
      // Grows at first, shrinks to empty now and then.
      const bool push = shadow.empty() || random.below(step % 4'000 < 2'000 ? 3 : 4) < 2;
      if (push && !(step % 4'000 >= 3'000 && !shadow.empty())) {
        const SimTime time = at(random.below(times));
        const auto event = std::make_pair(time, scheduled);
        heap.push(time, scheduled);
        shadow.insert(
            std::lower_bound(shadow.begin(), shadow.end(), event, std::greater<>{}),
            event);
        ++scheduled;
      } else {
        const auto event = heap.pop();
        ASSERT_EQ(event.time, shadow.back().first)
            << "seed " << seed << ", step " << step;
        ASSERT_EQ(event.payload, shadow.back().second)
            << "seed " << seed << ", step " << step;
        shadow.pop_back();
      }
      ASSERT_EQ(heap.size(), shadow.size());
      ASSERT_EQ(heap.next(), shadow.empty() ? never : shadow.back().first)
          << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace basin
