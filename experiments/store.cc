#include "experiments/store.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <numeric>

#include <boost/uuid/detail/sha1.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include "engine/contract.h"
#include "engine/time.h"
#include "experiments/axis_names.h"
#include "experiments/build_info.h"
#include "experiments/output_variables.h"
#include "experiments/scenario_values.h"
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
  std::iota(replications.begin(), replications.end(), 0);
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
        replications_{static_cast<std::size_t>(layout.replications)},
        file_{path} {
    const std::vector<std::string> names = dimension_names(layout.scenario->axes);
    add_attributes(file_, layout);
    add_coordinates(file_, layout, names);
    for (const NetcdfVariable& variable : output_variables(names, layout.trajectories)) {
      numbers_[variable.name] = file_.add_variable(variable);
    }
  }

  void write_cell(const CellOutput& cell) {
    check(cell);
    write_one(cell, "status", static_cast<std::int8_t>(cell.status));
    if (!cell.message.empty()) {
      write_one(cell, "message", cell.message);
    }
    if (cell.has_verdict) {
      write_verdict(cell);
    }
    if (cell.arms.empty()) {
      return;
    }
    write_records(cell);
    if (layout_.trajectories != TrajectoriesToKeep::none) {
      for (std::size_t arm = 0; arm < layout_.arms.size(); ++arm) {
        write_trajectories(cell, arm);
      }
    }
  }

  void commit() { file_.commit(); }

 private:
  void check(const CellOutput& cell) const {
    const std::vector<Axis>& axes = layout_.scenario->axes;
    BASIN_EXPECT(cell.indices.size() == axes.size());
    BASIN_EXPECT(cell.phases.size() <= replications_);
    BASIN_EXPECT(cell.arms.empty() || cell.arms.size() == layout_.arms.size());
    for (const std::vector<ArmRecord>& records : cell.arms) {
      BASIN_EXPECT(records.size() <= replications_);
    }
  }

  template <typename Value>
  void write_one(const CellOutput& cell, const std::string& name, const Value& value) {
    write(cell.indices, name, std::span<const Value>{&value, 1});
  }

  template <typename Value>
  void write(std::span<const std::size_t> leading_indices,
             const std::string& name,
             std::span<const Value> values) {
    file_.write(numbers_.at(name), leading_indices, values);
  }

  void write_probability(const CellOutput& cell,
                         const std::string& name,
                         const Probability& probability) {
    write_one(cell, name, probability.estimate);
    write_one(cell, name + "_low", probability.interval.low);
    write_one(cell, name + "_high", probability.interval.high);
  }

  void write_verdict(const CellOutput& cell) {
    const CellVerdict& verdict = cell.verdict;
    write_one(cell, "phase", static_cast<std::int8_t>(verdict.phase));
    write_one(cell, "decided", static_cast<std::int8_t>(verdict.decided));
    for (std::size_t i = 0; i < phase_count; ++i) {
      write_probability(cell, probability_name(static_cast<Phase>(i)), verdict.phases[i]);
    }
    if (verdict.within_rto) {
      write_probability(cell, "p_within_rto", *verdict.within_rto);
    }
    for (std::size_t q = 0; q < reported_quantiles.size(); ++q) {
      const std::string suffix = quantile_suffixes[q];
      write_one(cell, "recovery_time" + suffix, verdict.recovery_time[q]);
      write_one(cell, "drain_time" + suffix, verdict.drain_time[q]);
    }
    std::vector<std::int8_t> phases(replications_, std::int8_t{-1});
    std::ranges::transform(cell.phases, phases.begin(), [](Phase phase) {
      return static_cast<std::int8_t>(phase);
    });
    write(cell.indices, "replication_phase", std::span<const std::int8_t>{phases});
  }

  // One value for each arm and replication, `missing` where the run is not there.
  template <typename Value, typename Get>
  void write_each(const CellOutput& cell,
                  const std::string& name,
                  Value missing,
                  Get get) {
    std::vector<Value> values(layout_.arms.size() * replications_, missing);
    for (std::size_t arm = 0; arm < cell.arms.size(); ++arm) {
      for (std::size_t r = 0; r < cell.arms[arm].size(); ++r) {
        if (cell.arms[arm][r].present) {
          values[arm * replications_ + r] = get(cell.arms[arm][r]);
        }
      }
    }
    write(cell.indices, name, std::span<const Value>{values});
  }

  void write_records(const CellOutput& cell) {
    // Without an objective nobody has judged the runs.
    if (layout_.scenario->objective) {
      write_each(cell, "stuck", std::int8_t{-1}, [](const ArmRecord& record) {
        return static_cast<std::int8_t>(record.stuck);
      });
      write_each(cell, "recovery_time", nan, [](const ArmRecord& record) {
        return record.recovery_time;
      });
    }
    write_each(cell, "truncated", std::int8_t{-1}, [](const ArmRecord& record) {
      return static_cast<std::int8_t>(record.truncated);
    });
    write_each(cell, "drain_time", nan, [](const ArmRecord& record) {
      return record.drain_time;
    });
    for (const MetricInfo& metric : metric_table) {
      write_each(cell, metric_variable_name(metric), nan, [&](const ArmRecord& record) {
        return record.metrics.*metric.member;
      });
    }
  }

  void write_trajectories(const CellOutput& cell, std::size_t arm) {
    const std::size_t length = layout_.time.size();
    std::vector<std::size_t> place = cell.indices;
    place.push_back(arm);
    const bool any_present =
        std::ranges::any_of(cell.arms[arm], [](const ArmRecord& r) { return r.present; });
    if (!any_present) {
      return;
    }
    for (const TrajectoryInfo& info : trajectory_table) {
      const std::string name{info.name};
      std::vector<std::span<const float>> trajectories;
      for (std::size_t r = 0; r < cell.arms[arm].size(); ++r) {
        const ArmRecord& record = cell.arms[arm][r];
        if (!record.present) {
          continue;
        }
        const std::vector<float>& values = record.trajectory.*info.member;
        BASIN_EXPECT(values.size() <= length);
        trajectories.emplace_back(values);
        if (layout_.trajectories == TrajectoriesToKeep::all) {
          std::vector<float> padded = values;
          padded.resize(length, std::numeric_limits<float>::quiet_NaN());
          place.push_back(r);
          write(place, name, std::span<const float>{padded});
          place.pop_back();
        }
      }
      const TrajectorySummary summary = summarize_trajectories(trajectories, length);
      write(place, name + "_mean", std::span<const float>{summary.mean});
      write(place, name + "_p10", std::span<const float>{summary.p10});
      write(place, name + "_p90", std::span<const float>{summary.p90});
    }
  }

  OutputLayout layout_;
  std::size_t replications_;
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
  impl_->write_cell(cell);
}

