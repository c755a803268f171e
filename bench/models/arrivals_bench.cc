// Instants of each arrival process.
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/random.h"
#include "models/arrivals.h"

namespace basin {
namespace {

void make_arrivals(benchmark::State& state, const Arrivals& arrivals) {
  // The end of time is 146 years away: at 1000/s not within reach.
  ArrivalStream stream{arrivals, {.seed = 1}, 0, SimTime{}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(stream.next());
  }
  state.counters["arrivals"] = benchmark::Counter(static_cast<double>(state.iterations()),
                                                  benchmark::Counter::kIsRate);
}

std::shared_ptr<const std::vector<double>> thousand_instants() {
  std::vector<double> instants;
  for (int i = 0; i < 1000; ++i) {
    instants.push_back(0.001 * i);
  }
  return std::make_shared<const std::vector<double>>(std::move(instants));
}

BENCHMARK_CAPTURE(make_arrivals, poisson, PoissonArrivals{1000});
BENCHMARK_CAPTURE(make_arrivals, deterministic, DeterministicArrivals{1000});
BENCHMARK_CAPTURE(make_arrivals, renewal_lognormal, RenewalArrivals{Lognormal{0.001, 4}});
BENCHMARK_CAPTURE(make_arrivals,
                  batches_of_10,
                  BatchPoissonArrivals{1000, 10, BatchPoissonArrivals::Size::constant});
BENCHMARK_CAPTURE(make_arrivals,
                  mmpp_of_2_states,
                  MmppArrivals{{1900, 100}, {{0, 1}, {1, 0}}, {}});
BENCHMARK_CAPTURE(make_arrivals,
                  on_off,
                  OnOffArrivals{2000, 0, Exponential{1}, Exponential{1}});
BENCHMARK_CAPTURE(make_arrivals, hawkes, HawkesArrivals{1000, 0.5, 10});
BENCHMARK_CAPTURE(make_arrivals,
                  schedule_of_a_day,
                  ScheduleArrivals{{{0, 500, 0}, {28'800, 1500, 14'400}}, 86'400.0, 1});
BENCHMARK_CAPTURE(make_arrivals,
                  trace,
                  TraceArrivals{thousand_instants(), 1, 1, 1, true});
BENCHMARK_CAPTURE(
    make_arrivals,
    counts_of_a_second,
    CountTraceArrivals{
        std::make_shared<const std::vector<double>>(60, 1000.0), 1, 1, 1, true});

}  // namespace
}  // namespace basin
