// Addressed random words, and the logarithm that turns them into exponentials.
#include <cmath>
#include <cstdint>

#include "bench/measure.h"
#include "engine/log.h"
#include "engine/random.h"

namespace basin {
namespace {

void random_blocks(benchmark::State& state) {
  RandomAddress address{};
  for (auto _ : state) {
    ++address.entity;
    benchmark::DoNotOptimize(random_block({.seed = 1}, address));
  }
  report_each(state, "words", 4);
}
BENCHMARK(random_blocks);

void random_stream(benchmark::State& state) {
  RandomStream stream{{.seed = 1}, {}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(stream());
  }
  report_each(state, "words");
}
BENCHMARK(random_stream);

// Each logarithm's cost in a row of independent ones, as in making gaps.
template <auto logarithm>
void log_of_units(benchmark::State& state) {
  std::uint64_t word = 0;
  for (auto _ : state) {
    word += 0x9e3779b97f4a7c15;
    benchmark::DoNotOptimize(logarithm(to_unit(word)));
  }
  report_each(state, "logs");
}
BENCHMARK(log_of_units<portable_log>);
double log_of_libm(double x) {
  return std::log(x);
}
BENCHMARK(log_of_units<log_of_libm>);
double log_in_long_double(double x) {
  return static_cast<double>(std::log(static_cast<long double>(x)));
}
BENCHMARK(log_of_units<log_in_long_double>);

}  // namespace
}  // namespace basin
