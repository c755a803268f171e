// Every number that the arithmetic of backlogs has on a problem. What a number needs and
// the problem does not say is left out.
#pragma once

#include <optional>

#include "analysis/drain_arithmetic.h"
#include "analysis/retry_planning.h"
#include "analysis/retry_recursion.h"
#include "experiments/drain_problem.h"

namespace basin {

// What it takes for the backlog to be gone in time.
struct DrainPlan {
  std::optional<Answer> consumers_to_recover;
  std::optional<Answer> longest_incident;
  std::optional<Shedding> shedding;
  std::optional<Order> order_if_over;      // the incident has ended
  std::optional<Order> order_if_it_lasts;  // until they arrive; not for an assumed one
  Answer drain_time_after_bump;            // counts only with a backlog
};

struct DrainAnswers {
  double capacity = 0;
  double surplus = 0;
  Answer utilization;
  Answer consumers_to_drain;  // the fewest with a surplus
  std::optional<Answer> drain_time;
  std::optional<Answer> steady_wait;
  std::optional<Answer> draining_wait;
  std::optional<double> depth_at_objective;
  Bump bump;
  std::optional<double> bump_to_zero;  // the fraction that takes the whole surplus
  DrainPlan plan;                      // as if nobody retried
  std::optional<RetryOutlook> retries;
  std::optional<DrainPlan> plan_with_retries;
};

// Throws NoAnswer for numbers that cannot be computed with.
DrainAnswers answer(const DrainProblem& problem);

// Whether the backlog drains and how long that takes, retries included where they are
// given. Empty without a backlog.
std::optional<Answer> time_to_drain(const DrainAnswers& answers);
// The plan with retries where there are any.
const DrainPlan& plan_to_follow(const DrainAnswers& answers);

}  // namespace basin
