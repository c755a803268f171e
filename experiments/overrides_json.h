// What the command line said beside the file, as text that files keep.
#pragma once

#include <string>
#include <string_view>

#include "experiments/document.h"

namespace basin {

// {"set":["seed=2"],"sweep":[]}, and "points" with the text of a file of points.
std::string overrides_json(const Overrides& overrides);
// Throws std::invalid_argument for what is no such text.
Overrides overrides_from_json(std::string_view text);

}  // namespace basin
