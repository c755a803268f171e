// What makes two experiments the same: every value in force and the axes, one a line.
#pragma once

#include <string>

#include "experiments/scenario.h"

namespace basin {

// "producer.timeout = 1s", …, then "axis arrivals.rate = 100/s 120/s". Comments, layout
// and where a value came from do not show.
std::string scenario_values(const Scenario& scenario);

}  // namespace basin
