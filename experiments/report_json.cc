#include "experiments/report_json.h"

#include <cmath>
#include <functional>
#include <limits>

#include "analysis/intervals.h"
#include "engine/time.h"
#include "experiments/build_info.h"
#include "experiments/grid.h"
#include "experiments/json_parts.h"
#include "experiments/sensitivity_report.h"

namespace basin {

namespace {

Json metrics_json(const std::vector<ArmRecord>& records,
                  const std::optional<SingleRun>& single) {
  Json metrics = Json::object();
  for (const MetricInfo& info : metric_table) {
    const std::vector<double> values = metric_values(records, info.member);
    const MeanEstimate estimate = estimate_of(records, info.member, single);
    Json& metric = metrics[std::string{info.name}] = estimate_json(estimate);
    metric["method"] = !std::isfinite(estimate.low) ? Json(nullptr)
                       : values.size() > 1          ? Json("replications")
                                                    : Json("batch_means");
    metric["replications"] = values;
  }
  return metrics;
}

// What interventions cost, over the replications of an arm.
Json interventions_json(const std::vector<ArmRecord>& records) {
  Json json = Json::object();
  const auto add = [&](const char* name, std::int64_t InterventionCounts::*count) {
    const std::vector<double> values =
        over_replications(records, [&](const ArmRecord& record) {
          return static_cast<double>(record.interventions.*count);
        });
    json[name] = {{"mean", mean_estimate(values).mean}, {"replications", values}};
  };
  add("shed", &InterventionCounts::shed);
  add("purged", &InterventionCounts::purged);
  add("expired", &InterventionCounts::expired);
  add("retries_cancelled", &InterventionCounts::retries_cancelled);
  return json;
}

Json explanation_json(const std::optional<Explanation>& explanation) {
  if (!explanation) {
    return nullptr;
  }
  return {{"amplified", probability_json(explanation->amplified)},
          {"no_surplus", probability_json(explanation->no_surplus)}};
}

Json warmup_json(const WarmupReport& warmup) {
  return {{"declared", warmup.declared},
          {"mser5", warmup.mser5 ? Json(*warmup.mser5) : Json(nullptr)},
          {"enough", warmup.enough ? Json(*warmup.enough) : Json(nullptr)},
          {"bias", warmup.enough ? Json(warmup.bias) : Json(nullptr)},
          {"reason", warmup.mser5 ? Json(nullptr) : Json(warmup.why_none)}};
}

Json single_json(const SingleRun& single) {
  const bool is_known = single.mean_depth.has_value();
  return {{"batches", is_known ? Json(single.batches) : Json(nullptr)},
          {"lag_one", is_known ? Json(single.lag_one) : Json(nullptr)},
          {"reason", is_known ? Json(nullptr) : Json(single.why_none)}};
}

Json precision_json(const PrecisionReport& precision) {
  Json json = {{"relative", precision.relative},
               {"reached", precision.reached},
               {"looks", precision.looks},
               {"planned_looks", precision.planned},
               {"level", precision.level},
               {"level_of_look", precision.level_of_look},
               {"targets", Json::array()}};
  for (const PrecisionReport::Target& target : precision.targets) {
    Json one = {{"arm", target.arm},
                {"metric", target.metric},
                {"mean", target.estimate.mean},
                {"low", target.estimate.low},
                {"high", target.estimate.high},
                {"relative_half_width", target.relative_half_width},
                {"reached", target.reached},
                {"reason", target.reached ? Json(nullptr) : Json(target.why_not)}};
    json["targets"].push_back(std::move(one));
  }
  return json;
}

Json heading(const char* verb, const Scenario& scenario, const std::vector<Arm>& arms) {
  Json json = {{"verb", verb},
               {"version", build_info().version},
               {"semantics_version", semantics_version},
               {"scenario", scenario.name},
               {"description", scenario.description},
               {"seed", scenario.seed},
               {"replications", scenario.replications},
               {"common_random_numbers", scenario.common_random_numbers},
               {"horizon", to_seconds(scenario.system.horizon)},
               {"warmup", to_seconds(scenario.system.warmup)},
               {"arms", Json::array()}};
  for (const Arm arm : arms) {
    json["arms"].push_back(name_of(arm));
  }
  json["objective"] =
      scenario.objective ? objective_json(*scenario.objective) : Json(nullptr);
  return json;
}

std::string_view name_of_status(CellStatus status) {
  switch (status) {
    case CellStatus::missing:
      return "missing";
    case CellStatus::done:
      return "done";
    case CellStatus::failed:
      return "failed";
    case CellStatus::excluded:
      return "excluded";
    case CellStatus::inferred:
      return "inferred";
  }
  return "?";
}

// Nested arrays of a value of each cell, one level an axis.
Json map_json(const Grid& grid,
              const std::function<Json(std::size_t)>& value,
              std::size_t axis = 0,
              std::size_t first = 0) {
  if (axis == grid.shape().size()) {
    return value(first);
  }
  std::size_t stride = 1;
  for (std::size_t k = axis + 1; k < grid.shape().size(); ++k) {
    stride *= grid.shape()[k];
  }
  Json array = Json::array();
  for (std::size_t k = 0; k < grid.shape()[axis]; ++k) {
    array.push_back(map_json(grid, value, axis + 1, first + k * stride));
  }
  return array;
}

// A map of what the verdict says; null where there is none.
template <class Value>
Json verdict_map(const Grid& grid,
                 const std::vector<CellSummary>& cells,
                 const Value& value) {
  return map_json(grid, [&](std::size_t cell) -> Json {
    return cells[cell].has_verdict ? Json(value(cells[cell].verdict)) : Json(nullptr);
  });
}

// Of an Axis or an AxisKey. A word such as none is infinite in SI units, and null here.
template <typename Values>
Json axis_json(const Values& axis) {
  return {{"key", axis.key},
          {"unit", axis.unit},
          {"values", axis.values},
          {"si_values", axis.si_values}};
}

Json refinement_json(const Grid& grid, const RefinedMap& map) {
  Json json = {{"runs", map.runs},
               {"runs_of_full_grid", map.runs_of_full_grid},
               {"boundary", Json::array()}};
  json["level"] = map_json(grid, [&](std::size_t cell) { return Json(map.level[cell]); });
  json["replications"] =
      map_json(grid, [&](std::size_t cell) { return Json(map.replications[cell]); });
  for (const BoundaryPoint& point : map.boundary) {
    json["boundary"].push_back({{"line", point.line},
                                {"first", point.x},
                                {"second", point.y},
                                {"along_first", point.along_first},
                                {"low", point.low},
                                {"high", point.high}});
  }
  return json;
}

Json axes_json(const std::vector<Axis>& axes) {
  Json json = Json::array();
  for (const Axis& axis : axes) {
    json.push_back(axis_json(axis));
    for (const AxisKey& key : axis.with) {
      json.back()["with"].push_back(axis_json(key));
    }
  }
  return json;
}

}  // namespace

CellSummary summary_of(const CellResult& result) {
  CellSummary summary{.status = result.output.status,
                      .message = result.output.message,
                      .has_verdict = result.output.has_verdict,
                      .verdict = result.output.verdict,
                      .explanation = result.explanation,
                      .goodput_ratio = {}};
  for (const std::vector<ArmRecord>& records : result.output.arms) {
    summary.goodput_ratio.push_back(
        mean_estimate(metric_values(records, &Metrics::goodput_ratio)).mean);
  }
  return summary;
}

std::vector<double> recovery_of(const std::vector<CellSummary>& cells) {
  std::vector<double> recovery;
  recovery.reserve(cells.size());
  for (const CellSummary& cell : cells) {
    recovery.push_back(
        cell.has_verdict
            ? cell.verdict.phases[static_cast<std::size_t>(Phase::stable)].estimate
            : std::numeric_limits<double>::quiet_NaN());
  }
  return recovery;
}

double variance_reduction(const CellOutput& output, double Metrics::*metric) {
  if (output.arms.size() < 2) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return variance_reduction_factor(metric_values(output.arms[0], metric),
                                   metric_values(output.arms[1], metric));
}

std::string run_json(const Scenario& scenario,
                     const std::vector<Arm>& arms,
                     const CellResult& result,
                     const RunStatistics& statistics) {
  const CellOutput& output = result.output;
  Json json = heading("run", scenario, arms);
  json["status"] = name_of_status(output.status);
  json["message"] = output.message;
  json["verdict"] = verdict_json(scenario, output);
  json["explanation"] = explanation_json(result.explanation);
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    json["metrics"][std::string{name_of(arms[arm])}] = metrics_json(
        output.arms[arm], arms[arm] == Arm::control ? statistics.single : std::nullopt);
  }
  json["interventions"] = scenario.system.interventions.empty()
                              ? Json(nullptr)
                              : interventions_json(output.arms[1]);
  if (statistics.warmup) {
    json["warmup"] = warmup_json(*statistics.warmup);
  }
  json["batch_means"] =
      statistics.single ? single_json(*statistics.single) : Json(nullptr);
  json["precision"] =
      statistics.precision ? precision_json(*statistics.precision) : Json(nullptr);
  // Of the difference triggered - control.
  json["variance_reduction"] = nullptr;
  if (arms.size() > 1) {
    json["variance_reduction"] = {
        {"goodput_ratio", variance_reduction(output, &Metrics::goodput_ratio)},
        {"throughput", variance_reduction(output, &Metrics::throughput)},
        {"mean_depth", variance_reduction(output, &Metrics::mean_depth)}};
  }
  if (!scenario.document.resolved_json.empty()) {
    json["resolved"] = Json::parse(scenario.document.resolved_json, nullptr, false);
  }
  return dumped(json);
}

