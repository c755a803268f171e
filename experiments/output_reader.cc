#include "experiments/output_reader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "experiments/cell_keys.h"
#include "experiments/output_variables.h"
#include "experiments/overrides_json.h"
#include "experiments/record_columns.h"
#include "experiments/runner.h"
#include "experiments/scenario_reader.h"
#include "experiments/source_tree.h"
#include "experiments/store.h"

namespace basin {

namespace {

std::string text_of(const NetcdfReader& file, const std::string& name) {
  const std::optional<std::string> text = file.text_attribute(name);
  if (!text) {
    throw InputError(file.path(),
                     "it is no output of this version of Basin (no " + name + ")");
  }
  return *text;
}

}  // namespace

Scenario scenario_in_file(const std::string& file,
                          const std::string& text,
                          const std::string& scenario_path,
                          const std::string& overrides,
                          bool with_data_files) {
  try {
    return as_swept(read_scenario_text(
        text,
        scenario_path,
        overrides_from_json(overrides),
        {.folder = std::filesystem::path(scenario_path).parent_path().string(),
         .read_data_files = with_data_files}));
  } catch (const std::exception& error) {
    throw InputError(
        file, std::string{"the scenario that it is of cannot be read: "} + error.what());
  }
}

OutputReader::OutputReader(const std::string& path) : file_{path} {
  experiment_values_ = text_of(file_, "experiment_values");
  scenario_ = scenario_in_file(path,
                               text_of(file_, "scenario"),
                               text_of(file_, "scenario_path"),
                               text_of(file_, "overrides"));
  if (file_.shape("status").empty()) {
    scenario_.axes.clear();  // of `run`, which leaves them aside
    scenario_.excluded.clear();
    scenario_.refinement.reset();
  }
  grid_ = Grid{scenario_.axes};
  layout_.scenario = &scenario_;
  layout_.command_line = file_.text_attribute("command_line").value_or("");
  for (const std::string& arm : file_.texts(arm_dimension)) {
    for (const Arm known : {Arm::control, Arm::triggered, Arm::unamplified}) {
      if (arm == name_of(known)) {
        layout_.arms.push_back(known);
      }
    }
  }
  layout_.replications = static_cast<int>(file_.shape(replication_dimension).at(0));
  layout_.trajectories = TrajectoriesToKeep::none;
  if (file_.has(time_dimension)) {
    layout_.time = file_.numbers(time_dimension, 0, 0, 1);
    layout_.trajectories = file_.has(std::string{trajectory_table[0].name})
                               ? TrajectoriesToKeep::all
                               : TrajectoriesToKeep::summary;
  }
  const std::size_t axes = scenario_.axes.size();
  for (const double status : file_.numbers("status", axes, 0, grid_.size())) {
    statuses_.push_back(static_cast<CellStatus>(static_cast<int>(status)));
  }
  if (std::ranges::find(statuses_, CellStatus::failed) != statuses_.end()) {
    messages_ = file_.texts("message");
  }
}

const OutputReader::Block& OutputReader::block_of(std::size_t cell) const {
  if (cell >= block_.first && cell < block_.end) {
    return block_;
  }
  constexpr std::size_t values_at_once = 65'536;
  const std::size_t each =
      layout_.arms.size() * static_cast<std::size_t>(layout_.replications);
  const std::size_t axes = scenario_.axes.size();
  const std::size_t size = std::max<std::size_t>(values_at_once / each, 1);
  block_ = {.first = cell,
            .end = std::min(cell + size, grid_.size()),
            .columns = {},
            .objectives = {},
            .certain = {}};
  const auto read = [&](const std::string& name) {
    return file_.numbers(name, axes, block_.first, block_.end - block_.first);
  };
  for (const RecordColumn& column : record_columns()) {
    block_.columns.push_back(read(column.name));
    if (column.is_flag) {
      for (double& value : block_.columns.back()) {
        value = value < 0 ? std::numeric_limits<double>::quiet_NaN() : value;
      }
    }
  }
  block_.objectives = read("recovery_time_objective");
  block_.certain = read("without_chance");
  return block_;
}

std::vector<std::vector<ArmRecord>> OutputReader::records(std::size_t cell) const {
  const Block& block = block_of(cell);
  const auto replications = static_cast<std::size_t>(layout_.replications);
  std::vector<std::vector<ArmRecord>> arms(layout_.arms.size());
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    for (std::size_t r = 0; r < replications; ++r) {
      const std::size_t at =
          ((cell - block.first) * arms.size() + arm) * replications + r;
      ArmRecord record;
      // `truncated`, the first column, is never unknown of a run that is there.
      record.present = !std::isnan(block.columns[0][at]);
      record.recovery_objective = block.objectives[cell - block.first];
      record.certain = block.certain[cell - block.first] == 1;
      if (record.present) {
        for (std::size_t k = 0; k < block.columns.size(); ++k) {
          record_columns()[k].set(record, block.columns[k][at]);
        }
      }
      arms[arm].push_back(std::move(record));
    }
  }
  return arms;
}

