// The output file, from the first cell to its name, synced to disk: times are by the
// wall, since the disk is most of what one may wait for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "bench/measure.h"
#include "experiments/netcdf_file.h"
#include "experiments/store.h"
#include "experiments/trajectory_summary.h"
#include "tests/experiments/synthetic_cells.h"

namespace basin {
namespace {

// A folder that goes away with all it holds.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "basin_bench_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error{"no temporary folder"};
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  std::string file() const { return path_ / "out.h5"; }
  // Megabytes on disk.
  double megabytes() const {
    return static_cast<double>(std::filesystem::file_size(file())) / 1e6;
  }

 private:
  std::filesystem::path path_;
};

// 0, 1, 2, …
std::vector<double> steps(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<double>(i);
  }
  return values;
}

// A map of two axes, so many rows by so many columns; two arms, 20 replications.
SyntheticSweep sweep_of(std::size_t rows, std::size_t columns, std::size_t samples) {
  SyntheticSweep sweep =
      synthetic_sweep({numeric_axis("arrivals.rate", "1/s", steps(rows)),
                       numeric_axis("incident.outage.duration", "s", steps(columns))});
  sweep.replications = 20;
  sweep.time = steps(samples);
  return sweep;
}

// A cell whose trajectories are noise: what a compressor has least to gain from.
CellOutput cell_of(const SyntheticSweep& sweep) {
  CellOutput cell = synthetic_cell(sweep, {0, 0}, 0);
  CheapWords word;
  for (std::vector<ArmRecord>& arm : cell.arms) {
    for (ArmRecord& record : arm) {
      for (const TrajectoryInfo& info : trajectory_table) {
        for (float& value : record.trajectory.*info.member) {
          value = static_cast<float>(word() % 1000);
        }
      }
    }
  }
  return cell;
}

// Writes the sweep into a new file; returns the megabytes on disk.
double write_file(const SyntheticSweep& sweep, CellOutput& cell) {
  const TemporaryFolder folder;
  SweepFile file{folder.file(), sweep.layout()};
  for (const std::vector<std::size_t>& place : all_places(sweep.scenario.axes)) {
    cell.indices = place;
    file.write_cell(cell);
  }
  file.commit();
  return folder.megabytes();
}

// Verdicts and metrics of every cell, no trajectories.
void phase_map(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto columns = static_cast<std::size_t>(state.range(1));
  SyntheticSweep sweep = sweep_of(rows, columns, 1);
  sweep.trajectories = TrajectoriesToKeep::none;
  CellOutput cell = cell_of(sweep);
  double megabytes = 0;
  for (auto _ : state) {
    megabytes += write_file(sweep, cell);
  }
  report_each(state, "points", static_cast<double>(rows * columns));
  report_rate(state, "file_MB", megabytes);
}
void map_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"rows", "columns"})->UseRealTime()->Unit(benchmark::kMillisecond);
  if (brief()) {
    benchmark->Args({5, 4});
  } else {
    benchmark->Args({40, 25})->Args({100, 100});
  }
}
BENCHMARK(phase_map)->Apply(map_sizes);

// The nine trajectories of both arms and every replication of each cell: of which the
// file keeps mean and two quantiles, or each one too.
template <TrajectoriesToKeep kept>
void trajectories(benchmark::State& state) {
  const auto cells = static_cast<std::size_t>(state.range(0));
  const auto samples = static_cast<std::size_t>(state.range(1));
  SyntheticSweep sweep = sweep_of(cells, 1, samples);
  sweep.trajectories = kept;
  CellOutput cell = cell_of(sweep);
  double megabytes = 0;
  for (auto _ : state) {
    megabytes += write_file(sweep, cell);
  }
  const std::size_t series = sweep.arms.size() * trajectory_table.size() *
                             static_cast<std::size_t>(sweep.replications);
  report_each(state, "samples", static_cast<double>(cells * series * samples));
  report_rate(state, "file_MB", megabytes);
}
void trajectory_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"cells", "samples"})->UseRealTime()->Unit(benchmark::kMillisecond);
  if (brief()) {
    benchmark->Args({2, 60});
  } else {
    benchmark->Args({10, 600})->Args({100, 600})->Args({10, 6'000});
  }
}
BENCHMARK(trajectories<TrajectoriesToKeep::summary>)->Apply(trajectory_sizes);
BENCHMARK(trajectories<TrajectoriesToKeep::all>)->Apply(trajectory_sizes);

// One compressed variable, a row a cell: what the file itself costs.
void netcdf_rows(benchmark::State& state) {
  const auto cells = static_cast<std::size_t>(state.range(0));
  const auto samples = static_cast<std::size_t>(state.range(1));
  CheapWords word;
  std::vector<float> depth(samples);
  for (float& value : depth) {
    value = static_cast<float>(word() % 1000);
  }
  double megabytes = 0;
  for (auto _ : state) {
    const TemporaryFolder folder;
    NetcdfFile file{folder.file()};
    file.add_coordinate("cell", "cell", "1", steps(cells));
    file.add_coordinate("time", "time", "s", steps(samples));
    const std::size_t variable = file.add_variable({.name = "depth",
                                                    .type = NetcdfType::float32,
                                                    .dimensions = {"cell", "time"},
                                                    .chunk = {1, samples}});
    for (std::size_t cell = 0; cell < cells; ++cell) {
      file.write(variable, std::vector{cell}, depth);
    }
    file.commit();
    megabytes += folder.megabytes();
  }
  report_each(state, "samples", static_cast<double>(cells * samples));
  report_rate(state, "file_MB", megabytes);
}
BENCHMARK(netcdf_rows)->Apply(trajectory_sizes);

// Mean and quantiles over 20 replications, before they are written.
void summarize(benchmark::State& state) {
  const auto samples = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t replications = 20;
  CheapWords word;
  std::vector<std::vector<float>> series(replications);
  for (std::vector<float>& one : series) {
    for (std::size_t i = 0; i < samples; ++i) {
      one.push_back(static_cast<float>(word() % 1000));
    }
  }
  const std::vector<std::span<const float>> views(series.begin(), series.end());
  for (auto _ : state) {
    benchmark::DoNotOptimize(summarize_trajectories(views, samples));
  }
  report_each(state, "samples", static_cast<double>(replications * samples));
}
BENCHMARK(summarize)->ArgName("samples")->Arg(600)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace basin
