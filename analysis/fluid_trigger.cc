#include "analysis/fluid_trigger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "analysis/no_answer.h"

namespace basin {

namespace {

Answer infinite(std::string why) {
  return {.value = std::numeric_limits<double>::infinity(),
          .why_infinite = std::move(why)};
}

Answer finite(double value, const char* name) {
  return {.value = zero_or_more(value, name), .why_infinite = {}};
}

}  // namespace

FluidTriggerAnswers answers(const FluidTrigger& trigger) {
  zero_or_more(trigger.arrival_rate, "the arrival rate");
  zero_or_more(trigger.capacity, "the capacity");
  zero_or_more(trigger.trigger_rate, "the arrival rate of the trigger");
  zero_or_more(trigger.trigger_time, "the trigger's time");
  FluidTriggerAnswers result;
  const double growth = std::max(difference(trigger.trigger_rate, trigger.capacity), 0.0);
  result.peak_backlog = zero_or_more(growth * trigger.trigger_time, "the peak");
  result.drain_time = drain_time(Flow{.arrival_rate = trigger.arrival_rate,
                                      .consumers = 1,
                                      .service_rate = trigger.capacity},
                                 result.peak_backlog);
  result.episode = result.drain_time;
  if (result.episode.is_finite()) {
    result.episode.value += trigger.trigger_time;
  }
  return result;
}

RetryAftermathAnswers answers(const RetryAftermath& aftermath) {
  const double lambda = above_zero(aftermath.arrival_rate, "the arrival rate");
  const double capacity = above_zero(aftermath.capacity, "the capacity");
  const double timeout = above_zero(aftermath.timeout, "the timeout");
  const double backlog = zero_or_more(aftermath.backlog, "the backlog");
  const double attempts = above_zero(aftermath.attempts, "the number of attempts");
  if (attempts < 1) {
    throw NoAnswer("the number of attempts is below 1");
  }
  RetryAftermathAnswers result;
  result.vulnerable_from = capacity / attempts;
  result.overloaded_from = capacity;
  result.sustaining_backlog =
      zero_or_more(capacity * timeout, "the capacity in a timeout");
  const double late = std::max(difference(backlog, result.sustaining_backlog), 0.0);
  const double surplus = difference(capacity, lambda);
  const double amplified = zero_or_more(attempts * lambda, "the rate of attempts");
  const double left = difference(capacity, amplified);
  if (late == 0) {
    result.empty = drain_time(
        Flow{.arrival_rate = lambda, .consumers = 1, .service_rate = capacity}, backlog);
    result.empty_as_retries_end = result.empty;
    // An overloaded queue is as deep as that at once or soon.
    result.goodput_returns = surplus < 0 ? result.empty : Answer{};
  } else if (left > 0) {
    const double back = late / left;
    result.goodput_returns = finite(back, "the time until goodput returns");
    result.empty = finite(backlog / left, "the drain time");
    result.empty_as_retries_end =
        finite(back + timeout + amplified * timeout / surplus, "the drain time");
  } else {
    result.goodput_returns = infinite(
        surplus < 0    ? "arrivals exceed capacity, so the backlog grows"
        : surplus == 0 ? "capacity equals arrivals, so there is no surplus"
        : left == 0 ? "arrivals with their retries equal capacity, so the backlog stays"
                    : "arrivals with their retries exceed capacity, so the backlog that "
                      "makes them retry grows");
    result.empty = result.goodput_returns;
    result.empty_as_retries_end = result.goodput_returns;
  }
  return result;
}

}  // namespace basin
