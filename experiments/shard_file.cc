#include "experiments/shard_file.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numeric>
#include <system_error>

#include <unistd.h>

#include "engine/contract.h"
#include "experiments/overrides_json.h"
#include "experiments/pending_file.h"
#include "experiments/record_columns.h"
#include "experiments/scenario_values.h"
#include "experiments/schema.h"
#include "experiments/sha1.h"

namespace basin {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view prefix = "runs-";
constexpr std::string_view suffix = ".h5";

// The columns of `values`: these, then record_columns().
enum Fixed : std::size_t {
  column_arm,
  column_replication,
  column_present,
  column_recovery_objective,
  column_certain,
  fixed_columns
};

// With spaces between them. An attribute, since texts in datasets are slow to HDF5.
std::string column_names() {
  std::string names = "arm replication present recovery_time_objective without_chance";
  for (const RecordColumn& column : record_columns()) {
    names += " " + column.name;
  }
  return names;
}

void add_row(const ShardRow& row, std::vector<double>& values) {
  const ArmRecord& record = row.record;
  values.push_back(static_cast<double>(row.key.arm));
  values.push_back(static_cast<double>(row.key.replication));
  values.push_back(record.present ? 1 : 0);
  values.push_back(record.recovery_objective);
  values.push_back(record.certain ? 1 : 0);
  for (const RecordColumn& column : record_columns()) {
    values.push_back(record.present ? column.get(record) : nan);
  }
}

std::vector<std::int64_t> counted_from_zero(std::size_t size) {
  std::vector<std::int64_t> values(size);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

void add_key(const CellKey& key, std::vector<std::int64_t>& halves) {
  halves.push_back(std::bit_cast<std::int64_t>(key.high));
  halves.push_back(std::bit_cast<std::int64_t>(key.low));
}

CellKey key_at(const std::vector<std::int64_t>& halves, std::size_t k) {
  return {.high = std::bit_cast<std::uint64_t>(halves[2 * k]),
          .low = std::bit_cast<std::uint64_t>(halves[2 * k + 1])};
}

std::string series_names() {
  std::string names;
  for (const TrajectoryInfo& info : trajectory_table) {
    names += (names.empty() ? "" : " ") + std::string{info.name};
  }
  return names;
}

void write_header(NetcdfFile& file, const ShardHeader& header) {
  file.set_attribute("title", "Basin: some runs of a sweep");
  file.set_attribute("experiment_values", header.experiment_values);
  file.set_attribute("scenario", header.scenario_text);
  file.set_attribute("scenario_path", header.scenario_path);
  file.set_attribute("overrides", header.overrides);
  file.set_attribute("command_line", header.command_line);
  std::string axes;
  for (const std::string& axis : header.axes) {
    axes += (axes.empty() ? "" : " ") + axis;
  }
  file.set_attribute("axes", axes);
  file.set_attribute("columns", column_names());
  file.set_attribute("series", series_names());
  file.set_attribute("explain", std::int64_t{header.explain});
  file.set_attribute("trajectories", static_cast<std::int64_t>(header.trajectories));
}

void write_rows(NetcdfFile& file,
                const ShardHeader& header,
                std::span<const ShardRow> rows) {
  std::vector<std::int64_t> halves;
  std::vector<double> values;
  std::vector<double> axis_values;
  std::vector<std::int64_t> failures;
  std::vector<std::string> messages;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    add_key(rows[k].key.cell, halves);
    add_row(rows[k], values);
    axis_values.insert(
        axis_values.end(), rows[k].axis_values.begin(), rows[k].axis_values.end());
    if (!rows[k].record.error.empty()) {
      failures.push_back(static_cast<std::int64_t>(k));
      messages.push_back(rows[k].record.error);
    }
  }
  file.add_coordinate("row", "run", {}, counted_from_zero(rows.size()));
  file.add_coordinate("column",
                      "place in the attribute columns",
                      {},
                      counted_from_zero(fixed_columns + record_columns().size()));
  const std::size_t keys = file.add_variable({.name = "cell_key",
                                              .type = NetcdfType::int64,
                                              .dimensions = {"row", "half"},
                                              .long_name = "hash of what the cell is"});
  file.write(keys, {}, halves);
  const std::size_t numbers =
      file.add_variable({.name = "values", .dimensions = {"row", "column"}});
  file.write(numbers, {}, values);
  if (!header.axes.empty()) {
    file.add_coordinate(
        "axis", "place in the attribute axes", {}, counted_from_zero(header.axes.size()));
    const std::size_t places =
        file.add_variable({.name = "axis_values", .dimensions = {"row", "axis"}});
    file.write(places, {}, axis_values);
  }
  if (!failures.empty()) {
    file.add_coordinate("failure", "row that failed", {}, failures);
    const std::size_t texts = file.add_variable(
        {.name = "message", .type = NetcdfType::text, .dimensions = {"failure"}});
    file.write(texts, {}, messages);
  }
}

void write_trajectories(NetcdfFile& file,
                        std::size_t length,
                        std::span<const ShardRow> rows) {
  std::vector<std::int64_t> kept;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!rows[k].record.trajectory.depth.empty()) {
      kept.push_back(static_cast<std::int64_t>(k));
    }
  }
  if (kept.empty()) {
    return;
  }
  file.add_coordinate("trajectory", "row that it belongs to", {}, kept);
  const std::size_t variable =
      file.add_variable({.name = "trajectories",
                         .type = NetcdfType::float32,
                         .dimensions = {"trajectory", "series", "time"},
                         .chunk = {1, 1, length}});
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Trajectory& trajectory =
        rows[static_cast<std::size_t>(kept[k])].record.trajectory;
    for (std::size_t series = 0; series < trajectory_table.size(); ++series) {
      file.write(variable,
                 std::vector{k, series},
                 std::span<const float>{padded_series(trajectory, series, length)});
    }
  }
}