CellResult OutputReader::cell(std::size_t cell) const {
  return this->cell(cell, static_cast<std::size_t>(layout_.replications));
}

CellResult OutputReader::cell(std::size_t cell, std::size_t replications) const {
  CellResult result;
  result.output.status = status(cell);
  if (status(cell) == CellStatus::done) {
    std::vector<std::vector<ArmRecord>> arms = records(cell);
    for (std::vector<ArmRecord>& arm : arms) {
      // Cells of a refined sweep have fewer than others.
      arm.resize(replications);
      while (arm.size() > 1 && !arm.back().present) {
        arm.pop_back();
      }
    }
    result = assemble_cell(layout_.arms, std::move(arms));
  } else if (status(cell) == CellStatus::failed) {
    result.output.arms = records(cell);
    result.output.message = messages_[cell];
  }
  result.cell = cell;
  result.output.indices = grid_.indices_of(cell);
  return result;
}

Trajectory OutputReader::trajectory(std::size_t cell,
                                    std::size_t arm,
                                    std::size_t replication) const {
  Trajectory trajectory;
  const auto replications = static_cast<std::size_t>(layout_.replications);
  for (const TrajectoryInfo& info : trajectory_table) {
    std::vector<float>& values = trajectory.*info.member;
    values = file_.floats(std::string{info.name},
                          scenario_.axes.size() + 2,
                          (cell * layout_.arms.size() + arm) * replications + replication,
                          1);
    while (!values.empty() && std::isnan(values.back())) {
      values.pop_back();
    }
  }
  return trajectory;
}

TrajectorySummary OutputReader::summary(std::size_t cell,
                                        std::size_t arm,
                                        std::size_t series) const {
  const auto read = [&](std::size_t statistic) {
    return file_.floats(
        std::string{trajectory_table[series].name} + trajectory_statistics[statistic],
        scenario_.axes.size() + 1,
        cell * layout_.arms.size() + arm,
        1);
  };
  return {.mean = read(0), .p10 = read(1), .p90 = read(2)};
}

void OutputReader::unpack(ShardSink& sink,
                          const std::function<bool(std::size_t)>& wanted) const {
  const CellKeys keys{scenario_};
  const std::vector<std::size_t> order = sink.axis_order(scenario_.axes);
  for (const std::vector<std::size_t>& group : control_groups(scenario_)) {
    bool has_control = false;
    for (const std::size_t cell : group) {
      const bool failed = status(cell) == CellStatus::failed;
      if (!wanted(cell) || (status(cell) != CellStatus::done && !failed)) {
        continue;
      }
      const std::vector<std::size_t> indices = grid_.indices_of(cell);
      std::vector<double> axis_values;
      for (const std::size_t axis : order) {
        axis_values.push_back(scenario_.axes[axis].si_values[indices[axis]]);
      }
      std::vector<std::vector<ArmRecord>> arms = records(cell);
      for (std::size_t arm = has_control ? 1 : 0; arm < arms.size(); ++arm) {
        const CellKey key = keys.of(cell, layout_.arms[arm]);
        bool any_present = false;
        // Of a refined sweep fewer than the file has room for.
        const std::size_t replications =
            failed ? arms[arm].size()
                   : static_cast<std::size_t>(
                         std::ranges::count(arms[arm], true, &ArmRecord::present));
        for (std::size_t r = 0; r < arms[arm].size(); ++r) {
          ArmRecord& record = arms[arm][r];
          any_present |= record.present;
          if (failed &&
              (!record.present || (!record.assessment && scenario_.objective))) {
            record.error = messages_[cell];
          }
          if (!record.present && record.error.empty()) {
            continue;
          }
          if (record.present && layout_.trajectories == TrajectoriesToKeep::all) {
            record.trajectory = trajectory(cell, arm, r);
          }
          sink.add(
              ShardRow{.key = {.cell = key, .arm = layout_.arms[arm], .replication = r},
                       .axis_values = axis_values,
                       .record = std::move(record)});
        }
        if (any_present && layout_.trajectories != TrajectoriesToKeep::none) {
          ShardSummary of_arm{.cell = key,
                              .arm = layout_.arms[arm],
                              .replications = replications,
                              .series = {}};
          for (std::size_t k = 0; k < trajectory_table.size(); ++k) {
            of_arm.series.push_back(summary(cell, arm, k));
          }
          sink.add(std::move(of_arm));
        }
      }
      has_control = true;
    }
  }
}

}  // namespace basin
