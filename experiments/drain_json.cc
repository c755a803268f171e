#include <cmath>

#include <nlohmann/json.hpp>

#include "experiments/drain_report.h"

namespace basin {

namespace {

using Json = nlohmann::ordered_json;

Json given(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

// Puts answers in place and keeps the reasons of those that are infinite.
class Object {
 public:
  explicit Object(Json& reasons, std::string path = {})
      : reasons_{reasons}, path_{std::move(path)} {}

  Object& set(const char* name, Json value) {
    json_[name] = std::move(value);
    return *this;
  }
  Object& set(const char* name, const Answer& answer) {
    json_[name] = answer.is_finite() ? Json(answer.value) : Json();
    if (!answer.is_finite()) {
      reasons_[path_ + name] = answer.why_infinite;
    }
    return *this;
  }
  Object& set(const char* name, const std::optional<Answer>& answer) {
    return answer ? set(name, *answer) : set(name, Json());
  }
  Json take() { return std::move(json_); }

 private:
  Json& reasons_;
  std::string path_;
  Json json_ = Json::object();
};

Json shortfall(const std::optional<Answer>& needed, double there) {
  return needed && needed->is_finite() ? Json(std::max(0.0, needed->value - there))
                                       : Json();
}

Json bump_json(const DrainProblem& problem, const DrainAnswers& answers, Json& reasons) {
  const Bump& bump = answers.bump;
  Object json(reasons, "bump.");
  json.set("fraction", Json(problem.bump))
      .set("arrival_rate", Json(bump.flow.arrival_rate))
      .set("utilization", bump.utilization)
      .set("surplus", Json(bump.surplus))
      .set("surplus_change", bump.surplus_change)
      .set("drain_time", problem.backlog ? std::optional{bump.drain_time} : std::nullopt)
      .set("fraction_without_surplus", given(answers.bump_to_zero));
  return json.take();
}

Json shedding_json(const std::optional<Shedding>& shedding) {
  if (!shedding) {
    return {};
  }
  return {{"shed", shedding->shed},
          {"drains_within", shedding->drains_within},
          {"excess", shedding->excess},
          {"depth_bound", shedding->depth_bound}};
}

Json order_json(const std::optional<Order>& order,
                const std::string& path,
                Json& reasons) {
  if (!order) {
    return {};
  }
  Object json(reasons, path + ".");
  json.set("backlog_then", Json(order->backlog_then))
      .set("needed_from_arrival", order->needed_from_arrival)
      .set("more_from_arrival", order->more_from_arrival)
      .set("needed_from_now", order->needed_from_now)
      .set("more_from_now", order->more_from_now);
  return json.take();
}

// Sets the members of a plan; their paths begin with `path`.
void set_plan(const DrainProblem& problem,
              const DrainPlan& plan,
              const std::string& path,
              Json& reasons,
              Object& json) {
  json.set("headroom", plan.consumers_to_recover)
      .set("consumers_missing",
           shortfall(plan.consumers_to_recover, problem.flow.consumers))
      .set("longest_incident", plan.longest_incident)
      .set("shedding", shedding_json(plan.shedding))
      .set("order_incident_over",
           order_json(plan.order_if_over, path + "order_incident_over", reasons))
      .set("order_incident_lasts",
           order_json(plan.order_if_it_lasts, path + "order_incident_lasts", reasons));
}

Json retries_json(const DrainProblem& problem,
                  const DrainAnswers& answers,
                  Json& reasons) {
  if (!answers.retries) {
    return {};
  }
  const RetryOutlook& outlook = *answers.retries;
  Object json(reasons, "retries.");
  json.set("retries_per_timeout", given(problem.retries_per_timeout))
      .set("timeout", given(problem.timeout))
      .set("drains", Json(outlook.steps_to_drain.is_finite()))
      .set("drain_time", outlook.steps_to_drain)
      .set("critical_retries", outlook.critical_retries)
      .set("critical_retries_at_any_depth", outlook.critical_retries_at_any_depth)
      .set("critical_depth", outlook.critical_depth)
      .set("saturated_arrival_rate", Json(outlook.saturated_arrival_rate))
      .set("saturated_growth", Json(outlook.saturated_growth))
      .set("steps", Json(problem.steps))
      .set("depth_before_last_step", Json(outlook.depth_before_last))
      .set("final_depth", Json(outlook.final_depth))
      .set("peak_depth", Json(outlook.peak_depth))
      .set("bump_drain_time", answers.plan_with_retries->drain_time_after_bump);
  set_plan(problem, *answers.plan_with_retries, "retries.", reasons, json);
  return json.take();
}

Json missing_of(const DrainProblem& problem) {
  Json missing = Json::array();
  const auto check = [&](bool there, const char* flag) {
    if (!there) {
      missing.push_back(flag);
    }
  };
  check(problem.backlog.has_value(), "backlog");
  check(problem.recovery_time.has_value(), "rto");
  check(problem.wait_objective.has_value(), "sla");
  check(problem.time_to_live.has_value(), "ttl");
  check(problem.provisioning_lag.has_value(), "provisioning-lag");
  check(problem.retries_per_timeout.has_value(), "retries-per-timeout");
  check(problem.timeout.has_value(), "timeout");
  return missing;
}

}  // namespace

std::string drain_json(const DrainProblem& problem, const DrainAnswers& answers) {
  const Flow& flow = problem.flow;
  const std::optional<Answer> drain = time_to_drain(answers);
  Json reasons = Json::object();
  Object json(reasons);
  json.set("verb", "drain")
      .set("scenario", problem.scenario.empty() ? Json() : Json(problem.scenario))
      .set("answer", drain_headline(problem, answers))
      .set("drains", drain ? Json(drain->is_finite()) : Json())
      .set("arrival_rate", Json(flow.arrival_rate))
      .set("consumers", Json(flow.consumers))
      .set("service_rate", Json(flow.service_rate))
      .set("capacity", Json(answers.capacity))
      .set("utilization", answers.utilization)
      .set("surplus", Json(answers.surplus))
      .set("consumers_to_drain", answers.consumers_to_drain)
      .set("backlog", given(problem.backlog))
      .set("drain_time", answers.drain_time)
      .set("wait_draining", answers.draining_wait)
      .set("wait_steady", answers.steady_wait)
      .set("recovery_time", given(problem.recovery_time))
      .set("within_recovery_time",
           drain && problem.recovery_time
               ? Json(drain->is_finite() &&
                      difference(drain->value, *problem.recovery_time) <= 0)
               : Json())
      .set("incident", given(problem.incident))
      .set("accumulation", Json(problem.accumulation))
      .set("accumulation_from", problem.accumulation_from)
      .set("sla", given(problem.wait_objective))
      .set("sla_depth", given(answers.depth_at_objective))
      .set("bump", bump_json(problem, answers, reasons))
      .set("ttl", given(problem.time_to_live))
      .set("provisioning_lag", given(problem.provisioning_lag));
  set_plan(problem, answers.plan, "", reasons, json);
  json.set("retries", retries_json(problem, answers, reasons))
      .set("reasons", reasons)
      .set("missing", missing_of(problem))
      .set("notes", Json(problem.notes));
  return json.take().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace basin