void write_summaries(NetcdfFile& file,
                     std::size_t length,
                     std::span<const ShardSummary> summaries) {
  std::vector<std::int64_t> halves;
  std::vector<std::int64_t> arms;
  std::vector<std::int64_t> replications;
  for (const ShardSummary& summary : summaries) {
    add_key(summary.cell, halves);
    arms.push_back(static_cast<std::int64_t>(summary.arm));
    replications.push_back(static_cast<std::int64_t>(summary.replications));
  }
  file.add_coordinate(
      "summary", "arm of a cell", {}, counted_from_zero(summaries.size()));
  file.add_coordinate("statistic",
                      "mean, 10th and 90th percentile over replications",
                      {},
                      counted_from_zero(3));
  const auto integers = [&](const std::string& name,
                            const std::vector<std::string>& dimensions,
                            const std::vector<std::int64_t>& values) {
    file.write(file.add_variable(
                   {.name = name, .type = NetcdfType::int64, .dimensions = dimensions}),
               {},
               values);
  };
  integers("summary_key", {"summary", "half"}, halves);
  integers("summary_arm", {"summary"}, arms);
  integers("summary_replications", {"summary"}, replications);
  const std::size_t variable =
      file.add_variable({.name = "summaries",
                         .type = NetcdfType::float32,
                         .dimensions = {"summary", "series", "statistic", "time"},
                         .chunk = {1, 1, 1, length}});
  for (std::size_t k = 0; k < summaries.size(); ++k) {
    for (std::size_t series = 0; series < trajectory_table.size(); ++series) {
      const TrajectorySummary& summary = summaries[k].series[series];
      const std::vector<float>* const statistics[] = {
          &summary.mean, &summary.p10, &summary.p90};
      for (std::size_t s = 0; s < std::size(statistics); ++s) {
        file.write(
            variable, std::vector{k, series, s}, std::span<const float>{*statistics[s]});
      }
    }
  }
}

}  // namespace

ShardHeader header_of(const OutputLayout& layout) {
  const Scenario& scenario = *layout.scenario;
  ShardHeader header{
      .experiment_values = experiment_values(scenario),
      .scenario_text = scenario.document.text,
      .scenario_path = scenario.document.path,
      .overrides = overrides_json(scenario.document.overrides),
      .command_line = layout.command_line,
      .axes = {},
      .explain = std::ranges::find(layout.arms, Arm::unamplified) != layout.arms.end(),
      .trajectories = layout.trajectories,
      .time = layout.time};
  for (const Axis& axis : scenario.axes) {
    header.axes.push_back(axis.key);
  }
  return header;
}

std::string write_shard(const std::string& folder,
                        const ShardHeader& header,
                        std::span<const ShardRow> rows,
                        std::span<const ShardSummary> summaries) {
  BASIN_EXPECT(!rows.empty());
  static std::atomic<int> number{0};
  const std::string unnamed = folder + "/unnamed-" + std::to_string(::getpid()) + "-" +
                              std::to_string(number++) + ".h5";
  {
    NetcdfFile file{unnamed};
    write_header(file, header);
    file.add_coordinate("half", "of a key", {}, counted_from_zero(2));
    if (header.trajectories != TrajectoriesToKeep::none) {
      file.add_coordinate("time", "time since the start of the run", "s", header.time);
      file.add_coordinate("series",
                          "place in the attribute series",
                          {},
                          counted_from_zero(trajectory_table.size()));
    }
    write_rows(file, header, rows);
    if (header.trajectories != TrajectoriesToKeep::none) {
      write_trajectories(file, header.time.size(), rows);
      if (!summaries.empty()) {
        write_summaries(file, header.time.size(), summaries);
      }
    }
    file.commit();
  }
  const std::string path = folder + "/" + std::string{prefix} +
                           sha1_text_of_file(unnamed) + std::string{suffix};
  rename_and_sync(unnamed, path);
  return path;
}

bool is_shard_name(const std::string& file_name) {
  constexpr std::size_t digits = 40;
  return file_name.size() == prefix.size() + digits + suffix.size() &&
         file_name.starts_with(prefix) && file_name.ends_with(suffix) &&
         file_name.find_first_not_of("0123456789abcdef", prefix.size()) ==
             prefix.size() + digits;
}

