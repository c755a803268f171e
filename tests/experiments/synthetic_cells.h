// Cells of made-up numbers that say where they belong, for tests of the output file.
// check_output.py knows the same formulas.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "experiments/sweep_output.h"

namespace basin {

struct SyntheticSweep {
  Scenario scenario;
  std::vector<Arm> arms{Arm::control, Arm::triggered};
  int replications = 3;
  std::vector<double> time{0, 5, 10, 15, 20};
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::summary;

  OutputLayout layout() const {
    return {.scenario = &scenario,
            .arms = arms,
            .replications = replications,
            .time = time,
            .trajectories = trajectories,
            .command_line = "basin sweep synthetic -o synthetic.h5"};
  }
};

inline Axis numeric_axis(const std::string& key,
                         const std::string& unit,
                         const std::vector<double>& values) {
  Axis axis;
  axis.key = key;
  axis.unit = unit;
  axis.si_values = values;
  for (const double value : values) {
    axis.values.push_back(std::to_string(value) + unit);
  }
  return axis;
}

inline Axis named_axis(const std::string& key, const std::vector<std::string>& values) {
  Axis axis;
  axis.key = key;
  axis.values = values;
  axis.is_numeric = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    axis.si_values.push_back(static_cast<double>(i));
  }
  return axis;
}

inline SyntheticSweep synthetic_sweep(const std::vector<Axis>& axes) {
  SyntheticSweep sweep;
  sweep.scenario.name = "synthetic";
  sweep.scenario.description = "Größe, 大きさ";
  sweep.scenario.objective = Objective{};
  sweep.scenario.axes = axes;
  sweep.scenario.document = {.path = "synthetic.toml",
                             .text = "name = \"synthetic\"\n",
                             .resolved_json = R"({"name": "synthetic"})"};
  return sweep;
}

// Places in a grid, the last axis fastest.
inline std::vector<std::vector<std::size_t>> all_places(const std::vector<Axis>& axes) {
  std::vector<std::vector<std::size_t>> places{{}};
  for (const Axis& axis : axes) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& place : places) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        longer.push_back(place);
        longer.back().push_back(i);
      }
    }
    places = longer;
  }
  return places;
}

// Metric m of cell c is 1000 m + 100 c + 10 arm + replication, but latency_p999 is
// infinite and mean_wait NaN. Trajectory k is 10000 k + 1000 c + 100 arm + 10 replication
// + sample.
inline ArmRecord synthetic_record(const SyntheticSweep& sweep,
                                  std::size_t cell,
                                  std::size_t arm,
                                  std::size_t replication) {
  ArmRecord record;
  record.present = true;
  const auto number = [](std::size_t value) { return static_cast<double>(value); };
  for (std::size_t m = 0; m < metric_table.size(); ++m) {
    record.metrics.*metric_table[m].member =
        number(1000 * m + 100 * cell + 10 * arm + replication);
  }
  record.metrics.latency_p999 = std::numeric_limits<double>::infinity();
  record.metrics.mean_wait = std::numeric_limits<double>::quiet_NaN();
  record.assessment = ArmAssessment{};
  record.stuck = arm == 1;
  record.recovery_time =
      arm == 1 ? std::numeric_limits<double>::infinity() : number(replication);
  record.drain_time = number(10 * cell + replication);
  for (std::size_t k = 0; k < trajectory_table.size(); ++k) {
    for (std::size_t i = 0; i < sweep.time.size(); ++i) {
      (record.trajectory.*trajectory_table[k].member)
          .push_back(static_cast<float>(10000 * k + 1000 * cell + 100 * arm +
                                        10 * replication + i));
    }
  }
  return record;
}

inline CellOutput synthetic_cell(const SyntheticSweep& sweep,
                                 const std::vector<std::size_t>& place,
                                 std::size_t cell) {
  CellOutput output;
  output.indices = place;
  output.status = CellStatus::done;
  output.has_verdict = true;
  output.verdict.phase = static_cast<Phase>(cell % phase_count);
  output.verdict.decided = cell % 2 == 0;
  output.verdict.replications = sweep.replications;
  for (std::size_t p = 0; p < phase_count; ++p) {
    const double estimate = cell % phase_count == p ? 1 : 0;
    output.verdict.phases[p] = {
        .count = static_cast<std::int64_t>(estimate) * sweep.replications,
        .estimate = estimate,
        .interval = {0.5 * estimate, 0.5 + 0.5 * estimate}};
  }
  output.verdict.recovery_time = {1, 2, std::numeric_limits<double>::infinity()};
  output.verdict.drain_time = {3, 4, 5};
  output.phases.assign(static_cast<std::size_t>(sweep.replications),
                       output.verdict.phase);
  for (std::size_t arm = 0; arm < sweep.arms.size(); ++arm) {
    output.arms.emplace_back();
    for (std::size_t r = 0; r < static_cast<std::size_t>(sweep.replications); ++r) {
      output.arms.back().push_back(synthetic_record(sweep, cell, arm, r));
    }
  }
  return output;
}

inline CellOutput failed_cell(const std::vector<std::size_t>& place) {
  CellOutput output;
  output.indices = place;
  output.status = CellStatus::failed;
  output.message = "zu viele Aufträge";
  return output;
}

}  // namespace basin
