// A backlog whose callers retry, in steps of one second:
//
//   depth += lambda (1 + r min(1, depth / (lambda T))) - c mu,   never below 0
//
// The deeper the queue, the more attempts time out: where a message waits the timeout T
// or more (depth >= lambda T), every attempt does, and lambda r retries come on top. "The
// Mathematics of Backlogs" (2026).
//
// A step's map is continuous and grows with depth, so depth only falls or only rises, and
// what happens is decided at the start: it drains if r min(lambda, depth / T) < surplus.
// Above lambda T depth moves along a line, below it along a geometric series; both are
// solved, so a thousand million steps take no longer than one.
#pragma once

#include "analysis/drain_arithmetic.h"

namespace basin {

struct RetryLoop {
  Flow flow;
  double retries_per_timeout = 0;  // r >= 0: new attempts for each that times out
  double timeout = 1;              // T > 0, seconds
};

// Depth after that many steps, from `backlog`.
double depth_after(const RetryLoop& loop, double backlog, double steps);
// The same while depth would change by `growth` a second without retries, whatever the
// capacity; `seconds` need not be whole (the last part of a step is taken in proportion).
double depth_while_growing(const RetryLoop& loop,
                           double backlog,
                           double growth,
                           double seconds);

// Whole steps of a second until depth is 0.
Answer steps_to_drain(const RetryLoop& loop, double backlog);

struct RetryOutlook {
  Answer steps_to_drain;
  // Retries at and above which it does not drain: from this backlog, surplus /
  // min(lambda, backlog / T); and from any depth, surplus / lambda. 0 without a surplus.
  Answer critical_retries;
  Answer critical_retries_at_any_depth;
  // Depth at and above which it does not drain: surplus T / r, an unstable fixed point.
  // Infinite where every backlog drains.
  Answer critical_depth;
  // What arrives while every attempt times out, and by which depth changes a second then.
  double saturated_arrival_rate = 0;
  double saturated_growth = 0;
  // After `steps` steps and one before; the peak is over all of them, start and end
  // included.
  double depth_before_last = 0;
  double final_depth = 0;
  double peak_depth = 0;
};
// `steps` >= 1, whole.
RetryOutlook retry_outlook(const RetryLoop& loop, double backlog, double steps);

}  // namespace basin
