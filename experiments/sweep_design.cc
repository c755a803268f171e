#include "experiments/sweep_design.h"

#include <numeric>
#include <utility>

#include <boost/random/sobol.hpp>

#include "engine/contract.h"
#include "engine/random.h"

namespace basin {
namespace {

// Streams of their own, which no model uses: designs have no replications.
constexpr std::uint64_t design_key = 0x64657369676e;  // "design"
enum Purpose : std::uint32_t { order = 1, place = 2, shift = 3 };

RandomStream stream(std::uint64_t seed, Purpose purpose, std::size_t dimension) {
  return {{.seed = seed, .cell = design_key},
          {.purpose = purpose, .entity = dimension, .part = 0, .block = 0}};
}

// Uniform on 0 … bound - 1: a word beyond the last full multiple of the bound is drawn
// again.
std::size_t below(RandomStream& random, std::size_t bound) {
  const std::uint64_t excess = (UINT64_MAX % bound + 1) % bound;
  std::uint64_t word = random();
  while (word > UINT64_MAX - excess) {
    word = random();
  }
  return word % bound;
}

}  // namespace

std::vector<UnitPoint> latin_hypercube(std::size_t count,
                                       std::size_t dimensions,
                                       std::uint64_t seed) {
  std::vector<UnitPoint> points(count, UnitPoint(dimensions));
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    std::vector<std::size_t> parts(count);
    std::iota(parts.begin(), parts.end(), std::size_t{0});
    RandomStream order_of = stream(seed, Purpose::order, dimension);
    for (std::size_t i = count; i > 1; --i) {
      std::swap(parts[i - 1], parts[below(order_of, i)]);
    }
    RandomStream place_of = stream(seed, Purpose::place, dimension);
    for (std::size_t i = 0; i < count; ++i) {
      points[i][dimension] =
          (static_cast<double>(parts[i]) + place_of.unit()) / static_cast<double>(count);
    }
  }
  return points;
}

std::vector<UnitPoint> sobol_points(std::size_t count,
                                    std::size_t dimensions,
                                    std::uint64_t seed) {
  BASIN_EXPECT(dimensions > 0 && dimensions <= most_sobol_dimensions);
  std::vector<std::uint64_t> shifts;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    shifts.push_back(stream(seed, Purpose::shift, dimension)());
  }
  boost::random::sobol sequence(dimensions);
  std::vector<UnitPoint> points(count, UnitPoint(dimensions));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      // Boost leaves out the first point, which is zero, and the balance needs it.
      const std::uint64_t word = i == 0 ? 0 : sequence();
      points[i][dimension] = to_unit(word ^ shifts[dimension]);
    }
  }
  return points;
}

}  // namespace basin
