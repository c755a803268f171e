#include "experiments/store.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include "engine/contract.h"
#include "engine/time.h"
#include "experiments/axis_names.h"
#include "experiments/build_info.h"
#include "experiments/design_coordinates.h"
#include "experiments/grid.h"
#include "experiments/output_variables.h"
#include "experiments/overrides_json.h"
#include "experiments/record_columns.h"
#include "experiments/scenario_values.h"
#include "experiments/sha1.h"
#include "experiments/trajectory_summary.h"

namespace basin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string host_name() {
  utsname host{};
  return ::uname(&host) == 0 ? host.nodename : "unknown";
}

void add_attributes(NetcdfFile& file, const OutputLayout& layout) {
  const Scenario& scenario = *layout.scenario;
  const BuildInfo& build = build_info();
  file.set_attribute("Conventions", "CF-1.8");
  file.set_attribute("title", scenario.name);
  if (!scenario.description.empty()) {
    file.set_attribute("summary", scenario.description);
  }
  file.set_attribute("basin_version", std::string(build.version));
  file.set_attribute("semantics_version", std::int64_t{semantics_version});
  file.set_attribute("git_revision", std::string(build.git_revision));
  file.set_attribute("build_flags", std::string(build.flags));
  file.set_attribute("compiler", std::string(build.compiler));
  file.set_attribute("scenario", scenario.document.text);
  const std::string values = scenario_values(scenario);
  file.set_attribute("scenario_values", values);
  file.set_attribute("scenario_hash", scenario_hash(values));
  file.set_attribute("experiment_values", experiment_values(scenario));
  file.set_attribute("overrides", overrides_json(scenario.document.overrides));
  file.set_attribute("scenario_path", scenario.document.path);
  file.set_attribute("resolved_scenario", scenario.document.resolved_json);
  file.set_attribute("horizon", to_seconds(scenario.system.horizon));
  file.set_attribute("command_line", layout.command_line);
  if (scenario.seed <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    file.set_attribute("seed", static_cast<std::int64_t>(scenario.seed));
  }
  file.set_attribute("seed_string", std::to_string(scenario.seed));
  file.set_attribute("generator", "Philox4x64-10 (Random123)");
  const auto now =
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  file.set_attribute("created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now));
  file.set_attribute("host", host_name());
}

// Names that no axis may have.
std::vector<std::string> names_of_output() {
  std::vector<std::string> taken{arm_dimension, replication_dimension, time_dimension};
  for (const NetcdfVariable& variable : output_variables({}, TrajectoriesToKeep::all)) {
    taken.push_back(variable.name);
  }
  for (const std::string& name : refinement_variable_names()) {
    taken.push_back(name);
  }
  // JSON and people call a metric by its plain name, so an axis leaves that alone too.
  for (const MetricInfo& metric : metric_table) {
    taken.emplace_back(metric.name);
  }
  return taken;
}

void add_coordinates(NetcdfFile& file,
                     const OutputLayout& layout,
                     const std::vector<std::string>& names) {
  const std::vector<Axis>& axes = layout.scenario->axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].is_numeric) {
      file.add_coordinate(names[i], axes[i].key, axes[i].unit, axes[i].si_values);
    } else {
      file.add_coordinate(names[i], axes[i].key, {}, axes[i].values);
    }
  }
  std::vector<std::string> arms;
  for (const Arm arm : layout.arms) {
    arms.emplace_back(name_of(arm));
  }
  file.add_coordinate(arm_dimension, "arm: with or without incidents", {}, arms);
  std::vector<std::int64_t> replications(static_cast<std::size_t>(layout.replications));
  std::iota(replications.begin(),
            replications.end(),
            static_cast<std::int64_t>(layout.first_replication));
  file.add_coordinate(replication_dimension, "replication", {}, replications);
  if (layout.trajectories != TrajectoriesToKeep::none) {
    file.add_coordinate(
        time_dimension, "time since the start of the run", "s", layout.time);
  }
}

}  // namespace

