#include "experiments/pilot.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <exception>
#include <future>
#include <set>

#include "engine/time.h"

namespace basin {

namespace {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// One run in a thread of its own, given up after `seconds`.
PilotRun timed_run(const Scenario& cell,
                   Arm arm,
                   const RandomKey& key,
                   const RunnerOptions& options,
                   double seconds) {
  std::atomic<bool> stop{false};
  PilotRun timed{.indices = {}, .arm = arm, .error = {}};
  std::future<void> done = std::async(std::launch::async, [&] {
    const double begin = thread_cpu_seconds();
    try {
      const RunResult result =
          options.simulate(system_of_arm(cell.system, arm),
                           key,
                           {.memory_bytes = std::max<std::int64_t>(
                                options.memory_bytes / options.threads, 1),
                            .stop = &stop});
      timed.out_of_memory = result.truncated_at.has_value();
    } catch (const RunStopped&) {
      timed.cut_short = true;
    } catch (const std::exception& error) {
      timed.error = error.what();
    }
    timed.cpu_seconds = thread_cpu_seconds() - begin;
  });
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>{seconds};
  while (done.wait_for(std::chrono::milliseconds{20}) != std::future_status::ready) {
    if (std::chrono::steady_clock::now() > deadline ||
        (options.stop != nullptr && options.stop->load() != 0)) {
      stop = true;
    }
  }
  done.get();
  return timed;
}

}  // namespace

std::vector<std::size_t> pilot_cells(const Grid& grid, std::size_t most_cells) {
  std::set<std::size_t> cells;
  std::vector<std::size_t> middle;
  for (const std::size_t size : grid.shape()) {
    middle.push_back(size / 2);
  }
  cells.insert(grid.cell_at(middle));
  const std::size_t axes = std::min<std::size_t>(grid.shape().size(), 16);
  for (std::size_t corner = 0; corner < (std::size_t{1} << axes); ++corner) {
    if (cells.size() >= most_cells) {
      break;
    }
    // From both ends by turns, so that a cut leaves opposite corners.
    const std::size_t bits =
        corner % 2 == 0 ? corner / 2 : (std::size_t{1} << axes) - 1 - corner / 2;
    std::vector<std::size_t> indices = middle;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      indices[axis] = (bits >> axis & 1U) != 0 ? grid.shape()[axis] - 1 : 0;
    }
    cells.insert(grid.cell_at(indices));
  }
  return {cells.begin(), cells.end()};
}

CostEstimate estimate_cost(const Scenario& scenario,
                           const RunnerOptions& options,
                           const PilotOptions& pilot) {
  const Grid grid{scenario.axes};
  const std::vector<Arm> arms = arms_of(scenario, options.explain);
  CostEstimate estimate;
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return spent.count() > pilot.seconds_in_all ||
           (options.stop != nullptr && options.stop->load() != 0);
  };
  for (const std::size_t cell : pilot_cells(grid, pilot.most_cells)) {
    const std::vector<std::size_t> indices = grid.indices_of(cell);
    const Scenario at =
        scenario.axes.empty() ? scenario : options.at_cell(scenario, indices);
    for (const Arm arm : arms) {
      if (is_over()) {
        break;
      }
      RandomKey key = key_of(scenario, indices, 0);
      key.seed = at.seed;
      estimate.runs.push_back(timed_run(at, arm, key, options, pilot.seconds_per_run));
      estimate.runs.back().indices = indices;
    }
  }

  for (std::size_t k = 0; k < arms.size(); ++k) {
    double sum = 0;
    double count = 0;
    for (const PilotRun& run : estimate.runs) {
      if (run.arm == arms[k] && run.error.empty()) {
        sum += run.cpu_seconds;
        count += 1;
        estimate.at_least |= run.cut_short;
      }
    }
    const std::size_t units = k == 0 ? control_groups(scenario).size() : grid.size();
    if (count > 0) {
      estimate.cpu_seconds += sum / count * static_cast<double>(units) *
                              static_cast<double>(scenario.replications);
    } else {
      estimate.at_least = true;
    }
  }
  return estimate;
}

double estimate_output_bytes(const Scenario& scenario,
                             bool explain,
                             TrajectoriesToKeep trajectories) {
  const double cells = static_cast<double>(Grid{scenario.axes}.size());
  const double arms = static_cast<double>(arms_of(scenario, explain).size());
  const double replications = scenario.replications;
  const double instants =
      static_cast<double>(scenario.system.horizon / scenario.system.sample_interval) + 1;
  constexpr double series = trajectory_table.size() * sizeof(float);
  constexpr double metrics = (metric_table.size() + 3) * sizeof(double);
  constexpr double verdict = 40 * sizeof(double);
  double bytes = cells * (arms * replications * metrics + verdict);
  if (trajectories != TrajectoriesToKeep::none) {
    bytes += cells * arms * instants * series * 3;
  }
  if (trajectories == TrajectoriesToKeep::all) {
    bytes += cells * arms * instants * series * replications;
  }
  return bytes;
}

}  // namespace basin