std::string sweep_json(const Scenario& scenario,
                       const std::vector<Arm>& arms,
                       const std::vector<CellSummary>& cells,
                       const std::string& output,
                       const RefinedMap* refined) {
  const Grid grid{scenario.axes};
  Json json = heading("sweep", scenario, arms);
  json["output"] = output;
  json["axes"] = axes_json(scenario.axes);
  json["status"] = map_json(
      grid, [&](std::size_t cell) { return Json(name_of_status(cells[cell].status)); });
  const auto has_phase = [&](std::size_t cell) {
    return cells[cell].has_verdict || cells[cell].status == CellStatus::inferred;
  };
  json["phase"] = map_json(grid, [&](std::size_t cell) {
    return has_phase(cell) ? Json(name_of(cells[cell].verdict.phase)) : Json(nullptr);
  });
  json["decided"] = map_json(grid, [&](std::size_t cell) {
    return has_phase(cell) ? Json(cells[cell].verdict.decided) : Json(nullptr);
  });
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    const std::string name = "p_" + std::string{name_of(static_cast<Phase>(phase))};
    json[name] = verdict_map(grid, cells, [&](const CellVerdict& verdict) {
      return verdict.phases[phase].estimate;
    });
    json[name + "_low"] = verdict_map(grid, cells, [&](const CellVerdict& verdict) {
      return verdict.phases[phase].interval.low;
    });
    json[name + "_high"] = verdict_map(grid, cells, [&](const CellVerdict& verdict) {
      return verdict.phases[phase].interval.high;
    });
  }
  json["p_within_rto"] = verdict_map(grid, cells, [](const CellVerdict& verdict) {
    return verdict.within_rto ? Json(verdict.within_rto->estimate) : Json(nullptr);
  });
  for (std::size_t q = 0; q < reported_quantiles.size(); ++q) {
    const char* const suffixes[] = {"_p10", "_p50", "_p90"};
    json[std::string{"recovery_time"} + suffixes[q]] =
        verdict_map(grid, cells, [&](const CellVerdict& verdict) {
          return verdict.recovery_time[q];
        });
    json[std::string{"drain_time"} + suffixes[q]] = verdict_map(
        grid, cells, [&](const CellVerdict& verdict) { return verdict.drain_time[q]; });
  }
  if (scenario.objective && has_points(scenario.axes)) {
    json["sensitivity"] =
        Json::parse(sensitivity_json(sensitivity_of(scenario, recovery_of(cells))));
  }
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    json["goodput_ratio"][std::string{name_of(arms[arm])}] =
        map_json(grid, [&](std::size_t cell) -> Json {
          return arm < cells[cell].goodput_ratio.size()
                     ? Json(cells[cell].goodput_ratio[arm])
                     : Json(nullptr);
        });
  }
  json["p_amplified"] = map_json(grid, [&](std::size_t cell) -> Json {
    return cells[cell].explanation ? Json(cells[cell].explanation->amplified.estimate)
                                   : Json(nullptr);
  });
  if (refined != nullptr) {
    json["refinement"] = refinement_json(grid, *refined);
  }
  json["failures"] = Json::array();
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell].status == CellStatus::failed) {
      json["failures"].push_back(
          {{"indices", grid.indices_of(cell)},
           {"values", describe_cell(scenario.axes, grid.indices_of(cell))},
           {"message", cells[cell].message}});
    }
  }
  return dumped(json);
}

}  // namespace basin
