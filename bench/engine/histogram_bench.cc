// Recording latencies, and reading their quantiles.
#include <cstdint>

#include "bench/measure.h"
#include "engine/histogram.h"

namespace basin {
namespace {

// Latencies around the given number of nanoseconds.
void add_values(benchmark::State& state) {
  const auto scale = static_cast<std::uint64_t>(state.range(0));
  Histogram histogram;
  std::uint64_t word = 0;
  for (auto _ : state) {
    word += 0x9e3779b97f4a7c15;
    histogram.add(static_cast<std::int64_t>(scale + (word >> 32) * scale / (1U << 30)));
  }
  report_each(state, "values");
}
BENCHMARK(add_values)->ArgName("around_ns")->Arg(100)->Arg(1'000'000)->Arg(1'000'000'000);

void quantile_of_hours(benchmark::State& state) {
  Histogram histogram;
  for (std::int64_t value = 1; value < 3'600'000'000'000; value += value / 100 + 1) {
    histogram.add(value);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(histogram.quantile(0.99));
  }
  report_each(state, "quantiles");
}
BENCHMARK(quantile_of_hours);

}  // namespace
}  // namespace basin