class SweepFile::Impl {
 public:
  Impl(const std::string& path, const OutputLayout& layout)
      : layout_{layout},
        grid_{layout.scenario->axes},
        replications_{static_cast<std::size_t>(layout.replications)},
        block_{block_of(grid_.shape(), layout.arms.size() * replications_)},
        file_{path} {
    const std::vector<std::string> names = dimension_names(layout.scenario->axes);
    add_attributes(file_, layout);
    add_coordinates(file_, layout, names);
    add_design_coordinates(file_, layout.scenario->axes, names, names_of_output());
    for (NetcdfVariable variable : output_variables(names, layout.trajectories)) {
      variable.chunk = chunk_of(variable);
      numbers_[variable.name] = file_.add_variable(variable);
    }
  }

  std::size_t block_end(std::size_t cell) const {
    const std::size_t rows = block_.rows * block_.cells_each;
    const std::size_t row_begin = cell - cell % block_.cells_in_all;
    const std::size_t in_row = cell - row_begin;
    return row_begin + std::min((in_row / rows + 1) * rows, block_.cells_in_all);
  }

  void write_cells(std::size_t first, std::span<const CellOutput> cells) {
    for (const CellOutput& cell : cells) {
      check(cell);
    }
    write_each<std::int8_t>(first, cells, "status", [](const CellOutput& cell) {
      return static_cast<std::int8_t>(cell.status);
    });
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (!cells[k].message.empty()) {
        const std::span<const std::string> message{&cells[k].message, 1};
        file_.write_flat(numbers_.at("message"), axes(), first + k, message);
      }
    }
    if (std::ranges::any_of(cells, [](const auto& cell) { return has_phase(cell); })) {
      write_verdicts(first, cells);
    }
    if (std::ranges::any_of(cells, [](const auto& cell) { return !cell.arms.empty(); })) {
      write_records(first, cells);
    }
  }

  void write_trajectories(const CellOutput& cell) {
    if (layout_.trajectories == TrajectoriesToKeep::none) {
      return;
    }
    const std::size_t place = grid_.cell_at(cell.indices);
    for (std::size_t arm = 0; arm < cell.arms.size(); ++arm) {
      std::vector<const Trajectory*> present;
      for (std::size_t r = 0; r < cell.arms[arm].size(); ++r) {
        const ArmRecord& record = cell.arms[arm][r];
        if (!record.present) {
          continue;
        }
        present.push_back(&record.trajectory);
        if (layout_.trajectories == TrajectoriesToKeep::all) {
          write_trajectory(place, arm, r, record.trajectory);
        }
      }
      if (present.empty()) {
        continue;
      }
      for (std::size_t series = 0; series < trajectory_table.size(); ++series) {
        write_summary(
            place, arm, series, summarize_series(present, series, layout_.time.size()));
      }
    }
  }

  void write_summary(std::size_t cell,
                     std::size_t arm,
                     std::size_t series,
                     const TrajectorySummary& summary) {
    const std::vector<float>* const values[] = {
        &summary.mean, &summary.p10, &summary.p90};
    for (std::size_t k = 0; k < trajectory_statistics.size(); ++k) {
      file_.write(number_of(series, trajectory_statistics[k]),
                  place_of(cell, {arm}),
                  std::span<const float>{*values[k]});
    }
  }

  void write_summary_chunk(std::size_t cell,
                           std::size_t arm,
                           std::size_t series,
                           std::size_t statistic,
                           const RawChunk& chunk) {
    file_.write_chunk(number_of(series, trajectory_statistics[statistic]),
                      place_of(cell, {arm, 0}),
                      chunk);
  }

  void write_trajectory(std::size_t cell,
                        std::size_t arm,
                        std::size_t replication,
                        const Trajectory& trajectory) {
    for (std::size_t series = 0; series < trajectory_table.size(); ++series) {
      file_.write(
          number_of(series, ""),
          place_of(cell, {arm, replication}),
          std::span<const float>{padded_series(trajectory, series, layout_.time.size())});
    }
  }

  void write_trajectory_chunk(std::size_t cell,
                              std::size_t arm,
                              std::size_t replication,
                              std::size_t series,
                              const RawChunk& chunk) {
    file_.write_chunk(
        number_of(series, ""), place_of(cell, {arm, replication, 0}), chunk);
  }

  void write_refinement(const RefinedMap& map) {
    basin::write_refinement(file_, dimension_names(layout_.scenario->axes), map);
  }

  void commit() { file_.commit(); }

  std::size_t place_of(const CellOutput& cell) const {
    return grid_.cell_at(cell.indices);
  }

 private:
  // A block: `rows` steps of one axis, with the whole of those after it.
  struct Block {
    std::vector<std::size_t> shape;  // one an axis
    std::size_t rows = 1;
    std::size_t cells_each = 1;    // of one step
    std::size_t cells_in_all = 1;  // of the whole of that axis
  };

  // The most that holds about 32,000 values, each cell `values` of them.
  static Block block_of(const std::vector<std::size_t>& shape, std::size_t values) {
    constexpr std::size_t most = 32'768;
    Block block{.shape = std::vector<std::size_t>(shape.size(), 1)};
    for (std::size_t d = shape.size(); d-- > 0;) {
      block.cells_each = block.cells_in_all;
      block.cells_in_all *= shape[d];
      block.rows = std::clamp<std::size_t>(
          most / std::max<std::size_t>(block.cells_each * values, 1), 1, shape[d]);
      block.shape[d] = block.rows;
      if (block.rows < shape[d]) {
        break;
      }
    }
    return block;
  }

  std::size_t axes() const { return grid_.shape().size(); }

  // Of a trajectory its whole length; of the rest a block, unless all of it is little.
  std::vector<std::size_t> chunk_of(const NetcdfVariable& variable) const {
    constexpr std::size_t little = 8'192;
    if (variable.dimensions.size() > 1 && variable.dimensions.back() == time_dimension) {
      std::vector<std::size_t> chunk(variable.dimensions.size(), 1);
      chunk.back() = layout_.time.size();
      return chunk;
    }
    if (variable.type == NetcdfType::text ||
        grid_.size() * layout_.arms.size() * replications_ < little) {
      return {};
    }
    std::vector<std::size_t> chunk = block_.shape;
    for (std::size_t d = axes(); d < variable.dimensions.size(); ++d) {
      chunk.push_back(variable.dimensions[d] == arm_dimension ? layout_.arms.size()
                                                              : replications_);
    }
    return chunk;
  }

  void check(const CellOutput& cell) const {
    BASIN_EXPECT(cell.indices.size() == axes());
    BASIN_EXPECT(cell.phases.size() <= replications_);
    BASIN_EXPECT(cell.arms.empty() || cell.arms.size() == layout_.arms.size());
    for (const std::vector<ArmRecord>& records : cell.arms) {
      BASIN_EXPECT(records.size() <= replications_);
    }
  }

  std::vector<std::size_t> place_of(std::size_t cell,
                                    std::initializer_list<std::size_t> more) const {
    std::vector<std::size_t> place = grid_.indices_of(cell);
    place.insert(place.end(), more);
    return place;
  }

  std::size_t number_of(std::size_t series, const char* suffix) const {
    return numbers_.at(std::string{trajectory_table[series].name} + suffix);
  }

  // One value a cell.
  template <typename Value, typename Get>
  void write_each(std::size_t first,
                  std::span<const CellOutput> cells,
                  const std::string& name,
                  const Get& get) {
    std::vector<Value> values;
    values.reserve(cells.size());
    for (const CellOutput& cell : cells) {
      values.push_back(get(cell));
    }
    file_.write_flat(numbers_.at(name), axes(), first, std::span<const Value>{values});
  }

  // A number of the verdict, NaN where there is none.
  template <typename Get>
  void write_number(std::size_t first,
                    std::span<const CellOutput> cells,
                    const std::string& name,
                    const Get& get) {
    write_each<double>(first, cells, name, [&](const CellOutput& cell) {
      return cell.has_verdict ? get(cell.verdict) : nan;
    });
  }

  template <typename Get>
  void write_probability(std::size_t first,
                         std::span<const CellOutput> cells,
                         const std::string& name,
                         const Get& get) {
    write_number(first, cells, name, [&](const CellVerdict& verdict) {
      const std::optional<Probability> p = get(verdict);
      return p ? p->estimate : nan;
    });
    write_number(first, cells, name + "_low", [&](const CellVerdict& verdict) {
      const std::optional<Probability> p = get(verdict);
      return p ? p->interval.low : nan;
    });
    write_number(first, cells, name + "_high", [&](const CellVerdict& verdict) {
      const std::optional<Probability> p = get(verdict);
      return p ? p->interval.high : nan;
    });
  }

  void write_verdicts(std::size_t first, std::span<const CellOutput> cells) {
    write_each<std::int8_t>(first, cells, "phase", [](const CellOutput& cell) {
      return has_phase(cell) ? static_cast<std::int8_t>(cell.verdict.phase)
                             : std::int8_t{-1};
    });
    write_each<std::int8_t>(first, cells, "decided", [](const CellOutput& cell) {
      return static_cast<std::int8_t>(has_phase(cell) && cell.verdict.decided);
    });
    for (std::size_t i = 0; i < phase_count; ++i) {
      write_probability(
          first,
          cells,
          probability_name(static_cast<Phase>(i)),
          [&](const CellVerdict& verdict) { return std::optional{verdict.phases[i]}; });
    }
    write_probability(first, cells, "p_within_rto", [](const CellVerdict& verdict) {
      return verdict.within_rto;
    });
    for (std::size_t q = 0; q < reported_quantiles.size(); ++q) {
      const std::string suffix = quantile_suffixes[q];
      write_number(
          first, cells, "recovery_time" + suffix, [&](const CellVerdict& verdict) {
            return verdict.recovery_time[q];
          });
      write_number(first, cells, "drain_time" + suffix, [&](const CellVerdict& verdict) {
        return verdict.drain_time[q];
      });
    }
    std::vector<std::int8_t> phases(cells.size() * replications_, std::int8_t{-1});
    for (std::size_t k = 0; k < cells.size(); ++k) {
      for (std::size_t r = 0; r < cells[k].phases.size(); ++r) {
        phases[k * replications_ + r] = static_cast<std::int8_t>(cells[k].phases[r]);
      }
    }
    file_.write_flat(numbers_.at("replication_phase"),
                     axes(),
                     first,
                     std::span<const std::int8_t>{phases});
  }

  // One value for each arm and replication, `missing` where the run is not there.
  template <typename Value, typename Get>
  void write_runs(std::size_t first,
                  std::span<const CellOutput> cells,
                  const std::string& name,
                  Value missing,
                  const Get& get) {
    const std::size_t each = layout_.arms.size() * replications_;
    std::vector<Value> values(cells.size() * each, missing);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      for (std::size_t arm = 0; arm < cells[k].arms.size(); ++arm) {
        for (std::size_t r = 0; r < cells[k].arms[arm].size(); ++r) {
          if (cells[k].arms[arm][r].present) {
            values[k * each + arm * replications_ + r] = get(cells[k].arms[arm][r]);
          }
        }
      }
    }
    file_.write_flat(numbers_.at(name), axes(), first, std::span<const Value>{values});
  }

  void write_flag(std::size_t first,
                  std::span<const CellOutput> cells,
                  const std::string& name,
                  const std::function<double(const ArmRecord&)>& get) {
    write_runs(
        first, cells, name, std::int8_t{-1}, [&](const ArmRecord& record) -> std::int8_t {
          const double value = get(record);
          return std::isnan(value) ? std::int8_t{-1} : static_cast<std::int8_t>(value);
        });
  }

  void write_records(std::size_t first, std::span<const CellOutput> cells) {
    write_flag(first, cells, "stuck", [](const ArmRecord& record) {
      return !record.assessment ? nan : record.stuck ? 1.0 : 0.0;
    });
    for (const RecordColumn& column : record_columns()) {
      if (column.is_flag) {
        write_flag(first, cells, column.name, column.get);
      } else {
        write_runs(first, cells, column.name, nan, column.get);
      }
    }
    const auto first_record = [](const CellOutput& cell) -> const ArmRecord* {
      return cell.arms.empty() || cell.arms[0].empty() ? nullptr : &cell.arms[0][0];
    };
    write_each<double>(
        first, cells, "recovery_time_objective", [&](const CellOutput& cell) {
          const ArmRecord* const record = first_record(cell);
          return record == nullptr ? nan : record->recovery_objective;
        });
    write_each<std::int8_t>(first, cells, "without_chance", [&](const CellOutput& cell) {
      const ArmRecord* const record = first_record(cell);
      return static_cast<std::int8_t>(record != nullptr && record->certain);
    });
  }

  OutputLayout layout_;
  Grid grid_;
  std::size_t replications_;
  Block block_;
  NetcdfFile file_;
  std::map<std::string, std::size_t> numbers_;  // of variables, by name
};

