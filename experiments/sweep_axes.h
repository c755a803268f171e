// The axes of a sweep: from [sweep] and from --sweep.
#pragma once

#include <string>
#include <vector>

#include "experiments/scenario.h"
#include "experiments/scenario_source.h"

namespace basin {

inline constexpr double most_cells = 1e7;

// The axes of the file that no --set fixes, then those of `options` ("key=from:to:steps"
// or "key=value,value"), which replace an axis of the same key. Throws ScenarioError.
std::vector<AxisSource> read_axes(const SourceFile& file,
                                  const SourceNode& root,
                                  const Section& whole,
                                  const std::vector<KeyTarget>& fixed,
                                  const std::vector<std::string>& options);

// With the values typed and in SI units.
Axis typed_axis(const SourceFile& file, const AxisSource& axis);

}  // namespace basin
