// What makes two experiments the same: every value in force, the axes, derived keys and
// the condition on cells, one a line.
#pragma once

#include <string>

#include "experiments/scenario.h"

namespace basin {

// "producer.timeout = 1s", …, then "axis arrivals.rate = 100/s 120/s", also for what
// moves together with them, "derived …" and "where …".
// Comments, layout and where a value came from do not show.
std::string scenario_values(const Scenario& scenario);

// The same without what may differ between sweeps that share results: how many
// replications there are, and which values the axes have; with the version of the model's
// semantics.
std::string experiment_values(const Scenario& scenario);

}  // namespace basin