bool is_intact_shard(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return is_shard_name(name) &&
         name == std::string{prefix} + sha1_text_of_file(path) + std::string{suffix};
}

ShardReader::ShardReader(const std::string& path) : file_{path} {
  const auto text = [&](const char* name) {
    return file_.text_attribute(name).value_or("");
  };
  header_ = {.experiment_values = text("experiment_values"),
             .scenario_text = text("scenario"),
             .scenario_path = text("scenario_path"),
             .overrides = text("overrides"),
             .command_line = text("command_line"),
             .axes = {},
             .explain = file_.integer_attribute("explain").value_or(0) != 0,
             .trajectories = static_cast<TrajectoriesToKeep>(std::clamp<std::int64_t>(
                 file_.integer_attribute("trajectories").value_or(0), 0, 2)),
             .time = {}};
  const std::string axes = text("axes");
  if (!axes.empty()) {
    for (const std::string_view axis : split(axes, ' ')) {
      header_.axes.emplace_back(axis);
    }
  }
  if (file_.has("time")) {
    header_.time = file_.numbers("time", 0, 0, 1);
  }
  if (text("columns") != column_names() || text("series") != series_names()) {
    throw InputError(path, "its columns are those of another version of Basin");
  }
  const std::vector<std::int64_t> halves = file_.integers("cell_key");
  values_ = file_.numbers("values", 0, 0, 1);
  keys_.resize(halves.size() / 2);
  for (std::size_t row = 0; row < keys_.size(); ++row) {
    keys_[row] = {
        .cell = key_at(halves, row),
        .arm = static_cast<Arm>(value(row, column_arm)),
        .replication = static_cast<std::size_t>(value(row, column_replication))};
  }
  trajectory_of_.assign(keys_.size(), -1);
  if (file_.has("trajectory")) {
    const std::vector<std::int64_t> kept = file_.integers("trajectory");
    for (std::size_t k = 0; k < kept.size(); ++k) {
      trajectory_of_[static_cast<std::size_t>(kept[k])] = static_cast<std::ptrdiff_t>(k);
    }
  }
  if (file_.has("failure")) {
    errors_.resize(keys_.size());
    const std::vector<std::int64_t> failures = file_.integers("failure");
    const std::vector<std::string> messages = file_.texts("message");
    for (std::size_t k = 0; k < failures.size(); ++k) {
      errors_[static_cast<std::size_t>(failures[k])] = messages[k];
    }
  }
  if (file_.has("summary_key")) {
    const std::vector<std::int64_t> of_summaries = file_.integers("summary_key");
    const std::vector<std::int64_t> arms = file_.integers("summary_arm");
    const std::vector<std::int64_t> counts = file_.integers("summary_replications");
    for (std::size_t k = 0; k < arms.size(); ++k) {
      summaries_.push_back({.cell = key_at(of_summaries, k),
                            .arm = static_cast<Arm>(arms[k]),
                            .replications = static_cast<std::size_t>(counts[k]),
                            .series = {}});
    }
  }
}

double ShardReader::value(std::size_t row, std::size_t column) const {
  return values_[row * (fixed_columns + record_columns().size()) + column];
}

bool ShardReader::failed(std::size_t row) const {
  return !errors_.empty() && !errors_[row].empty();
}

ArmRecord ShardReader::record(std::size_t row) const {
  ArmRecord record;
  record.present = value(row, column_present) == 1;
  record.recovery_objective = value(row, column_recovery_objective);
  record.certain = value(row, column_certain) == 1;
  if (!errors_.empty()) {
    record.error = errors_[row];
  }
  if (record.present) {
    std::size_t column = fixed_columns;
    for (const RecordColumn& info : record_columns()) {
      info.set(record, value(row, column++));
    }
  }
  return record;
}

Trajectory ShardReader::trajectory(std::size_t row) const {
  BASIN_EXPECT(has_trajectory(row));
  const std::size_t series = trajectory_table.size();
  const std::vector<float> values =
      file_.floats("trajectories", 1, static_cast<std::size_t>(trajectory_of_[row]), 1);
  const std::size_t length = values.size() / series;
  Trajectory trajectory;
  for (std::size_t k = 0; k < series; ++k) {
    std::vector<float>& to = trajectory.*trajectory_table[k].member;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(k * length);
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(length));
    // It ended where all that follows is NaN.
    while (!to.empty() && std::isnan(to.back())) {
      to.pop_back();
    }
  }
  return trajectory;
}

RawChunk ShardReader::trajectory_chunk(std::size_t row, std::size_t series) const {
  BASIN_EXPECT(has_trajectory(row));
  return file_
      .chunk("trajectories",
             std::vector{
                 static_cast<std::size_t>(trajectory_of_[row]), series, std::size_t{0}})
      .value();
}

RawChunk ShardReader::summary_chunk(std::size_t summary,
                                    std::size_t series,
                                    std::size_t statistic) const {
  return file_.chunk("summaries", std::vector{summary, series, statistic, std::size_t{0}})
      .value();
}

}  // namespace basin
