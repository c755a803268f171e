// What the JSON of several verbs has in common. For .cc files only.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/intervals.h"
#include "experiments/cell_result.h"
#include "experiments/scenario.h"

namespace basin {

using Json = nlohmann::ordered_json;

// With a line break at the end. Texts come from files and may hold anything.
std::string dumped(const Json& json);

Json probability_json(const Probability& probability);  // count, estimate, low, high
Json estimate_json(const MeanEstimate& estimate);       // mean, low, high

Json objective_json(const Objective& objective);

// Of the arm that the verdict is about: the triggered one, or the control alone. null
// without a verdict.
Json verdict_json(const Scenario& scenario, const CellOutput& output);

}  // namespace basin
