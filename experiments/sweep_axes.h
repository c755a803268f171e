// The axes of a sweep: from [sweep] and from --sweep.
#pragma once

#include <string>
#include <vector>

#include "experiments/scenario.h"
#include "experiments/scenario_source.h"
#include "experiments/settings.h"

namespace basin {

inline constexpr double most_cells = 1e7;

// The axes of the file without the keys that --set fixes, then its points, then the axes
// of `options` ("key=from:to:steps" or "key=value,value"), which replace an axis of the
// same key. `derived` loses the keys that an option names. Throws ScenarioError.
std::vector<AxisSource> read_axes(const SourceFile& file,
                                  const SourceNode& root,
                                  const Section& sweep,
                                  DataFiles& files,
                                  const std::vector<KeyTarget>& fixed,
                                  const std::vector<std::string>& options,
                                  std::vector<DerivedKey>& derived);

// The axis of one option by itself.
AxisSource axis_of_option(const SourceFile& file,
                          const SourceNode& root,
                          const std::string& option);

// With the values typed and in SI units. An axis that a derived key of the control
// depends on touches the control too.
Axis typed_axis(const SourceFile& file,
                const AxisSource& axis,
                const std::vector<DerivedKey>& derived);

// Of each cell, row-major, whether the condition is false for it; empty if for none.
// Throws ScenarioError, also if it is false for all.
std::vector<bool> cells_left_out(const ScenarioSource& source);

// The tree with each axis at the value of that index, without derived keys.
SourceNode with_axes_at(const ScenarioSource& source,
                        const std::vector<std::size_t>& indices);
// " [in the cell arrivals.rate = 20/s, …]" for messages; empty without axes.
std::string cell_text(const ScenarioSource& source,
                      const std::vector<std::size_t>& indices);

}  // namespace basin
