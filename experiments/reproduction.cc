#include "experiments/reproduction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "experiments/existing_output.h"
#include "experiments/fluid_run.h"
#include "experiments/output_reader.h"
#include "experiments/overrides_json.h"
#include "experiments/parts_folder.h"
#include "experiments/record_columns.h"
#include "experiments/scenario_reader.h"
#include "experiments/store.h"
#include "experiments/sweep_results.h"

namespace basin {

namespace {

// What is kept of the run, and the sweep it belongs to.
struct Found {
  Scenario scenario;
  ArmRecord record;
  std::optional<Trajectory> trajectory;
};

void expect_in(const Scenario& scenario,
               const std::vector<Arm>& arms,
               int replications,
               const StoredRun& run) {
  const Grid grid{scenario.axes};
  if (run.indices.size() != grid.shape().size()) {
    throw std::invalid_argument(
        fmt::format("the sweep has {} axes, and {} places are given",
                    grid.shape().size(),
                    run.indices.size()));
  }
  for (std::size_t axis = 0; axis < run.indices.size(); ++axis) {
    if (run.indices[axis] >= grid.shape()[axis]) {
      throw std::invalid_argument(fmt::format("{} has {} values, so places 0 to {}",
                                              scenario.axes[axis].key,
                                              grid.shape()[axis],
                                              grid.shape()[axis] - 1));
    }
  }
  if (std::ranges::find(arms, run.arm) == arms.end()) {
    throw std::invalid_argument(fmt::format("the sweep has no arm {}", name_of(run.arm)));
  }
  if (run.replication >= static_cast<std::size_t>(replications)) {
    throw std::invalid_argument(fmt::format(
        "there are {} replications, so 0 to {}", replications, replications - 1));
  }
}

std::size_t place_of(const std::vector<Arm>& arms, Arm arm) {
  return static_cast<std::size_t>(std::ranges::find(arms, arm) - arms.begin());
}

std::optional<Found> found_in_file(const std::string& output, const StoredRun& run) {
  if (!read_existing_output(output)) {
    return std::nullopt;
  }
  const OutputReader file{output};
  expect_in(file.scenario(), file.arms(), file.layout().replications, run);
  const std::size_t cell = Grid{file.scenario().axes}.cell_at(run.indices);
  const std::size_t arm = place_of(file.arms(), run.arm);
  CellResult result = file.cell(cell);
  if (result.output.arms.empty()) {
    return std::nullopt;
  }
  Found found{.scenario = file.scenario(),
              .record = result.output.arms.at(arm).at(run.replication),
              .trajectory = std::nullopt};
  if (file.layout().trajectories == TrajectoriesToKeep::all && found.record.present) {
    found.trajectory = file.trajectory(cell, arm, run.replication);
  }
  return found;
}

std::optional<Found> found_in_shards(const std::string& output, const StoredRun& run) {
  for (const std::string& path : list_shards(PartsFolder::path_for(output)).paths) {
    const ShardReader shard{path};
    Scenario scenario = scenario_in_file(path,
                                         shard.header().scenario_text,
                                         shard.header().scenario_path,
                                         shard.header().overrides);
    expect_in(
        scenario, arms_of(scenario, shard.header().explain), scenario.replications, run);
    const std::size_t cell = Grid{scenario.axes}.cell_at(run.indices);
    const RunKey key{.cell = CellKeys{scenario}.of(cell, run.arm),
                     .arm = run.arm,
                     .replication = run.replication};
    for (std::size_t row = 0; row < shard.rows(); ++row) {
      if (shard.key(row) == key) {
        return Found{.scenario = std::move(scenario),
                     .record = shard.record(row),
                     .trajectory = shard.has_trajectory(row)
                                       ? std::optional{shard.trajectory(row)}
                                       : std::nullopt};
      }
    }
  }
  return std::nullopt;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

// A stuck run's drain time takes the verdict, which a run by itself has not.
bool is_of_the_verdict(const RecordColumn& column) {
  return column.name == "drain_time" || column.name == "recovery_time";
}

void compare(const Found& found, Reproduction& to) {
  for (const RecordColumn& column : record_columns()) {
    const double now = column.get(to.record);
    const double then = column.get(found.record);
    ++to.numbers;
    if (!same_bits(now, then) &&
        !(is_of_the_verdict(column) && std::isinf(then) && !std::isnan(now))) {
      to.differences.push_back(fmt::format("{} is {}, was {}", column.name, now, then));
    }
  }
  if (!found.trajectory) {
    return;
  }
  for (const TrajectoryInfo& info : trajectory_table) {
    const std::vector<float>& now = to.record.trajectory.*info.member;
    const std::vector<float>& then = *found.trajectory.*info.member;
    to.numbers += now.size();
    if (now != then) {
      to.differences.push_back(fmt::format("{} over time differs", info.name));
    }
  }
}

}  // namespace

Reproduction reproduce(const std::string& output,
                       const StoredRun& run,
                       const RunnerOptions& options) {
  std::optional<Found> found = found_in_file(output, run);
  if (!found) {
    found = found_in_shards(output, run);
  }
  if (!found || (!found->record.present && found->record.error.empty())) {
    throw InputError(output, "it holds no such result (yet)");
  }
  const Document& document = found->scenario.document;
  const std::vector<Axis> axes = found->scenario.axes;
  Scenario scenario = scenario_in_file(
      output, document.text, document.path, overrides_json(document.overrides), true);
  if (axes.empty()) {
    scenario.axes.clear();
  }
  Reproduction reproduction;
  reproduction.cell = at_cell(scenario, run.indices);
  reproduction.cell.document.resolved_json =
      scenario.axes.empty() ? scenario.document.resolved_json
                            : resolved_json_at(scenario, run.indices);
  RandomKey key = key_of(scenario, run.indices, run.replication);
  key.seed = reproduction.cell.seed;
  const SystemConfig system = system_of_arm(reproduction.cell.system, run.arm);
  const RunResult result =
      reproduction.cell.solver == Solver::fluid
          ? fluid_run(system, key)
          : options.simulate(
                system, key, {.memory_bytes = options.memory_bytes, .stop = nullptr});
  reproduction.record =
      record_of(result, reproduction.cell, run.arm, TrajectoriesToKeep::all);
  if (found->record.present) {
    compare(*found, reproduction);
  } else {
    reproduction.differences.push_back("it failed then: " + found->record.error);
  }
  return reproduction;
}

void write_reproduction(const std::string& path,
                        const Reproduction& reproduction,
                        const StoredRun& run,
                        const std::string& command_line) {
  expect_ours(path, reproduction.cell);
  OutputLayout layout =
      layout_of(reproduction.cell, {run.arm}, TrajectoriesToKeep::all, command_line);
  layout.replications = 1;
  layout.first_replication = run.replication;
  SweepFile file{path, layout};
  CellOutput output;
  output.status = CellStatus::done;
  output.arms = {{reproduction.record}};
  file.write_cell(output);
  file.commit();
}

}  // namespace basin
