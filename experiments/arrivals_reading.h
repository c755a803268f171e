// From [arrivals] to an arrival process.
#pragma once

#include "experiments/data_files.h"
#include "experiments/settings.h"
#include "models/arrivals.h"

namespace basin {

// Throws ScenarioError.
Arrivals read_arrivals(const Section& arrivals, DataFiles& files);

}  // namespace basin