void SweepFile::commit() {
  impl_->commit();
}

std::vector<std::string> dimension_names(const std::vector<Axis>& axes) {
  std::vector<std::string> taken{arm_dimension, replication_dimension, time_dimension};
  for (const NetcdfVariable& variable : output_variables({}, TrajectoriesToKeep::all)) {
    taken.push_back(variable.name);
  }
  // JSON and people call a metric by its plain name, so an axis leaves that alone too.
  for (const MetricInfo& metric : metric_table) {
    taken.emplace_back(metric.name);
  }
  std::vector<std::string> keys;
  keys.reserve(axes.size());
  for (const Axis& axis : axes) {
    keys.push_back(axis.key);
  }
  return axis_names(keys, taken);
}

std::string metric_variable_name(const MetricInfo& metric) {
  const bool is_trajectory = std::ranges::any_of(
      trajectory_table,
      [&](const TrajectoryInfo& trajectory) { return trajectory.name == metric.name; });
  return (is_trajectory ? "mean_" : "") + std::string(metric.name);
}

std::string scenario_hash(std::string_view values) {
  boost::uuids::detail::sha1 sha1;
  sha1.process_bytes(values.data(), values.size());
  boost::uuids::detail::sha1::digest_type digest;
  sha1.get_digest(digest);
  std::string result = "sha1:";
  for (const unsigned word : digest) {
    result += fmt::format("{:08x}", word);
  }
  return result;
}

}  // namespace basin
