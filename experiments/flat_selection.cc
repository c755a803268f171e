#include "experiments/flat_selection.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/contract.h"

namespace basin {

H5::DataSpace space_of(const std::vector<hsize_t>& shape) {
  return shape.empty() ? H5::DataSpace(H5S_SCALAR)
                       : H5::DataSpace(static_cast<int>(shape.size()), shape.data());
}

std::size_t values_each(const std::vector<hsize_t>& shape, std::size_t dimensions) {
  BASIN_EXPECT(dimensions <= shape.size());
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(dimensions),
                         shape.end(),
                         hsize_t{1},
                         std::multiplies<>{});
}

H5::DataSpace flat_selection(const std::vector<hsize_t>& shape,
                             std::size_t dimensions,
                             std::size_t first,
                             std::size_t count) {
  BASIN_EXPECT(first + count <=
               values_each(shape, 0) /
                   std::max<std::size_t>(values_each(shape, dimensions), 1));
  H5::DataSpace space = space_of(shape);
  if (shape.empty()) {
    return space;
  }
  if (dimensions == 0 && count == 1) {
    return space;  // all of it
  }
  space.selectNone();
  const std::size_t end = first + count;
  while (first < end) {
    // The largest box that begins here and holds nothing beyond the end: whole rows of
    // the last dimensions, and some of the dimension before them.
    std::vector<hsize_t> start(shape.size(), 0);
    std::vector<hsize_t> extent = shape;
    std::size_t rest = first;
    std::size_t stride = 1;  // places in one step of dimension d
    std::size_t covered = 1;
    bool rows_are_whole = true;
    for (std::size_t d = dimensions; d-- > 0;) {
      start[d] = rest % shape[d];
      rest /= shape[d];
      const std::size_t fitting =
          std::min<std::size_t>(shape[d] - start[d], (end - first) / stride);
      extent[d] = rows_are_whole ? std::max<std::size_t>(fitting, 1) : 1;
      covered *= extent[d];
      rows_are_whole = rows_are_whole && start[d] == 0 && fitting == shape[d];
      stride *= shape[d];
    }
    space.selectHyperslab(H5S_SELECT_OR, extent.data(), start.data());
    first += covered;
  }
  return space;
}

}  // namespace basin
