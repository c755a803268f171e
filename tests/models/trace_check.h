// Runs worked out by hand, compared as lists of (time, what).
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "models/event_log.h"
#include "models/system_config.h"

namespace basin {

// One consumer that takes `service` seconds, FIFO, no leases, fire and forget, requests
// at the given seconds; a horizon of 100 s.
SystemConfig small_system(std::vector<double> arrivals, double service);

Duration seconds(double value);

// An incident with the given start and end, in seconds.
Incident incident_between(double start, double end, IncidentEffect effect);

// Runs the system and the plain model and expects of both the trace. A line is
// "time what request.attempt cN" with the time in seconds, the place of the request and
// the consumer where there is one; messages and requests of incident i are "i:place";
// incidents are "i:occurrence". Lines of one instant may come in any order. With `only`,
// other events are left out of the comparison.
void expect_trace(const SystemConfig& config,
                  const std::string& expected,
                  std::initializer_list<Happening> only = {});

}  // namespace basin
