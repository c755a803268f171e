#include "analysis/refinement.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace basin {

namespace {

void expect_plan(const RefinementPlan& plan) {
  if (plan.shape.empty() || plan.shape.size() != plan.is_refined.size()) {
    throw std::invalid_argument("a refinement needs axes");
  }
  constexpr int most_levels = 20;
  if (plan.levels < 1 || plan.levels > most_levels) {
    throw std::invalid_argument("a refinement has from 1 to 20 levels");
  }
  for (std::size_t axis = 0; axis < plan.shape.size(); ++axis) {
    const std::size_t coarse = std::size_t{1} << static_cast<unsigned>(plan.levels);
    if (plan.is_refined[axis] &&
        (plan.shape[axis] < 2 || (plan.shape[axis] - 1) % coarse != 0)) {
      throw std::invalid_argument(
          "an axis of " + std::to_string(plan.shape[axis]) + " points cannot be halved " +
          std::to_string(plan.levels) + " times (expected a multiple of " +
          std::to_string(coarse) + " and one)");
    }
  }
  if (plan.looks.empty() || plan.looks.front() < 1 ||
      std::ranges::adjacent_find(plan.looks, std::greater_equal<>{}) !=
          plan.looks.end()) {
    throw std::invalid_argument("looks are ascending numbers of replications");
  }
}

}  // namespace

Refinement::Refinement(RefinementPlan plan) : plan_{std::move(plan)} {
  expect_plan(plan_);
  std::size_t size = 1;
  for (const std::size_t length : plan_.shape) {
    size *= length;
  }
  points_.resize(size);
  // The boxes of the coarse lattice: along an axis that is not refined one for each
  // point.
  std::vector<std::size_t> origin(plan_.shape.size(), 0);
  while (true) {
    boxes_.push_back({.origin = origin, .level = 0});
    ask_for_lattice(boxes_.back(), 0);
    std::size_t axis = plan_.shape.size();
    while (axis-- > 0) {
      const std::size_t step = plan_.is_refined[axis] ? stride(0) : 1;
      const std::size_t last =
          plan_.is_refined[axis] ? plan_.shape[axis] - 1 - step : plan_.shape[axis] - 1;
      origin[axis] += step;
      if (origin[axis] <= last) {
        break;
      }
      origin[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) {
      break;
    }
  }
  std::ranges::sort(requests_, {}, &PointRequest::point);
}

std::size_t Refinement::place(const std::vector<std::size_t>& indices) const {
  std::size_t point = 0;
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    point = point * plan_.shape[axis] + indices[axis];
  }
  return point;
}

// All points of a closed box at multiples of `step` from its origin.
template <typename Visit>
void Refinement::visit(const Box& box, std::size_t step, const Visit& visit) const {
  const std::size_t side = stride(box.level);
  std::vector<std::size_t> indices = box.origin;
  while (true) {
    visit(place(indices));
    std::size_t axis = indices.size();
    while (axis-- > 0) {
      if (plan_.is_refined[axis]) {
        indices[axis] += step;
        if (indices[axis] <= box.origin[axis] + side) {
          break;
        }
        indices[axis] = box.origin[axis];
      }
    }
    if (axis == static_cast<std::size_t>(-1)) {
      return;
    }
  }
}

void Refinement::ask(std::size_t point, int level) {
  Point& asked = points_[point];
  if (asked.level < 0) {
    asked.level = level;
    requests_.push_back({.point = point, .replications = plan_.looks.front()});
  }
}

void Refinement::ask_for_lattice(const Box& box, int level) {
  visit(box, stride(level), [&](std::size_t point) { ask(point, level); });
}

void Refinement::answer(const std::vector<PointSeen>& seen) {
  if (seen.size() != requests_.size()) {
    throw std::invalid_argument("a refinement takes an answer to each request");
  }
  for (std::size_t k = 0; k < seen.size(); ++k) {
    Point& point = points_[requests_[k].point];
    point.replications = requests_[k].replications;
    point.seen = seen[k];
  }
  requests_.clear();
  look_again();
  if (requests_.empty()) {
    divide();
  }
  std::ranges::sort(requests_, {}, &PointRequest::point);
  if (requests_.empty()) {
    infer();
  }
}

// A point that is undecided gets the replications of the next look.
void Refinement::look_again() {
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Point& point = points_[k];
    if (point.replications == 0 || !point.seen.phase || point.seen.decided) {
      continue;
    }
    const auto next = std::ranges::upper_bound(plan_.looks, point.replications);
    if (next != plan_.looks.end()) {
      requests_.push_back({.point = k, .replications = *next});
    }
  }
}

bool Refinement::is_uniform(const Box& box) const {
  std::optional<Phase> common;
  bool uniform = true;
  visit(box, 1, [&](std::size_t k) {
    const Point& point = points_[k];
    if (point.replications == 0) {
      return;
    }
    uniform &= point.seen.phase.has_value() && point.seen.decided &&
               (!common || common == point.seen.phase);
    common = point.seen.phase;
  });
  return uniform;
}

// Divides until each box that can be divided is of one phase, or waits for answers.
void Refinement::divide() {
  std::vector<Box> kept;
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    const Box box = boxes_[k];
    if (box.level == plan_.levels || is_uniform(box)) {
      kept.push_back(box);
      continue;
    }
    const int level = box.level + 1;
    ask_for_lattice(box, level);
    std::vector<Box> children{{.origin = box.origin, .level = level}};
    for (std::size_t axis = 0; axis < plan_.shape.size(); ++axis) {
      if (plan_.is_refined[axis]) {
        const std::size_t count = children.size();
        for (std::size_t c = 0; c < count; ++c) {
          children.push_back(children[c]);
          children.back().origin[axis] += stride(level);
        }
      }
    }
    kept.insert(kept.end(), children.begin(), children.end());
  }
  const bool has_divided = kept.size() != boxes_.size();
  boxes_ = std::move(kept);
  if (has_divided && requests_.empty()) {
    divide();  // all that was asked for is known already
  }
}

// What was not run has the phase of its box.
void Refinement::infer() {
  for (const Box& box : boxes_) {
    const Point& corner = points_[place(box.origin)];
    visit(box, 1, [&](std::size_t k) {
      Point& point = points_[k];
      if (point.replications == 0 && point.level < 0) {
        point.level = box.level;
        point.seen = corner.seen;
      }
    });
  }
}

}  // namespace basin