SweepFile::SweepFile(const std::string& path, const OutputLayout& layout) {
  BASIN_EXPECT(layout.scenario != nullptr);
  BASIN_EXPECT(!layout.arms.empty() && layout.replications > 0);
  BASIN_EXPECT(layout.trajectories == TrajectoriesToKeep::none || !layout.time.empty());
  impl_ = std::make_unique<Impl>(path, layout);
}

SweepFile::~SweepFile() = default;

void SweepFile::write_cell(const CellOutput& cell) {
  impl_->write_cells(impl_->place_of(cell), {&cell, 1});
  impl_->write_trajectories(cell);
}

std::size_t SweepFile::block_end(std::size_t cell) const {
  return impl_->block_end(cell);
}

void SweepFile::write_cells(std::size_t first, std::span<const CellOutput> cells) {
  impl_->write_cells(first, cells);
}

void SweepFile::write_summary(std::size_t cell,
                              std::size_t arm,
                              std::size_t series,
                              const TrajectorySummary& summary) {
  impl_->write_summary(cell, arm, series, summary);
}

void SweepFile::write_summary_chunk(std::size_t cell,
                                    std::size_t arm,
                                    std::size_t series,
                                    std::size_t statistic,
                                    const RawChunk& chunk) {
  impl_->write_summary_chunk(cell, arm, series, statistic, chunk);
}

