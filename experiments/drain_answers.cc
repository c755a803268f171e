#include "experiments/drain_answers.h"

#include <cmath>

namespace basin {

namespace {

// The questions are the same of a flow and of a loop of retries.
template <typename FlowOrLoop>
DrainPlan plan_for(const DrainProblem& problem,
                   const FlowOrLoop& system,
                   double surplus_now) {
  DrainPlan plan;
  if (problem.recovery_time) {
    plan.longest_incident =
        longest_incident(system, *problem.recovery_time, problem.accumulation);
  }
  if (!problem.backlog) {
    return plan;
  }
  const double backlog = *problem.backlog;
  if (problem.time_to_live) {
    plan.shedding = shedding(system, backlog, *problem.time_to_live);
  }
  if (!problem.recovery_time) {
    return plan;
  }
  plan.consumers_to_recover =
      consumers_to_recover(system, backlog, *problem.recovery_time);
  if (problem.provisioning_lag) {
    const auto order_at = [&](double growth) {
      return order(
          system, backlog, growth, *problem.recovery_time, *problem.provisioning_lag);
    };
    plan.order_if_over = order_at(-surplus_now);
    if (!problem.accumulation_assumed) {
      plan.order_if_it_lasts = order_at(problem.accumulation);
    }
  }
  return plan;
}

}  // namespace

DrainAnswers answer(const DrainProblem& problem) {
  const Flow& flow = problem.flow;
  DrainAnswers answers;
  answers.capacity = capacity(flow);
  answers.surplus = surplus(flow);
  answers.utilization = utilization(flow);
  answers.consumers_to_drain = consumers_to_drain(flow);
  if (problem.backlog) {
    answers.drain_time = drain_time(flow, *problem.backlog);
    answers.steady_wait = steady_wait(flow, *problem.backlog);
    answers.draining_wait = draining_wait(flow, *problem.backlog);
  }
  if (problem.wait_objective) {
    answers.depth_at_objective = depth_at_wait(flow, *problem.wait_objective);
  }
  answers.bump = bump(flow, problem.bump, problem.backlog.value_or(0));
  if (answers.surplus >= 0 && flow.arrival_rate > 0 &&
      std::isfinite(answers.surplus / flow.arrival_rate)) {
    answers.bump_to_zero = answers.surplus / flow.arrival_rate;
  }
  answers.plan = plan_for(problem, flow, answers.surplus);
  answers.plan.drain_time_after_bump = answers.bump.drain_time;
  if (problem.backlog && problem.retries_per_timeout && problem.timeout) {
    RetryLoop loop{.flow = flow,
                   .retries_per_timeout = *problem.retries_per_timeout,
                   .timeout = *problem.timeout};
    answers.retries = retry_outlook(loop, *problem.backlog, problem.steps);
    answers.plan_with_retries = plan_for(problem, loop, answers.surplus);
    loop.flow = answers.bump.flow;
    answers.plan_with_retries->drain_time_after_bump =
        steps_to_drain(loop, *problem.backlog);
  }
  return answers;
}

std::optional<Answer> time_to_drain(const DrainAnswers& answers) {
  return answers.retries ? answers.retries->steps_to_drain : answers.drain_time;
}

const DrainPlan& plan_to_follow(const DrainAnswers& answers) {
  return answers.plan_with_retries ? *answers.plan_with_retries : answers.plan;
}

}  // namespace basin
