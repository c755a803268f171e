#include "experiments/phase_map.h"

#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>

namespace basin {
namespace {

using testing::HasSubstr;
using testing::Not;

const Axis rates{.key = "arrivals.rate",
                 .unit = "1/s",
                 .values = {"20/s", "60/s", "100/s"},
                 .si_values = {20, 60, 100}};
const Axis durations{.key = "incident.outage.duration",
                     .unit = "s",
                     .values = {"1min", "8min"},
                     .si_values = {60, 480}};

MapCell done(Phase phase, bool decided = true) {
  return {.status = CellStatus::done, .phase = phase, .decided = decided};
}
const MapCell stable = done(Phase::stable);
const MapCell vulnerable = done(Phase::vulnerable);
const MapCell overloaded = done(Phase::overloaded);

std::size_t widest(const std::string& text) {
  std::istringstream lines{text};
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    widest = std::max(widest, line.size());
  }
  return widest;
}

Axis many(std::string key, std::size_t count) {
  Axis axis{.key = std::move(key), .unit = "1/s", .values = {}, .si_values = {}};
  for (std::size_t k = 0; k < count; ++k) {
    axis.values.push_back(std::to_string(k) + "/s");
    axis.si_values.push_back(static_cast<double>(k));
  }
  return axis;
}

TEST(PhaseMap, the_first_axis_goes_across_and_larger_values_go_up) {
  // Row-major: the duration runs fastest.
  const std::string map =
      render_phase_map({rates, durations},
                       {stable, stable, stable, vulnerable, overloaded, overloaded},
                       {});
  EXPECT_EQ(map,
            "incident.outage.duration [s] up, arrivals.rate [1/s] across\n"
            "8min | S     V     O\n"
            "1min | S     S     O\n"
            "       |     |     |\n"
            "       20/s  60/s  100/s\n"
            "\n"
            "   S stable           3  comes back after the trigger\n"
            "   V vulnerable       1  stays down after the trigger is gone\n"
            "   O overloaded       2  is never healthy, trigger or not\n");
}

TEST(PhaseMap, one_axis_is_a_strip) {
  const std::string map = render_phase_map({rates}, {stable, vulnerable, overloaded}, {});
  EXPECT_THAT(map, HasSubstr("arrivals.rate [1/s]\n | S     V     O\n"));
}

TEST(PhaseMap, undecided_failed_and_missing_cells_can_be_told_apart) {
  EXPECT_EQ(letter_of(done(Phase::vulnerable, false)), 'v');
  EXPECT_EQ(letter_of(done(Phase::spontaneous, false)), 'i');
  EXPECT_EQ(letter_of({.status = CellStatus::failed}), '?');
  EXPECT_EQ(letter_of({}), ' ');
  const std::string map = render_phase_map(
      {rates}, {done(Phase::draining, false), {.status = CellStatus::failed}, {}}, {});
  EXPECT_THAT(map, HasSubstr("undecided"));
  EXPECT_THAT(map, HasSubstr("failed"));
  EXPECT_THAT(map, HasSubstr("not run"));
}

TEST(PhaseMap, is_turned_where_only_that_fits) {
  const std::vector<Axis> axes{many("wide", 200), durations};
  const std::string map =
      render_phase_map(axes, std::vector<MapCell>(400, stable), {.columns = 80});
  EXPECT_THAT(map, HasSubstr("wide [1/s] up, incident.outage.duration [s] across"));
}

TEST(PhaseMap, is_cut_into_bands_where_nothing_fits) {
  const std::vector<Axis> axes{many("a", 150), many("b", 90)};
  const std::string map =
      render_phase_map(axes, std::vector<MapCell>(150 * 90, stable), {.columns = 80});
  EXPECT_LE(widest(map), 80U);
  EXPECT_EQ(std::count(map.begin(), map.end(), 'S'), 150 * 90 + 1);  // and the legend's
}

TEST(PhaseMap, further_axes_make_panels_and_not_too_many) {
  const std::vector<Axis> axes{rates, durations, many("c", 10)};
  const std::string map =
      render_phase_map(axes, std::vector<MapCell>(60, stable), {.most_panels = 3});
  EXPECT_THAT(map, HasSubstr("c = 0/s"));
  EXPECT_THAT(map, HasSubstr("c = 9/s"));
  EXPECT_THAT(map, HasSubstr("3 of 10 panels shown"));
}

TEST(PhaseMap, colours_only_on_request) {
  const std::vector<MapCell> cells(3, stable);
  EXPECT_THAT(render_phase_map({rates}, cells, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_phase_map({rates}, cells, {.colour = true}),
              HasSubstr("\x1b[30;42m"));
}

}  // namespace
}  // namespace basin
