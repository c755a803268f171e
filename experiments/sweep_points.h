// Points instead of a grid: [sweep.points] and [sweep.sample].
#pragma once

#include <optional>

#include "experiments/scenario_source.h"
#include "experiments/settings.h"

namespace basin {

// The axis of points that [sweep] asks for, if any: all its keys with one value a point.
// Throws ScenarioError; what is wrong in a file of points is reported at its place there.
std::optional<AxisSource> read_points(const SourceFile& file,
                                      const SourceNode& root,
                                      const Section& sweep,
                                      DataFiles& files);

}  // namespace basin
