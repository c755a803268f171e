// What the arithmetic of backlogs says of incidents: how much piles up, and how many
// consumers drain that within the recovery time. Means only; nobody retries.
#pragma once

#include <optional>
#include <string>

#include "experiments/scenario.h"

namespace basin {

struct Headroom {
  double arrival_rate = 0;  // lambda
  double service_rate = 0;  // mu, the mean of a consumer
  double backlog = 0;       // at the end of the case, with `consumers` of them
  // The fewest that are at least lambda/mu + backlog/(mu RTO), or that there are where a
  // number is given; the backlog depends on them too.
  double consumers = 0;
  // No number of consumers will do, or nothing piles up; may be empty.
  std::string why_none = {};
};

// The recovery time must be known.
Headroom headroom_of(const Scenario& scenario, const IncidentCase& incidents);

// What piles up during the case with so many consumers.
double backlog_of(const Scenario& scenario,
                  const IncidentCase& incidents,
                  double consumers);

}  // namespace basin
