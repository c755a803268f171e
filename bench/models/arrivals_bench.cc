// Instants of each arrival process, at a long-run rate of 1000/s.
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "bench/measure.h"
#include "engine/random.h"
#include "models/arrivals.h"

namespace basin {
namespace {

void arrive(benchmark::State& state, const Arrivals& arrivals) {
  // The end of time is 146 years away: at 1000/s not within reach.
  ArrivalStream stream{arrivals, {.seed = 1}, 0, SimTime{}};
  for (auto _ : state) {
    benchmark::DoNotOptimize(stream.next());
  }
  report_each(state, "arrivals");
}

std::shared_ptr<const std::vector<double>> thousand_instants() {
  std::vector<double> instants(1000);
  for (std::size_t i = 0; i < instants.size(); ++i) {
    instants[i] = 0.001 * static_cast<double>(i);
  }
  return std::make_shared<const std::vector<double>>(std::move(instants));
}
std::shared_ptr<const std::vector<double>> counts(std::size_t intervals, double each) {
  return std::make_shared<const std::vector<double>>(intervals, each);
}

using Size = BatchPoissonArrivals::Size;
const MmppArrivals mmpp_of_two{{1900, 100}, {{0, 1}, {1, 0}}, {}};
const MmppArrivals mmpp_of_four{
    {2500, 1000, 400, 100}, {{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}}, {}};
const ScheduleArrivals day{{{0, 500, 0}, {28'800, 1500, 14'400}}, 86'400.0, 1};

[[maybe_unused]] const bool registered = register_cases<Arrivals>(
    "arrive",
    arrive,
    {
        {"poisson", PoissonArrivals{1000}},
        {"deterministic", DeterministicArrivals{1000}},
        {"renewal/gap:erlang/shape:4", RenewalArrivals{Erlang{4, 0.001}}},
        {"renewal/gap:lognormal/scv:4", RenewalArrivals{Lognormal{0.001, 4}}},
        {"batch_poisson/size:constant/mean:10",
         BatchPoissonArrivals{1000, 10, Size::constant}},
        {"batch_poisson/size:geometric/mean:10",
         BatchPoissonArrivals{1000, 10, Size::geometric}},
        {"mmpp/states:2", mmpp_of_two},
        {"mmpp/states:4", mmpp_of_four},
        {"on_off/on:1s/off:1s", OnOffArrivals{2000, 0, Exponential{1}, Exponential{1}}},
        {"hawkes/branching:0.5/decay:10", HawkesArrivals{1000, 0.5, 10}},
        {"schedule/steps:2/ramp:4h/period:1d", day},
        {"trace/times:1000/loop", TraceArrivals{thousand_instants(), 1, 1, 1, true}},
        {"trace/times:1000/loop/rate_scale:1.5",
         TraceArrivals{thousand_instants(), 1.5, 1, 1.5, true}},
        {"count_trace/intervals:60/each:1000/loop",
         CountTraceArrivals{counts(60, 1000), 1, 1, 1, true}},
        {"count_trace/intervals:60000/each:1/loop",
         CountTraceArrivals{counts(60'000, 1), 0.001, 1, 1, true}},
    });

}  // namespace
}  // namespace basin
