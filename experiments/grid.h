// The cells of a sweep: one for each combination of the axes' values, numbered row-major
// (the last axis runs fastest).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/scenario.h"

namespace basin {

class Grid {
 public:
  // One cell without axes. Throws std::length_error beyond most_cells.
  explicit Grid(const std::vector<Axis>& axes);

  static constexpr std::size_t most_cells = std::size_t{10'000'000};

  std::size_t size() const { return size_; }
  const std::vector<std::size_t>& shape() const { return shape_; }

  std::vector<std::size_t> indices_of(std::size_t cell) const;
  std::size_t cell_at(const std::vector<std::size_t>& indices) const;

 private:
  std::vector<std::size_t> shape_;
  std::size_t size_ = 1;
};

// The cells that can share one run of the control arm: those that agree on every axis
// that touches it. Groups in the order of their first cell, cells in ascending order.
std::vector<std::vector<std::size_t>> cells_by_control(const Grid& grid,
                                                       const std::vector<Axis>& axes);

// Key of an axis of points, which is no key of the scenario.
inline constexpr std::string_view point_axis = "point";

// The keys that a cell sets, and their values in a spelling that is the same for "60s"
// and "1min".
std::vector<std::pair<std::string_view, std::string>> exact_values(
    const std::vector<Axis>& axes, const std::vector<std::size_t>& indices);

// A number for the values of a cell, whatever the place they have on their axes: the cell
// part of the random key where cells do not share random numbers.
std::uint64_t hash_of_values(const std::vector<Axis>& axes,
                             const std::vector<std::size_t>& indices);

// "arrivals.rate = 20/s, producer.timeout = 3s"; empty without axes.
std::string describe_cell(const std::vector<Axis>& axes,
                          const std::vector<std::size_t>& indices);

}  // namespace basin
