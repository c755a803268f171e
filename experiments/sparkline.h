// A series as one line of blocks, for a terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace basin {

// `values` in `columns` columns, each the mean of its part, from 0 to `top`; what is
// above 0 is never blank. Without UTF-8, digits 0 to 9 of a scale (blank for zero).
std::string sparkline(std::span<const double> values,
                      double top,
                      std::size_t columns,
                      bool utf8);

// A line below it: '^' where an incident goes on. Spans in seconds of [0, horizon].
struct MarkedSpan {
  double from = 0;
  double to = 0;
};
std::string incident_marks(const std::vector<MarkedSpan>& spans,
                           double horizon,
                           std::size_t columns);

}  // namespace basin
