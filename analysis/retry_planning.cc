#include "analysis/retry_planning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "analysis/no_answer.h"

namespace basin {

namespace {

// Retries count for nothing where no attempt times out.
bool drains_within(const RetryLoop& loop, double backlog, double seconds) {
  const Answer steps = steps_to_drain(loop, backlog);
  return steps.is_finite() && steps.value <= ceiling(seconds);
}

// The largest whole number in [good, bad) for which `holds` does; it holds up to there,
// it holds at `good` and it does not at `bad`.
template <typename Predicate>
double last_that_holds(double good, double bad, Predicate holds) {
  while (bad - good > 1) {
    const double middle = good + std::floor((bad - good) / 2);
    if (middle <= good || middle >= bad) {
      break;  // whole numbers beyond 2^53
    }
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

Answer beyond(const Answer& needed, double consumers) {
  return needed.is_finite() ? Answer{.value = std::max(0.0, needed.value - consumers),
                                     .why_infinite = {}}
                            : needed;
}

}  // namespace

Answer consumers_to_recover(const RetryLoop& loop, double backlog, double recovery_time) {
  const Answer without_retries = consumers_to_recover(loop.flow, backlog, recovery_time);
  if (!without_retries.is_finite() || backlog == 0) {
    return without_retries;
  }
  // Enough even if every attempt timed out until the end.
  Flow saturated = loop.flow;
  saturated.arrival_rate *= 1 + loop.retries_per_timeout;
  const double enough = consumers_to_recover(saturated, backlog, recovery_time).value;
  const auto too_few = [&](double consumers) {
    RetryLoop candidate = loop;
    candidate.flow.consumers = std::max(consumers, 0.0);
    return !drains_within(candidate, backlog, recovery_time);
  };
  return {.value = last_that_holds(without_retries.value - 1, enough, too_few) + 1,
          .why_infinite = {}};
}

double backlog_drained_within(const RetryLoop& loop, double seconds) {
  above_zero(seconds, "the time");
  const double without_retries = std::max(surplus(loop.flow), 0.0) * ceiling(seconds);
  if (!std::isfinite(without_retries)) {
    throw NoAnswer("the backlog is too large to be computed with");
  }
  return last_that_holds(0, std::floor(without_retries) + 1, [&](double backlog) {
    return drains_within(loop, backlog, seconds);
  });
}

Answer longest_incident(const RetryLoop& loop,
                        double recovery_time,
                        double accumulation) {
  Answer without_retries = longest_incident(loop.flow, recovery_time, accumulation);
  if (!without_retries.is_finite()) {
    return without_retries;
  }
  const double most = backlog_drained_within(loop, recovery_time);
  const auto in_time = [&](double seconds) {
    return depth_while_growing(loop, 0, accumulation, seconds) <= most;
  };
  without_retries.value =
      last_that_holds(0, std::floor(without_retries.value) + 2, in_time);
  return without_retries;
}

Shedding shedding(const RetryLoop& loop, double backlog, double time_to_live) {
  Shedding result;
  result.drains_within = backlog_drained_within(loop, time_to_live);
  result.shed = !drains_within(loop, backlog, time_to_live);
  result.excess = result.shed ? std::max(backlog - result.drains_within, 0.0) : 0;
  result.depth_bound =
      depth_at_wait(loop.flow, time_to_live) * (1 + loop.retries_per_timeout);
  if (!std::isfinite(result.depth_bound)) {
    throw NoAnswer("the depth is too large to be computed with");
  }
  return result;
}

Order order(const RetryLoop& loop,
            double backlog,
            double growth,
            double recovery_time,
            double lag) {
  // Says what is wrong with the numbers.
  Order result = order(loop.flow, backlog, growth, recovery_time, lag);
  result.backlog_then = depth_while_growing(loop, backlog, growth, lag);
  result.needed_from_arrival =
      consumers_to_recover(loop, result.backlog_then, recovery_time);
  result.more_from_arrival = beyond(result.needed_from_arrival, loop.flow.consumers);
  const double left = difference(recovery_time, lag);
  if (left > 0) {
    result.needed_from_now = consumers_to_recover(loop, result.backlog_then, left);
  } else if (result.backlog_then > 0) {
    result.needed_from_now = {
        .value = std::numeric_limits<double>::infinity(),
        .why_infinite = "they arrive when the recovery time is already over"};
  }
  result.more_from_now = beyond(result.needed_from_now, loop.flow.consumers);
  return result;
}

}  // namespace basin
