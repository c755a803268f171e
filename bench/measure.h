// What the suites share: rates in the words of what is measured, sizes that shrink when a
// suite runs only as a test, and cheap random spans.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>

#include <benchmark/benchmark.h>

#include "engine/log.h"
#include "engine/time.h"

namespace basin {

// Whether the suite runs as a test (ctest sets the variable): then small sizes will do.
inline bool brief() {
  return std::getenv("BASIN_BENCH_BRIEF") != nullptr;
}
inline std::int64_t sized(std::int64_t full, std::int64_t when_brief) {
  return brief() ? when_brief : full;
}

// Reports `total` things of a kind, all iterations together, as a rate per second.
inline void report_rate(benchmark::State& state, const char* things, double total) {
  state.counters[things] = benchmark::Counter(total, benchmark::Counter::kIsRate);
}
// As many in each iteration.
inline void report_each(benchmark::State& state, const char* things, double each = 1) {
  report_rate(state, things, each * static_cast<double>(state.iterations()));
}

// Registers one benchmark for each of the cases, under "family/name".
template <class Case>
struct Named {
  const char* name;
  Case value;
};
template <class Case>
bool register_cases(const std::string& family,
                    void (*measure)(benchmark::State&, const Case&),
                    std::initializer_list<Named<Case>> cases) {
  for (const Named<Case>& named : cases) {
    benchmark::RegisterBenchmark((family + '/' + named.name).c_str(),
                                 [measure, value = named.value](benchmark::State& state) {
                                   measure(state, value);
                                 });
  }
  return true;
}

// Words of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", 2014): cheaper than the engine's addressed words, so that a measurement
// shows what it is about.
class CheapWords {
 public:
  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0;
};

// Exponential spans of a mean of a second; `exponential_spans` in calendar_bench tells
// what one costs.
class ExponentialSpans {
 public:
  Duration operator()() { return from_seconds(unit_exponential(words_())); }

 private:
  CheapWords words_;
};

}  // namespace basin
