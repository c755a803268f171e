// Points that fill a cube better than chance: where a sweep looks when a grid of all its
// axes would be too large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace basin {

// One coordinate for each dimension, strictly between 0 and 1.
using UnitPoint = std::vector<double>;

// Latin hypercube: of the `count` equal parts of each dimension every one holds one
// point, at a place in it that is drawn (McKay, Beckman and Conover 1979).
std::vector<UnitPoint> latin_hypercube(std::size_t count,
                                       std::size_t dimensions,
                                       std::uint64_t seed);

// The first `count` points of the Sobol sequence (Boost's, with the direction numbers of
// Joe and Kuo 2008), each dimension shifted by bits that are drawn, which keeps its
// balance: of 2^k points every one of the 2^k equal parts of each dimension holds one. At
// most most_sobol_dimensions.
inline constexpr std::size_t most_sobol_dimensions = 1000;
std::vector<UnitPoint> sobol_points(std::size_t count,
                                    std::size_t dimensions,
                                    std::uint64_t seed);

}  // namespace basin
