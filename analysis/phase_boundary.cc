#include "analysis/phase_boundary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

namespace basin {

namespace {

// An edge of the grid: from a point one step along an axis.
struct Edge {
  std::size_t i = 0;
  std::size_t j = 0;
  bool along_first = false;
  auto operator<=>(const Edge&) const = default;
};

// Where between 0 and 1 a line from a to b crosses one half; the nearer end if it does
// not.
double crossing(double a, double b) {
  if ((a >= 0.5) == (b >= 0.5)) {
    return std::abs(a - 0.5) <= std::abs(b - 0.5) ? 0 : 1;
  }
  return (0.5 - a) / (b - a);
}

// Where between two neighbours, at `from` and `to`.
struct Crossing {
  double at = 0;
  double low = 0;
  double high = 0;
};
Crossing crossing_between(const ReturnProbability& a,
                          const ReturnProbability& b,
                          double from,
                          double to) {
  const auto place = [&](double p, double q) {
    return from + crossing(p, q) * (to - from);
  };
  const double at = place(a.estimate, b.estimate);
  const double by_low = place(a.interval.low, b.interval.low);
  const double by_high = place(a.interval.high, b.interval.high);
  return {.at = at,
          .low = std::min({by_low, by_high, at}),
          .high = std::max({by_low, by_high, at})};
}

class Tracer {
 public:
  Tracer(std::span<const double> first,
         std::span<const double> second,
         std::span<const std::optional<ReturnProbability>> points)
      : first_{first}, second_{second}, points_{points} {
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
      for (std::size_t j = 0; j + 1 < second.size(); ++j) {
        add_segments(i, j);
      }
    }
  }

  std::vector<BoundaryPoint> lines() {
    std::vector<BoundaryPoint> result;
    std::size_t line = 0;
    // Open lines from their ends first, then closed ones.
    for (const bool closed : {false, true}) {
      for (const auto& [edge, neighbours] : links_) {
        if (done_[edge] || (!closed && neighbours.size() != 1)) {
          continue;
        }
        follow(edge, line++, result);
      }
    }
    return result;
  }

 private:
  const std::optional<ReturnProbability>& at(std::size_t i, std::size_t j) const {
    return points_[i * second_.size() + j];
  }

  void link(const Edge& a, const Edge& b) {
    links_[a].push_back(b);
    links_[b].push_back(a);
  }

  // The edges of a step that the line crosses, joined in pairs.
  void add_segments(std::size_t i, std::size_t j) {
    // Corners and edges around the step: edge k lies between corners k and k + 1.
    const std::array<const std::optional<ReturnProbability>*, 4> corners{
        &at(i, j), &at(i, j + 1), &at(i + 1, j + 1), &at(i + 1, j)};
    double sum = 0;
    for (const auto* const corner : corners) {
      if (!corner->has_value()) {
        return;
      }
      sum += (*corner)->estimate;
    }
    const std::array<Edge, 4> edges{
        Edge{i, j, false}, Edge{i, j + 1, true}, Edge{i + 1, j, false}, Edge{i, j, true}};
    const auto comes_back = [&](std::size_t k) {
      return (*corners[k % 4])->estimate >= 0.5;
    };
    std::vector<std::size_t> crossed;
    for (std::size_t k = 0; k < 4; ++k) {
      if (comes_back(k) != comes_back(k + 1)) {
        crossed.push_back(k);
      }
    }
    if (crossed.size() == 2) {
      link(edges[crossed[0]], edges[crossed[1]]);
    } else if (crossed.size() == 4) {
      // The corners on the side of the mean are joined: the others are cut off.
      const bool centre = sum / 4 >= 0.5;
      const std::size_t from = comes_back(0) == centre ? 0 : 1;
      link(edges[from], edges[from + 1]);
      link(edges[(from + 2) % 4], edges[(from + 3) % 4]);
    }
  }

  BoundaryPoint point_on(const Edge& edge, std::size_t line) const {
    const ReturnProbability& a = *at(edge.i, edge.j);
    const ReturnProbability& b =
        edge.along_first ? *at(edge.i + 1, edge.j) : *at(edge.i, edge.j + 1);
    const std::span<const double> values = edge.along_first ? first_ : second_;
    const std::size_t k = edge.along_first ? edge.i : edge.j;
    const Crossing on = crossing_between(a, b, values[k], values[k + 1]);
    return {.line = line,
            .x = edge.along_first ? on.at : first_[edge.i],
            .y = edge.along_first ? second_[edge.j] : on.at,
            .along_first = edge.along_first,
            .low = on.low,
            .high = on.high};
  }

  void follow(Edge edge, std::size_t line, std::vector<BoundaryPoint>& result) {
    const Edge begin = edge;
    while (true) {
      done_[edge] = true;
      result.push_back(point_on(edge, line));
      const std::vector<Edge>& next = links_[edge];
      const auto free =
          std::ranges::find_if(next, [&](const Edge& other) { return !done_[other]; });
      if (free == next.end()) {
        // A closed line ends where it began.
        if (result.size() > 2 && edge != begin && std::ranges::count(next, begin) > 0 &&
            links_[begin].size() == 2) {
          result.push_back(point_on(begin, line));
        }
        return;
      }
      edge = *free;
    }
  }

  std::span<const double> first_;
  std::span<const double> second_;
  std::span<const std::optional<ReturnProbability>> points_;
  std::map<Edge, std::vector<Edge>> links_;
  std::map<Edge, bool> done_;
};

}  // namespace

std::vector<BoundaryPoint> phase_boundary(
    std::span<const double> first,
    std::span<const double> second,
    std::span<const std::optional<ReturnProbability>> points) {
  if (points.size() != first.size() * second.size()) {
    throw std::invalid_argument("a boundary takes a value of each point of the grid");
  }
  return Tracer{first, second, points}.lines();
}

std::vector<BoundaryPoint> phase_boundary(
    std::span<const double> values,
    std::span<const std::optional<ReturnProbability>> points) {
  if (points.size() != values.size()) {
    throw std::invalid_argument("a boundary takes a value of each point of the axis");
  }
  std::vector<BoundaryPoint> result;
  for (std::size_t k = 0; k + 1 < values.size(); ++k) {
    if (points[k] && points[k + 1] &&
        (points[k]->estimate >= 0.5) != (points[k + 1]->estimate >= 0.5)) {
      const Crossing on =
          crossing_between(*points[k], *points[k + 1], values[k], values[k + 1]);
      result.push_back({.line = result.size(),
                        .x = on.at,
                        .y = 0,
                        .along_first = true,
                        .low = on.low,
                        .high = on.high});
    }
  }
  return result;
}

}  // namespace basin
