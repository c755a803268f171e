#include "experiments/sparkline.h"

#include <algorithm>
#include <cmath>

namespace basin {

std::string sparkline(std::span<const double> values,
                      double top,
                      std::size_t columns,
                      bool utf8) {
  constexpr std::string_view blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::string_view digits[] = {
      " ", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  const std::span<const std::string_view> scale =
      utf8 ? std::span<const std::string_view>{blocks}
           : std::span<const std::string_view>{digits};
  if (values.empty()) {
    return "";
  }
  std::string line;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t from = column * values.size() / columns;
    const std::size_t to = std::max(from + 1, (column + 1) * values.size() / columns);
    double sum = 0;
    for (std::size_t k = from; k < to; ++k) {
      sum += values[k];
    }
    const double mean = sum / static_cast<double>(to - from);
    std::size_t step = 0;
    if (mean > 0 && top > 0) {
      const double share = std::min(mean / top, 1.0);
      step = std::max<std::size_t>(1,
                                   static_cast<std::size_t>(std::llround(
                                       share * static_cast<double>(scale.size() - 1))));
    }
    line += scale[step];
  }
  return line;
}

std::string incident_marks(const std::vector<MarkedSpan>& spans,
                           double horizon,
                           std::size_t columns) {
  std::string line(columns, ' ');
  for (const MarkedSpan& span : spans) {
    const auto place = [&](double instant) {
      const double share = std::clamp(instant / horizon, 0.0, 1.0);
      return std::min(static_cast<std::size_t>(share * static_cast<double>(columns)),
                      columns - 1);
    };
    for (std::size_t column = place(span.from); column <= place(span.to); ++column) {
      line[column] = '^';
    }
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace basin
