// The questions of drain_arithmetic.h where callers retry: what it takes for a backlog to
// drain in time, by bisection on the recursion of retry_recursion.h. Drains are counted
// in its whole steps of a second, so each answer is exact to a second, a message or a
// consumer. Conditions and errors are those of drain_arithmetic.h.
#pragma once

#include "analysis/drain_arithmetic.h"
#include "analysis/retry_recursion.h"

namespace basin {

// The fewest consumers, in place of those there are, that drain `backlog` within
// `recovery_time`.
Answer consumers_to_recover(const RetryLoop& loop, double backlog, double recovery_time);

// The largest whole backlog that drains within `seconds`; 0 without a surplus.
double backlog_drained_within(const RetryLoop& loop, double seconds);

// The longest incident, in whole seconds from an empty queue, after which the backlog is
// gone within `recovery_time`. While it lasts depth changes by `accumulation` and the
// retries.
Answer longest_incident(const RetryLoop& loop, double recovery_time, double accumulation);

// `depth_bound` is lambda (1 + r) times the time to live: retries have theirs too.
Shedding shedding(const RetryLoop& loop, double backlog, double time_to_live);

Order order(const RetryLoop& loop,
            double backlog,
            double growth,
            double recovery_time,
            double lag);

}  // namespace basin
