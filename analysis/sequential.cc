#include "analysis/sequential.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace basin {

std::vector<int> looks_up_to(int most, int first) {
  if (most < 2 || first < 2) {
    throw std::invalid_argument("an interval takes at least two replications");
  }
  std::vector<int> looks;
  for (int look = first; look<most; look = look> most / 2 ? most : 2 * look) {
    looks.push_back(look);
  }
  looks.push_back(most);
  return looks;
}

double level_of_look(std::size_t looks, double level) {
  if (looks < 1 || !(level > 0 && level < 1)) {
    throw std::invalid_argument("looks take a level between 0 and 1, and at least one");
  }
  return 1 - (1 - level) / static_cast<double>(looks);
}

double relative_half_width(const MeanEstimate& estimate) {
  if (std::isinf(estimate.mean)) {
    return std::numeric_limits<double>::infinity();
  }
  const double half_width = (estimate.high - estimate.low) / 2;
  return half_width == 0 ? 0 : half_width / std::abs(estimate.mean);
}

}  // namespace basin