void SweepFile::write_trajectory(std::size_t cell,
                                 std::size_t arm,
                                 std::size_t replication,
                                 const Trajectory& trajectory) {
  impl_->write_trajectory(cell, arm, replication, trajectory);
}

void SweepFile::write_trajectory_chunk(std::size_t cell,
                                       std::size_t arm,
                                       std::size_t replication,
                                       std::size_t series,
                                       const RawChunk& chunk) {
  impl_->write_trajectory_chunk(cell, arm, replication, series, chunk);
}

void SweepFile::write_refinement(const RefinedMap& map) {
  impl_->write_refinement(map);
}

void SweepFile::commit() {
  impl_->commit();
}

OutputLayout layout_of(const Scenario& scenario,
                       std::vector<Arm> arms,
                       TrajectoriesToKeep trajectories,
                       std::string command_line) {
  const SystemConfig& system = scenario.system;
  std::vector<double> instants;
  const Duration horizon = longest_horizon(scenario);
  for (Duration at{0}; at <= horizon; at += system.sample_interval) {
    instants.push_back(static_cast<double>(at.count()) / 1e9);
  }
  return {.scenario = &scenario,
          .arms = std::move(arms),
          .replications = scenario.replications,
          .time = std::move(instants),
          .trajectories = trajectories,
          .command_line = std::move(command_line)};
}

std::vector<std::string> dimension_names(const std::vector<Axis>& axes) {
  std::vector<std::string> keys;
  keys.reserve(axes.size());
  for (const Axis& axis : axes) {
    keys.push_back(axis.key);
  }
  return axis_names(keys, names_of_output());
}

std::string scenario_hash(std::string_view values) {
  return "sha1:" + sha1_text(values);
}

}  // namespace basin
