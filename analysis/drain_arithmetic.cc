#include "analysis/drain_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/no_answer.h"

namespace basin {

namespace {

Answer infinite(std::string why) {
  return {.value = std::numeric_limits<double>::infinity(),
          .why_infinite = std::move(why)};
}

void expect_number(double value, const char* what) {
  if (!std::isfinite(value)) {
    throw NoAnswer(std::string{what} + " is not a finite number");
  }
}

double expect_in_range(double value, const char* what) {
  if (!std::isfinite(value)) {
    throw NoAnswer(std::string{what} + " is too large to be computed with");
  }
  return value;
}

void expect_flow(const Flow& flow) {
  zero_or_more(flow.arrival_rate, "the arrival rate");
  zero_or_more(flow.consumers, "the number of consumers");
  zero_or_more(flow.service_rate, "the service rate");
}

std::string why_no_capacity(const Flow& flow) {
  return flow.consumers == 0 ? "there are no consumers" : "the service rate is zero";
}

// How many of `needed` are not there yet.
Answer beyond(const Answer& needed, double consumers) {
  return needed.is_finite()
             ? Answer{.value = std::max(0.0, ceiling(needed.value - consumers)),
                      .why_infinite = {}}
             : needed;
}

}  // namespace

double difference(double a, double b) {
  constexpr double equal_within = 1e-12;
  const double result = a - b;
  return std::abs(result) <= equal_within * std::max(std::abs(a), std::abs(b)) ? 0
                                                                               : result;
}

double ceiling(double value) {
  const double nearest = std::round(value);
  const double noise = std::min(0.01, 1e-9 + 1e-14 * std::abs(value));
  return std::abs(value - nearest) <= noise ? nearest : std::ceil(value);
}

double capacity(const Flow& flow) {
  expect_flow(flow);
  return expect_in_range(flow.consumers * flow.service_rate, "the capacity");
}

double surplus(const Flow& flow) {
  return difference(capacity(flow), flow.arrival_rate);
}

Answer utilization(const Flow& flow) {
  const double most = capacity(flow);
  if (flow.arrival_rate == 0) {
    return {};
  }
  if (most == 0) {
    return infinite(why_no_capacity(flow));
  }
  return {.value = surplus(flow) == 0
                       ? 1
                       : expect_in_range(flow.arrival_rate / most, "utilization"),
          .why_infinite = {}};
}

Answer drain_time(const Flow& flow, double backlog) {
  zero_or_more(backlog, "the backlog");
  const double spare = surplus(flow);
  if (backlog == 0 && spare >= 0) {
    return {};
  }
  if (spare > 0) {
    return {.value = expect_in_range(backlog / spare, "the drain time"),
            .why_infinite = {}};
  }
  if (capacity(flow) == 0) {
    return infinite(why_no_capacity(flow));
  }
  return infinite(spare == 0 ? "capacity equals arrivals, so there is no surplus"
                             : "arrivals exceed capacity, so the backlog grows");
}

Answer consumers_to_drain(const Flow& flow) {
  expect_flow(flow);
  if (flow.service_rate == 0) {
    return infinite("the service rate is zero");
  }
  Flow fewest = flow;
  fewest.consumers = ceiling(
      expect_in_range(flow.arrival_rate / flow.service_rate, "the number of consumers"));
  fewest.consumers += surplus(fewest) > 0 ? 0 : 1;
  return {.value = fewest.consumers, .why_infinite = {}};
}

Answer consumers_to_recover(const Flow& flow, double backlog, double recovery_time) {
  expect_flow(flow);
  zero_or_more(backlog, "the backlog");
  above_zero(recovery_time, "the recovery time");
  if (flow.service_rate == 0) {
    return flow.arrival_rate == 0 && backlog == 0 ? Answer{}
                                                  : infinite("the service rate is zero");
  }
  const double count = flow.arrival_rate / flow.service_rate +
                       backlog / (flow.service_rate * recovery_time);
  return {.value = ceiling(expect_in_range(count, "the number of consumers")),
          .why_infinite = {}};
}

Answer steady_wait(const Flow& flow, double depth) {
  expect_flow(flow);
  zero_or_more(depth, "the depth");
  if (depth == 0) {
    return {};
  }
  if (flow.arrival_rate == 0) {
    return infinite("nothing arrives, so a depth cannot be steady");
  }
  return {.value = expect_in_range(depth / flow.arrival_rate, "the wait"),
          .why_infinite = {}};
}

Answer draining_wait(const Flow& flow, double depth) {
  zero_or_more(depth, "the depth");
  const double most = capacity(flow);
  if (depth == 0) {
    return {};
  }
  if (most == 0) {
    return infinite(why_no_capacity(flow));
  }
  return {.value = expect_in_range(depth / most, "the wait"), .why_infinite = {}};
}

double depth_at_wait(const Flow& flow, double wait) {
  expect_flow(flow);
  zero_or_more(wait, "the wait");
  return expect_in_range(flow.arrival_rate * wait, "the depth");
}

Bump bump(const Flow& flow, double fraction, double backlog) {
  expect_flow(flow);
  expect_number(fraction, "the bump");
  if (fraction < -1) {
    throw NoAnswer("the bump takes away more than all arrivals");
  }
  Bump result;
  result.flow = flow;
  result.flow.arrival_rate =
      expect_in_range(flow.arrival_rate * (1 + fraction), "the arrival rate");
  result.surplus = surplus(result.flow);
  result.utilization = utilization(result.flow);
  const double before = surplus(flow);
  const double change = difference(result.surplus, before);
  if (before > 0) {
    result.surplus_change.value = expect_in_range(change / before, "the change");
  } else {
    result.surplus_change = infinite("there is no surplus to begin with");
  }
  result.drain_time = drain_time(result.flow, backlog);
  return result;
}

double accumulation_rate(const Flow& flow, double lost) {
  zero_or_more(lost, "the number of lost consumers");
  if (lost > flow.consumers) {
    throw NoAnswer("more consumers are lost than there are");
  }
  Flow left = flow;
  left.consumers -= lost;
  return -surplus(left);
}

Answer longest_incident(const Flow& flow, double recovery_time, double accumulation) {
  above_zero(recovery_time, "the recovery time");
  expect_number(accumulation, "the accumulation");
  const double spare = surplus(flow);
  if (accumulation <= 0) {
    return infinite("nothing piles up during such an incident");
  }
  return {.value = expect_in_range(recovery_time * std::max(spare, 0.0) / accumulation,
                                   "the incident"),
          .why_infinite = {}};
}

Shedding shedding(const Flow& flow, double backlog, double time_to_live) {
  above_zero(time_to_live, "the time to live");
  const Answer drain = drain_time(flow, backlog);
  Shedding result;
  result.drains_within =
      expect_in_range(std::max(surplus(flow), 0.0) * time_to_live, "the backlog");
  result.shed = !drain.is_finite() || difference(drain.value, time_to_live) > 0;
  result.excess = result.shed ? std::max(backlog - result.drains_within, 0.0) : 0;
  result.depth_bound = depth_at_wait(flow, time_to_live);
  return result;
}

Order order(
    const Flow& flow, double backlog, double growth, double recovery_time, double lag) {
  expect_flow(flow);
  zero_or_more(backlog, "the backlog");
  expect_number(growth, "the growth");
  above_zero(recovery_time, "the recovery time");
  zero_or_more(lag, "the provisioning lag");
  Order result;
  result.backlog_then =
      expect_in_range(std::max(backlog + growth * lag, 0.0), "the backlog");
  result.needed_from_arrival =
      consumers_to_recover(flow, result.backlog_then, recovery_time);
  result.more_from_arrival = beyond(result.needed_from_arrival, flow.consumers);
  const double left = difference(recovery_time, lag);
  if (left > 0) {
    result.needed_from_now = consumers_to_recover(flow, result.backlog_then, left);
  } else if (result.backlog_then > 0) {
    result.needed_from_now =
        infinite("they arrive when the recovery time is already over");
  } else {
    result.needed_from_now = result.needed_from_arrival;
  }
  result.more_from_now = beyond(result.needed_from_now, flow.consumers);
  return result;
}

}  // namespace basin
