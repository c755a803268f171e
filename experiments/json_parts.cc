#include "experiments/json_parts.h"

#include "engine/time.h"

namespace basin {

namespace {

Json quantiles_json(const std::array<double, 3>& quantiles) {
  return {{"p10", quantiles[0]}, {"p50", quantiles[1]}, {"p90", quantiles[2]}};
}

}  // namespace

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json probability_json(const Probability& probability) {
  return {{"count", probability.count},
          {"estimate", probability.estimate},
          {"low", probability.interval.low},
          {"high", probability.interval.high}};
}

Json estimate_json(const MeanEstimate& estimate) {
  return {{"mean", estimate.mean}, {"low", estimate.low}, {"high", estimate.high}};
}

Json objective_json(const Objective& objective) {
  Json json = {{"goodput", objective.goodput},
               {"window", objective.window},
               {"min_requests", objective.min_requests},
               {"hold", objective.hold},
               {"tail", objective.tail},
               {"recovery_time", nullptr}};
  if (objective.recovery_time) {
    json["recovery_time"] = *objective.recovery_time;
  }
  return json;
}

Json verdict_json(const Scenario& scenario, const CellOutput& output) {
  if (!output.has_verdict) {
    return nullptr;
  }
  const CellVerdict& verdict = output.verdict;
  const std::vector<ArmRecord>& judged = output.arms[output.arms.size() > 1 ? 1 : 0];
  Json json = {{"phase", name_of(verdict.phase)}, {"decided", verdict.decided}};
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    json["probabilities"][std::string{name_of(static_cast<Phase>(phase))}] =
        probability_json(verdict.phases[phase]);
  }
  json["recovery_time"] = quantiles_json(verdict.recovery_time);
  json["recovery_time"]["replications"] = over_replications(
      judged, [](const ArmRecord& record) { return record.recovery_time; });
  json["drain_time"] = quantiles_json(verdict.drain_time);
  json["drain_time"]["replications"] = over_replications(
      judged, [](const ArmRecord& record) { return record.drain_time; });
  json["within_rto"] =
      verdict.within_rto ? probability_json(*verdict.within_rto) : Json(nullptr);
  json["horizon"] = to_seconds(scenario.system.horizon);
  json["replications"] = Json::array();
  for (const Phase phase : output.phases) {
    json["replications"].push_back(name_of(phase));
  }
  std::int64_t truncated = 0;
  for (const std::vector<ArmRecord>& records : output.arms) {
    for (const ArmRecord& record : records) {
      truncated += record.truncated ? 1 : 0;
    }
  }
  json["truncated_runs"] = truncated;
  return json;
}

}  // namespace basin
