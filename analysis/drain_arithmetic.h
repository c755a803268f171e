// The arithmetic of backlogs: how long one takes to drain, and what it takes to drain it
// in time. Fluid: rates are means, nothing is random and nobody retries
// (retry_recursion.h has retries). "The Mathematics of Backlogs" (2026).
//
// All numbers are finite and not negative, rates per second, spans in seconds, depths and
// backlogs in messages; the functions throw NoAnswer otherwise, and where a result is too
// large for a double. Two rates that agree within one part in 10^12 are equal: capacities
// are products of decimals, and the noise of a product must neither drain a backlog nor
// keep one.
#pragma once

#include <string>

namespace basin {

// What comes in and what can be worked off.
struct Flow {
  double arrival_rate = 0;  // lambda
  double consumers = 0;     // c
  double service_rate = 0;  // mu, of one consumer
};

// A number, or infinity and in words why.
struct Answer {
  double value = 0;
  std::string why_infinite;  // empty for a finite value
  bool is_finite() const { return why_infinite.empty(); }
};

// a - b, and 0 where they are equal within one part in 10^12.
double difference(double a, double b);
// The smallest whole number not below `value`; a value that is whole but for the noise of
// its computation (10^-9, or 10^-14 of itself) counts as whole.
double ceiling(double value);

double capacity(const Flow& flow);     // c mu
double surplus(const Flow& flow);      // c mu - lambda; negative: backlogs grow
Answer utilization(const Flow& flow);  // lambda / (c mu)

// backlog / surplus. An empty backlog takes no time.
Answer drain_time(const Flow& flow, double backlog);

// The fewest consumers with a surplus.
Answer consumers_to_drain(const Flow& flow);
// The fewest consumers that drain `backlog` within `recovery_time` (> 0) beside what
// arrives: ceil(lambda/mu + backlog / (mu recovery_time)).
Answer consumers_to_recover(const Flow& flow, double backlog, double recovery_time);

// A message that joins at `depth` waits depth / lambda where depth is steady (Little's
// law) and depth / (c mu) while all consumers are at work on a backlog.
Answer steady_wait(const Flow& flow, double depth);
Answer draining_wait(const Flow& flow, double depth);
// The steady depth at which the wait is `wait`: lambda wait. The depth to alarm on.
double depth_at_wait(const Flow& flow, double wait);

// The same flow with `fraction` more arrivals (0.1: ten percent; not below -1).
struct Bump {
  Flow flow;
  double surplus = 0;
  Answer utilization;
  // By which the surplus changes, as a fraction of it: -1 takes it all. Infinite where
  // there is none to begin with.
  Answer surplus_change;
  Answer drain_time;  // of the backlog
};
Bump bump(const Flow& flow, double fraction, double backlog);

// Messages a second that pile up while `lost` consumers are gone: lambda - (c - lost) mu.
// Negative where those left still have a surplus. 0 <= lost <= c.
double accumulation_rate(const Flow& flow, double lost);
// Of an incident after which the backlog is gone within `recovery_time` of its end:
// recovery_time surplus / accumulation. `accumulation` may be negative: then nothing
// piles up and any incident will do.
Answer longest_incident(const Flow& flow, double recovery_time, double accumulation);

// What a time to live does. Messages are to be shed where the drain outlasts it.
struct Shedding {
  bool shed = false;         // drain time > time to live
  double drains_within = 0;  // the largest backlog that drains in time: surplus ttl
  double excess = 0;         // to shed now, so that the rest drains in time
  double depth_bound = 0;    // with the TTL enforced no backlog gets deeper: lambda ttl
};
Shedding shedding(const Flow& flow, double backlog, double time_to_live);

// Consumers that arrive `lag` after they are ordered, while the backlog changes by
// `growth` messages a second (negative: it drains).
struct Order {
  double backlog_then = 0;  // when they arrive, not below 0
  // Consumers in all that drain it within the recovery time, counted from their arrival
  // and from now; and how many that is beyond those there are.
  Answer needed_from_arrival;
  Answer more_from_arrival;
  Answer needed_from_now;
  Answer more_from_now;
};
Order order(
    const Flow& flow, double backlog, double growth, double recovery_time, double lag);

}  // namespace basin
