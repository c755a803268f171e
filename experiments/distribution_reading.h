// From a distribution as written to the distribution that is sampled.
#pragma once

#include "experiments/data_files.h"
#include "experiments/settings.h"
#include "models/distribution.h"

namespace basin {

// The value of a key of type distribution: a duration or a table. Throws ScenarioError.
Distribution read_distribution(const Section& parent,
                               std::string_view key,
                               DataFiles& files);

// The same law with every draw times `factor` (> 0).
Distribution scaled(Distribution distribution, double factor);

// Seconds of "ns|us|ms|s|min|h|d".
double seconds_of_unit(std::string_view unit);

}  // namespace basin
