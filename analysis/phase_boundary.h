// The line on a map where the system comes back in half of the runs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/intervals.h"

namespace basin {

// The probability to come back at a point of the grid; absent where nobody looked.
struct ReturnProbability {
  double estimate = 0;
  Interval interval;
};

// A point between two neighbours of the grid where the probability crosses one half.
struct BoundaryPoint {
  std::size_t line = 0;  // of which polyline, from 0; its points follow each other
  double x = 0;          // along the first axis
  double y = 0;          // along the second
  // Which axis its two neighbours lie on, and where on it the ends of their intervals
  // cross one half: at most as far as the neighbours themselves.
  bool along_first = false;
  double low = 0;
  double high = 0;
};

// Polylines through the steps of a grid whose four corners are known (marching squares
// with linear interpolation; where both diagonals are possible, the side of the mean
// decides). `points` row-major, the second axis fastest; values of an axis ascend or
// descend.
std::vector<BoundaryPoint> phase_boundary(
    std::span<const double> first,
    std::span<const double> second,
    std::span<const std::optional<ReturnProbability>> points);

// The same along a single axis: x, low and high of each crossing.
std::vector<BoundaryPoint> phase_boundary(
    std::span<const double> values,
    std::span<const std::optional<ReturnProbability>> points);

}  // namespace basin
