#include "experiments/output_variables.h"

#include "experiments/record_columns.h"

namespace basin {
namespace {

using Names = std::vector<std::string>;

// Value of int8 variables where nothing is known.
constexpr std::int8_t missing = -1;

Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

Names phase_names() {
  Names names;
  for (std::size_t i = 0; i < phase_count; ++i) {
    names.emplace_back(name_of(static_cast<Phase>(i)));
  }
  return names;
}

NetcdfVariable number(const std::string& name,
                      const Names& dimensions,
                      const std::string& long_name,
                      const std::string& unit,
                      const std::string& comment = {}) {
  return {.name = name,
          .type = NetcdfType::float64,
          .dimensions = dimensions,
          .long_name = long_name,
          .unit = unit,
          .comment = comment};
}

NetcdfVariable flag(const std::string& name,
                    const Names& dimensions,
                    const std::string& long_name,
                    const Names& meanings) {
  return {.name = name,
          .type = NetcdfType::int8,
          .dimensions = dimensions,
          .long_name = long_name,
          .unit = "1",
          .missing = missing,
          .meanings = meanings};
}

NetcdfVariable trajectory(const std::string& name,
                          const Names& dimensions,
                          const std::string& long_name,
                          const std::string& unit,
                          const std::string& comment) {
  NetcdfVariable variable = number(name, dimensions, long_name, unit, comment);
  variable.type = NetcdfType::float32;
  return variable;
}

void add_verdict(const Names& cell, std::vector<NetcdfVariable>& variables) {
  variables.push_back(flag("phase", cell, "phase of most replications", phase_names()));
  variables.push_back(
      {.name = "decided",
       .type = NetcdfType::int8,
       .dimensions = cell,
       .long_name = "interval of the phase's probability lies above one half",
       .is_bool = true});
  const auto add_probability = [&](const std::string& name, const std::string& meaning) {
    variables.push_back(number(name, cell, "probability of " + meaning, "1"));
    for (const char* end : {"low", "high"}) {
      variables.push_back(number(
          name + "_" + end,
          cell,
          "probability of " + meaning + ", " + end + " end of the 95% Jeffreys interval",
          "1"));
    }
  };
  for (std::size_t i = 0; i < phase_count; ++i) {
    const auto phase = static_cast<Phase>(i);
    add_probability(probability_name(phase), "the phase " + std::string(name_of(phase)));
  }
  add_probability("p_within_rto", "recovery within the recovery time objective");

  for (const auto& [name, what] : {std::pair{"recovery_time", "recovery time"},
                                   std::pair{"drain_time", "drain time"}}) {
    for (std::size_t q = 0; q < reported_quantiles.size(); ++q) {
      const std::string suffix = quantile_suffixes[q];
      variables.push_back(number(
          name + suffix,
          cell,
          std::string(what) + ", " + suffix.substr(2) + "th percentile over replications",
          "s",
          "infinite if not reached by the horizon"));
    }
  }
}

void add_replications(const Names& cell, std::vector<NetcdfVariable>& variables) {
  variables.push_back(flag("replication_phase",
                           cell + Names{replication_dimension},
                           "phase of the replication",
                           phase_names()));
  const Names each = cell + Names{arm_dimension, replication_dimension};
  variables.push_back(
      flag("stuck", each, "unhealthy at the end and not draining", {"no", "yes"}));
  for (const RecordColumn& column : record_columns()) {
    variables.push_back(
        column.is_flag
            ? flag(column.name, each, column.long_name, {"no", "yes"})
            : number(column.name, each, column.long_name, column.unit, column.comment));
  }
}

void add_trajectories(const Names& cell,
                      TrajectoriesToKeep keep,
                      std::vector<NetcdfVariable>& variables) {
  if (keep == TrajectoriesToKeep::none) {
    return;
  }
  for (const TrajectoryInfo& info : trajectory_table) {
    const std::string name{info.name};
    const std::string doc{info.doc};
    const std::string unit{info.unit};
    const Names dimensions = cell + Names{arm_dimension, time_dimension};
    const std::string truncation =
        "NaN once a replication was stopped by the memory limit";
    variables.push_back(trajectory(
        name + "_mean", dimensions, doc + ", mean over replications", unit, truncation));
    for (const auto& [suffix, share] : {std::pair{"10", "10%"}, std::pair{"90", "90%"}}) {
      variables.push_back(
          trajectory(name + "_p" + suffix,
                     dimensions,
                     doc + ", " + suffix + "th percentile over replications",
                     unit,
                     std::string("smallest value with at least ") + share +
                         " of the replications at or below it; " + truncation));
    }
    if (keep == TrajectoriesToKeep::all) {
      variables.push_back(
          trajectory(name,
                     cell + Names{arm_dimension, replication_dimension, time_dimension},
                     doc,
                     unit,
                     "NaN after the memory limit has stopped the run"));
    }
  }
}

}  // namespace

std::string probability_name(Phase phase) {
  return "p_" + std::string(name_of(phase));
}

std::vector<NetcdfVariable> output_variables(std::span<const std::string> axes,
                                             TrajectoriesToKeep trajectories) {
  const Names cell(axes.begin(), axes.end());
  std::vector<NetcdfVariable> variables;
  variables.push_back(
      {.name = "status",
       .type = NetcdfType::int8,
       .dimensions = cell,
       .long_name = "what became of the cell",
       .unit = "1",
       .meanings = {"missing", "done", "failed", "excluded", "inferred"}});
  variables.push_back({.name = "message",
                       .type = NetcdfType::text,
                       .dimensions = cell,
                       .long_name = "why the cell failed"});
  add_verdict(cell, variables);
  variables.push_back(number("recovery_time_objective",
                             cell,
                             "objective.recovery_time",
                             "s",
                             "NaN without one"));
  variables.push_back({.name = "without_chance",
                       .type = NetcdfType::int8,
                       .dimensions = cell,
                       .long_name = "run by the fluid limit",
                       .is_bool = true});
  add_replications(cell, variables);
  add_trajectories(cell, trajectories, variables);
  return variables;
}

}  // namespace basin
