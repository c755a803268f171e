#include "experiments/grid.h"

#include <gtest/gtest.h>

namespace basin {
namespace {

Axis axis(std::string key, std::vector<double> values, bool touches_control = true) {
  Axis result{.key = std::move(key), .unit = "s", .values = {}, .si_values = values};
  for (const double value : values) {
    result.values.push_back(std::to_string(static_cast<int>(value)) + "s");
  }
  result.touches_control = touches_control;
  return result;
}

TEST(Grid, the_last_axis_runs_fastest) {
  const Grid grid{{axis("a", {1, 2}), axis("b", {1, 2, 3})}};
  EXPECT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid.indices_of(4), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(grid.cell_at({1, 2}), 5U);
}

TEST(Grid, indices_lead_back_to_their_cell) {
  const Grid grid{{axis("a", {1, 2}), axis("b", {1}), axis("c", {1, 2, 3, 4})}};
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    EXPECT_EQ(grid.cell_at(grid.indices_of(cell)), cell);
  }
}

TEST(Grid, without_axes_there_is_one_cell) {
  const Grid grid{{}};
  EXPECT_EQ(grid.size(), 1U);
  EXPECT_TRUE(grid.indices_of(0).empty());
}

TEST(Grid, refuses_more_cells_than_anyone_waits_for) {
  const std::vector<double> many(4000, 1.0);
  EXPECT_THROW((Grid{{axis("a", many), axis("b", many)}}), std::length_error);
}

TEST(Grid, cells_that_agree_where_it_matters_share_a_control) {
  const std::vector<Axis> axes{axis("incident.x.duration", {1, 2}, false),
                               axis("rate", {1, 2, 3})};
  const auto groups = cells_by_control(Grid{axes}, axes);
  EXPECT_EQ(groups, (std::vector<std::vector<std::size_t>>{{0, 3}, {1, 4}, {2, 5}}));
}

TEST(Grid, the_hash_is_of_values_and_not_of_their_places) {
  const std::vector<Axis> all{axis("a", {1, 2, 3})};
  const std::vector<Axis> some{axis("a", {3})};
  EXPECT_EQ(hash_of_values(all, {2}), hash_of_values(some, {0}));
  EXPECT_NE(hash_of_values(all, {1}), hash_of_values(some, {0}));
  EXPECT_NE(hash_of_values(all, {1}), hash_of_values({axis("b", {2})}, {0}));
}

TEST(Grid, the_hash_does_not_see_how_a_value_is_written) {
  Axis minutes = axis("a", {60});
  minutes.values = {"1min"};
  EXPECT_EQ(hash_of_values({minutes}, {0}), hash_of_values({axis("a", {60})}, {0}));
}

TEST(Grid, a_cell_is_described_by_its_values) {
  EXPECT_EQ(describe_cell({axis("a", {1, 2}), axis("b", {7})}, {1, 0}), "a = 2s, b = 7s");
}

}  // namespace
}  // namespace basin
