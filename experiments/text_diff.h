// The lines in which two short texts differ.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace basin {

struct DiffStyle {
  std::string from;  // names of the two texts
  std::string to;
  std::size_t most_lines = 20;
};

// "--- from", "+++ to", then lines with - and +, those of a change together; no context.
std::string text_diff(std::string_view from, std::string_view to, const DiffStyle& style);

}  // namespace basin
