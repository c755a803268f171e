// Names of a sweep's axes in the output file.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace basin {

// One name a key, all different: the last part of the key ("rate" for "arrivals.rate");
// or the whole key with underscores where the last part is in `taken`, is shared by two
// keys or is a method of xarray's (ds.count would not be the axis).
std::vector<std::string> axis_names(std::span<const std::string> keys,
                                    std::span<const std::string> taken);

}  // namespace basin
