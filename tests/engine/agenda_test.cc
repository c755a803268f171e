#include "engine/agenda.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/run_loop.h"
#include "tests/engine/random_operations.h"

namespace basin {
namespace {

TEST(Agenda, is_at_never_without_events) {
  const Agenda<3> agenda;
  EXPECT_EQ(agenda.earliest().time, never);
}

TEST(Agenda, equal_times_go_by_the_number_of_the_source) {
  Agenda<4> agenda;
  agenda.set(3, at(5));
  agenda.set(1, at(5));
  agenda.set(2, at(5));
  EXPECT_EQ(agenda.earliest().source, 1U);
  agenda.set(1, never);
  EXPECT_EQ(agenda.earliest().source, 2U);
}

// Whichever sources are called frequent.
template <std::uint64_t frequent>
void expect_agreement_with_a_sorted_list() {
  constexpr std::size_t sources = 7;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Operations random{seed};
    Agenda<sources, frequent> agenda;
    std::vector<std::pair<SimTime, std::size_t>> shadow;
    for (std::size_t source = 0; source < sources; ++source) {
      shadow.emplace_back(never, source);
    }
    for (int step = 0; step < 20'000; ++step) {
      const std::size_t source = random.below(sources);
      const SimTime time = random.below(5) == 0 ? never : at(random.below(10));
      agenda.set(source, time);
      shadow[source].first = time;
      const auto least = *std::min_element(shadow.begin(), shadow.end());
      const auto next = agenda.earliest();
      ASSERT_EQ(next.time, least.first) << "seed " << seed << ", step " << step;
      ASSERT_EQ(next.source, least.first == never ? sources : least.second)
          << "seed " << seed << ", step " << step;
      ASSERT_EQ(agenda.time_of(source), time);
    }
  }
}

TEST(Agenda, agrees_with_a_sorted_list_over_random_settings) {
  expect_agreement_with_a_sorted_list<~std::uint64_t{0}>();
  expect_agreement_with_a_sorted_list<0>();
  expect_agreement_with_a_sorted_list<0b0010110>();
  expect_agreement_with_a_sorted_list<0b1000001>();
}

TEST(RunUntil, stops_before_the_end_and_leaves_the_clock_at_the_last_event) {
  Agenda<2> agenda;
  agenda.set(0, at(1));
  std::vector<std::int64_t> ticks;
  SimTime now{};
  run_until(agenda, now, at(10), [&](std::size_t source) {
    ticks.push_back(now.time_since_epoch().count());
    agenda.set(source, now + Duration{3});
  });
  EXPECT_EQ(ticks, (std::vector<std::int64_t>{1, 4, 7}));
  EXPECT_EQ(now, at(7));
  EXPECT_EQ(agenda.earliest().time, at(10));
}

TEST(RunUntil, what_is_scheduled_at_the_present_instant_still_happens_at_it) {
  Agenda<2> agenda;
  agenda.set(1, at(4));
  std::vector<std::size_t> sources;
  SimTime now{};
  run_until(agenda, now, at(5), [&](std::size_t source) {
    sources.push_back(source);
    agenda.set(source, never);
    if (source == 1) {
      agenda.set(0, now);  // a lower number, and yet after the one under way
    }
  });
  EXPECT_EQ(sources, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(now, at(4));
}

}  // namespace
}  // namespace basin
