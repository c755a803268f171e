#include "analysis/refinement.h"

#include <cmath>
#include <functional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/phase_boundary.h"

namespace basin {
namespace {

using Field = std::function<PointSeen(std::size_t point, std::int64_t replications)>;

struct Map {
  Refinement refinement;
  std::int64_t runs = 0;
};
Map map_of(const RefinementPlan& plan, const Field& field) {
  Map map{.refinement = Refinement{plan}};
  std::vector<std::int64_t> done(plan.shape[0] *
                                 (plan.shape.size() > 1 ? plan.shape[1] : 1));
  while (!map.refinement.requests().empty()) {
    std::vector<PointSeen> seen;
    for (const PointRequest& request : map.refinement.requests()) {
      map.runs += request.replications - done[request.point];
      done[request.point] = request.replications;
      seen.push_back(field(request.point, request.replications));
    }
    map.refinement.answer(seen);
  }
  return map;
}

PointSeen sure(Phase phase) {
  return {.phase = phase, .decided = true};
}

// Vulnerable inside of a circle that the grid's middle is near to.
Phase circle(std::size_t point) {
  const double x = static_cast<double>(point / 65) / 96 - 0.53;
  const double y = static_cast<double>(point % 65) / 64 - 0.48;
  return std::hypot(x, y) < 0.31 ? Phase::vulnerable : Phase::stable;
}

const RefinementPlan plan_97_65{
    .shape = {97, 65}, .is_refined = {true, true}, .levels = 4, .looks = {16, 32, 64}};

TEST(Refinement, a_circle_is_found_exactly_with_a_fraction_of_the_points) {
  const Map map =
      map_of(plan_97_65, [](std::size_t k, std::int64_t) { return sure(circle(k)); });
  for (std::size_t k = 0; k < 97 * 65; ++k) {
    ASSERT_EQ(map.refinement.phase(k), circle(k)) << k;
    EXPECT_TRUE(map.refinement.decided(k));
    EXPECT_GE(map.refinement.level(k), 0);
  }
  EXPECT_LT(map.runs, 97 * 65 * 16 * 0.15);
}

TEST(Refinement, a_map_of_one_phase_takes_the_coarse_lattice_alone) {
  const Map map =
      map_of(plan_97_65, [](std::size_t, std::int64_t) { return sure(Phase::stable); });
  EXPECT_EQ(map.runs, 7 * 5 * 16);
  EXPECT_EQ(map.refinement.phase(1), Phase::stable);
  EXPECT_FALSE(map.refinement.was_run(1));
  EXPECT_EQ(map.refinement.level(1), 0);
}

TEST(Refinement, an_undecided_point_gets_further_looks_and_its_boxes_are_divided) {
  const std::size_t point = 16 * 65 + 16;
  const Map map = map_of(plan_97_65, [&](std::size_t k, std::int64_t replications) {
    return PointSeen{.phase = Phase::stable, .decided = k != point || replications >= 64};
  });
  EXPECT_EQ(map.refinement.replications(point), 64);
  EXPECT_EQ(map.runs, 7 * 5 * 16 + 48);

  const Map never = map_of(plan_97_65, [&](std::size_t k, std::int64_t) {
    return PointSeen{.phase = Phase::stable, .decided = k != point};
  });
  EXPECT_TRUE(never.refinement.was_run(point + 1));
  EXPECT_EQ(never.refinement.level(point + 1), 4);
}

TEST(Refinement, an_axis_that_is_not_refined_is_looked_at_in_full) {
  const RefinementPlan plan{
      .shape = {3, 9}, .is_refined = {false, true}, .levels = 2, .looks = {4}};
  const Map map = map_of(plan, [](std::size_t k, std::int64_t) {
    return sure(k / 9 == 1 && k % 9 > 5 ? Phase::vulnerable : Phase::stable);
  });
  // Rows 0 and 2: their three coarse points; row 1: those, the halves and the edge.
  EXPECT_EQ(map.runs, 4 * (3 + 3 + 5));
  EXPECT_EQ(map.refinement.phase(9 + 6), Phase::vulnerable);
  EXPECT_EQ(map.refinement.phase(9 + 5), Phase::stable);
}

TEST(Refinement, a_point_that_failed_stops_nothing) {
  const Map map = map_of(plan_97_65, [](std::size_t k, std::int64_t) {
    return k == 0 ? PointSeen{} : sure(Phase::stable);
  });
  EXPECT_FALSE(map.refinement.phase(0));
  EXPECT_EQ(map.refinement.phase(70), Phase::stable);
}

TEST(Refinement, a_plan_that_is_none_is_refused) {
  const auto fails = [](RefinementPlan plan) {
    EXPECT_THROW(Refinement{plan}, std::invalid_argument);
  };
  fails({.shape = {96}, .is_refined = {true}, .levels = 4});
  fails({.shape = {}, .is_refined = {}, .levels = 1});
  fails({.shape = {17}, .is_refined = {true}, .levels = 0});
  fails({.shape = {17}, .is_refined = {true}, .levels = 1, .looks = {}});
  fails({.shape = {17}, .is_refined = {true}, .levels = 1, .looks = {16, 16}});
}

std::vector<std::optional<ReturnProbability>> probabilities(
    std::size_t n, const std::function<double(double, double)>& p) {
  std::vector<std::optional<ReturnProbability>> points;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double value = p(static_cast<double>(i), static_cast<double>(j));
      points.push_back(
          ReturnProbability{.estimate = value,
                            .interval = {.low = std::max(value - 0.1, 0.0),
                                         .high = std::min(value + 0.1, 1.0)}});
    }
  }
  return points;
}

