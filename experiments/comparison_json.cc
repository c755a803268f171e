#include "engine/time.h"
#include "experiments/build_info.h"
#include "experiments/comparison_report.h"
#include "experiments/json_parts.h"

namespace basin {

namespace {

Json side_json(const ComparedSide& side, const std::string& name) {
  const Scenario& scenario = *side.scenario;
  Json json = {
      {"name", name},
      {"scenario", scenario.name},
      {"description", scenario.description},
      {"horizon", to_seconds(scenario.system.horizon)},
      {"warmup", to_seconds(scenario.system.warmup)},
      {"arms", Json::array()},
      {"status", side.result->output.status == CellStatus::done ? "done" : "failed"},
      {"message", side.result->output.message}};
  for (const Arm arm : *side.arms) {
    json["arms"].push_back(name_of(arm));
  }
  json["objective"] =
      scenario.objective ? objective_json(*scenario.objective) : Json(nullptr);
  json["verdict"] = verdict_json(scenario, side.result->output);
  if (!scenario.document.resolved_json.empty()) {
    json["resolved"] = Json::parse(scenario.document.resolved_json, nullptr, false);
  }
  return json;
}

Json differences_json(const ComparedArms& arms) {
  Json json = Json::object();
  for (std::size_t k = 0; k < metric_table.size(); ++k) {
    const PairedDifference& difference = arms.metrics[k];
    json[std::string{metric_table[k].name}] = {
        {"a", estimate_json(difference.first)},
        {"b", estimate_json(difference.second)},
        {"difference", estimate_json(difference.difference)},
        {"reason",
         difference.is_defined ? Json(nullptr) : Json(why_undefined(difference))},
        {"pairs", difference.pairs},
        {"infinite_a", difference.infinite_first},
        {"infinite_b", difference.infinite_second},
        {"missing", difference.missing},
        {"excludes_zero", difference.excludes_zero},
        {"identical", difference.is_identical},
        {"variance_reduction", difference.variance_reduction},
        {"unit", metric_table[k].unit}};
  }
  return json;
}

Json outcomes_json(const std::optional<PairedOutcomes>& outcomes) {
  if (!outcomes) {
    return nullptr;
  }
  return {{"both", outcomes->both},
          {"a_alone", outcomes->first_alone},
          {"b_alone", outcomes->second_alone},
          {"neither", outcomes->neither},
          {"difference",
           {{"estimate", outcomes->difference},
            {"low", outcomes->interval.low},
            {"high", outcomes->interval.high}}},
          {"sign_test_p", outcomes->p_value}};
}

Json conditional_json(const ConditionalDifference& difference) {
  Json json = estimate_json(difference.difference);
  json["pairs"] = difference.pairs;
  return json;
}

}  // namespace

std::string comparison_json(const ComparisonReport& report) {
  const Scenario& a = *report.a.scenario;
  Json json = {
      {"verb", "compare"},
      {"version", build_info().version},
      {"semantics_version", semantics_version},
      {"seed", a.seed},
      {"replications", a.replications},
      {"common_random_numbers", true},
      {"notes", report.notes},
      {"a", side_json(report.a, report.name_of_a)},
      {"b", side_json(report.b, report.name_of_b)},
      {"changes", Json::array()},
      {"recovered", outcomes_json(report.comparison.recovered)},
      {"within_rto", outcomes_json(report.comparison.within_rto)},
      {"recovery_time_difference", conditional_json(report.comparison.recovery_time)},
      {"drain_time_difference", conditional_json(report.comparison.drain_time)},
      {"differences", Json::object()}};
  for (const ChangedValue& change : changed_values(a, *report.b.scenario)) {
    json["changes"].push_back({{"key", change.key},
                               {"a", change.a.empty() ? Json(nullptr) : Json(change.a)},
                               {"b", change.b.empty() ? Json(nullptr) : Json(change.b)}});
  }
  for (const ComparedArms& arms : report.comparison.arms) {
    const std::string name =
        arms.of_a == arms.of_b
            ? std::string{name_of(arms.of_a)}
            : std::string{name_of(arms.of_a)} + "_and_" + std::string{name_of(arms.of_b)};
    json["differences"][name] = differences_json(arms);
  }
  return dumped(json);
}

}  // namespace basin
