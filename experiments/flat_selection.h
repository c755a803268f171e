// Consecutive places of an array as a selection in HDF5. For .cc files only; throws
// H5::Exception.
#pragma once

#include <cstddef>
#include <vector>

#include <H5Cpp.h>

namespace basin {

H5::DataSpace space_of(const std::vector<hsize_t>& shape);

// Of an array of that shape, of which the first `dimensions` dimensions count as one with
// the last of them fastest: the `count` places from `first` on, with all of the remaining
// dimensions.
H5::DataSpace flat_selection(const std::vector<hsize_t>& shape,
                             std::size_t dimensions,
                             std::size_t first,
                             std::size_t count);

// Values in one place of the first `dimensions` dimensions.
std::size_t values_each(const std::vector<hsize_t>& shape, std::size_t dimensions);

}  // namespace basin