std::vector<double> counted(std::size_t n) {
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) {
    values.push_back(static_cast<double>(k));
  }
  return values;
}

TEST(PhaseBoundary, of_a_slope_is_one_line_at_one_half_with_its_uncertainty) {
  // p falls from 1 to 0 along the first axis, by 0.4 a step about 2.3.
  const auto line =
      phase_boundary(counted(6), counted(6), probabilities(6, [](double x, double) {
                       return std::clamp(0.5 - 0.4 * (x - 2.3), 0.0, 1.0);
                     }));
  ASSERT_EQ(line.size(), 6U);
  for (std::size_t k = 0; k < line.size(); ++k) {
    EXPECT_EQ(line[k].line, 0U);
    EXPECT_NEAR(line[k].x, 2.3, 1e-12);
    EXPECT_NEAR(line[k].low, 2.05, 1e-12);
    EXPECT_NEAR(line[k].high, 2.55, 1e-12);
    EXPECT_NEAR(line[k].y, static_cast<double>(k), 1e-12);
    EXPECT_TRUE(line[k].along_first);
  }
}

TEST(PhaseBoundary, of_a_circle_is_one_closed_line_near_its_radius) {
  const auto line = phase_boundary(
      counted(21), counted(21), probabilities(21, [](double x, double y) {
        return std::clamp(0.5 + (6.3 - std::hypot(x - 10, y - 10)), 0.0, 1.0);
      }));
  ASSERT_GT(line.size(), 20U);
  for (const BoundaryPoint& point : line) {
    EXPECT_EQ(point.line, 0U);
    EXPECT_NEAR(std::hypot(point.x - 10, point.y - 10), 6.3, 0.2);
  }
  EXPECT_EQ(line.front().x, line.back().x);
  EXPECT_EQ(line.front().y, line.back().y);
}

TEST(PhaseBoundary, of_two_spots_is_two_lines_and_of_unknown_points_none) {
  auto points = probabilities(9, [](double x, double y) {
    return std::hypot(x - 2, y - 2) < 1.5 || std::hypot(x - 6, y - 6) < 1.5 ? 1.0 : 0.0;
  });
  EXPECT_EQ(phase_boundary(counted(9), counted(9), points).back().line, 1U);
  points.assign(points.size(), std::nullopt);
  EXPECT_TRUE(phase_boundary(counted(9), counted(9), points).empty());
}

}  // namespace
}  // namespace basin
