// Timers of one constant delay, and the ring they lie in.
#include <cstddef>
#include <cstdint>

#include "bench/measure.h"
#include "engine/ring.h"
#include "engine/timer_lane.h"

namespace basin {
namespace {

void pending(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("pending")->Arg(16)->Arg(4'096)->Arg(sized(1'048'576, 65'536));
}

// One value in, one out.
void ring(benchmark::State& state) {
  Ring<std::uint64_t> ring;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    ring.push_back(0);
  }
  std::uint64_t value = 0;
  for (auto _ : state) {
    ring.push_back(++value);
    benchmark::DoNotOptimize(ring.front());
    ring.pop_front();
  }
  report_each(state, "values");
}
BENCHMARK(ring)->Apply(pending);

// One timer set, one ended.
void set_and_pop(benchmark::State& state) {
  TimerLane<std::uint64_t> lane;
  SimTime end{};
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    lane.set(end, 0);
  }
  for (auto _ : state) {
    lane.set(++end, 0);
    benchmark::DoNotOptimize(lane.pop());
  }
  report_each(state, "timers");
}
BENCHMARK(set_and_pop)->Apply(pending);

// One timer set and one gone, the dead ones without having been popped: the timeouts of
// requests of which that share is answered in time.
void set_and_skip(benchmark::State& state) {
  const auto limit = static_cast<std::size_t>(state.range(1));
  const auto percent = static_cast<std::uint64_t>(state.range(0));
  const auto dead = [percent](const auto& timer) {
    return timer.payload % 100 < percent;
  };
  CheapWords word;
  TimerLane<std::uint64_t> lane;
  SimTime end{};
  for (auto _ : state) {
    lane.set(++end, word());
    while (lane.size() > limit) {
      lane.skip_while(dead);
      if (lane.size() > limit) {
        benchmark::DoNotOptimize(lane.pop());
      }
    }
  }
  report_each(state, "timers");
}
BENCHMARK(set_and_skip)
    ->ArgNames({"dead%", "pending"})
    ->ArgsProduct({{0, 50, 99}, {4'096}});

}  // namespace
}  // namespace basin
