// What a sweep costs beside the runs themselves: the cells made and found, the shards,
// the join. The runs are canned, so a point (one cell, one replication) is the driver's
// alone.

#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>

#include "bench/measure.h"
#include "experiments/progress.h"
#include "experiments/scenario_reader.h"
#include "experiments/sweep_job.h"

namespace basin {
namespace {

constexpr const char* scenario_text = R"(
[simulation]
horizon = "2min"
[arrivals]
rate = "1/s"
[producer]
timeout = "5s"
[consumers]
service = { distribution = "exponential", rate = "4/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "10s"
duration = "10s"
[objective]
hold = "20s"
)";

class Drop final : public CellSink {
 public:
  void accept(CellResult cell) override { benchmark::DoNotOptimize(cell.cell); }
};

// Of rate x duration, with that many replications.
void sweep_driver(benchmark::State& state) {
  const auto rates = state.range(0);
  const auto durations = state.range(1);
  const auto replications = state.range(2);
  const Scenario scenario = read_scenario_text(
      scenario_text,
      "canned",
      {.set = {"simulation.replications=" + std::to_string(replications)},
       .sweep = {"arrivals.rate=0.1/s:2/s:" + std::to_string(rates),
                 "incident.outage.duration=1s:20s:" + std::to_string(durations)}});
  const RunResult canned =
      simulate(scenario.system, {.seed = 1, .cell = 0, .replication = 0}, {});
  const std::string folder = "/tmp/basin-sweep-driver-bench";
  for (auto _ : state) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    SweepJobOptions job{.output = folder + "/map.h5",
                        .runner = {.simulate = [&](const SystemConfig&,
                                                   const RandomKey&,
                                                   const RunLimits&) { return canned; },
                                   .at_cell = at_cell}};
    job.runner.trajectories = TrajectoriesToKeep::none;
    Drop sink;
    const auto progress = make_progress(ProgressStyle::none, stderr);
    run_sweep_job(scenario, job, sink, *progress);
  }
  std::filesystem::remove_all(folder);
  report_each(state, "points", static_cast<double>(rates * durations * replications));
}
BENCHMARK(sweep_driver)
    ->Args({10, 10, 1})
    ->Args({100, 100, 1})
    ->Args({400, 250, 1})
    ->Args({50, 50, 20})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace basin
