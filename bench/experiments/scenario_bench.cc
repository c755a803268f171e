// A scenario file read and checked, and what each cell of its sweep costs before it runs.
#include <cstddef>
#include <vector>

#include "bench/measure.h"
#include "experiments/scenario_reader.h"
#include "tests/experiments/example_scenario.h"

namespace basin {
namespace {

// Two axes of 21 and 4 values.
void read_scenario(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_scenario_text(example_scenario, "example"));
  }
  report_each(state, "scenarios");
}
BENCHMARK(read_scenario)->Unit(benchmark::kMicrosecond);

void scenario_at_cell(benchmark::State& state) {
  const Scenario scenario = read_scenario_text(example_scenario, "example");
  std::size_t cell = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(at_cell(scenario, {cell % 21, cell % 4}));
    ++cell;
  }
  report_each(state, "cells");
}
BENCHMARK(scenario_at_cell)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace basin
