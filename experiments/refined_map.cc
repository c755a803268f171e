#include "experiments/refined_map.h"

#include <numeric>

#include <fmt/format.h>

#include "experiments/grid.h"
#include "experiments/units.h"

namespace basin {

namespace {

bool has_boundary(const std::vector<Axis>& axes) {
  return !axes.empty() && axes.size() <= 2 &&
         std::all_of(axes.begin(), axes.end(), [](const Axis& axis) {
           return axis.is_numeric && axis.key != point_axis;
         });
}

// How probably the system comes back: it is stable or draining.
ReturnProbability return_of(const CellVerdict& verdict) {
  const std::int64_t count =
      verdict.phases[static_cast<std::size_t>(Phase::stable)].count +
      verdict.phases[static_cast<std::size_t>(Phase::draining)].count;
  return {
      .estimate = static_cast<double>(count) / static_cast<double>(verdict.replications),
      .interval = jeffreys_interval(count, verdict.replications)};
}

std::string value_text(double value, const std::string& unit) {
  return unit == "1"     ? fmt::format("{:.4g}", value)
         : unit == "1/s" ? fmt::format("{:.4g}/s", value)
                         : fmt::format("{:.4g} {}", value, unit);
}

}  // namespace

RefinedMapMaker::RefinedMapMaker(const Scenario& scenario, const Refinement& refinement)
    : scenario_{scenario},
      refinement_{refinement},
      returns_(Grid{scenario.axes}.size()) {}

void RefinedMapMaker::finish(CellResult& cell) {
  if (cell.output.has_verdict) {
    returns_[cell.cell] = return_of(cell.output.verdict);
  } else if (!refinement_.was_run(cell.cell) && refinement_.phase(cell.cell)) {
    cell.output.status = CellStatus::inferred;
    cell.output.verdict.phase = *refinement_.phase(cell.cell);
    cell.output.verdict.decided = refinement_.decided(cell.cell);
  }
}

RefinedMap RefinedMapMaker::map() const {
  RefinedMap map;
  for (std::size_t cell = 0; cell < returns_.size(); ++cell) {
    map.level.push_back(static_cast<std::int8_t>(refinement_.level(cell)));
    map.replications.push_back(refinement_.replications(cell));
  }
  map.runs =
      std::accumulate(map.replications.begin(), map.replications.end(), std::int64_t{0});
  map.runs_of_full_grid =
      static_cast<std::int64_t>(returns_.size()) * scenario_.replications;
  const std::vector<Axis>& axes = scenario_.axes;
  if (has_boundary(axes)) {
    map.boundary = axes.size() == 1
                       ? phase_boundary(axes[0].si_values, returns_)
                       : phase_boundary(axes[0].si_values, axes[1].si_values, returns_);
  }
  return map;
}

std::vector<std::string> refinement_variable_names() {
  return {"level",
          "replications",
          "boundary",
          "boundary_line",
          "boundary_first",
          "boundary_second",
          "boundary_along_first",
          "boundary_low",
          "boundary_high"};
}

void write_refinement(NetcdfFile& file,
                      const std::vector<std::string>& axes,
                      const RefinedMap& map) {
  file.write(file.add_variable({.name = "level",
                                .type = NetcdfType::int8,
                                .dimensions = axes,
                                .long_name = "lattice on which the cell was looked at, 0 "
                                             "the coarse one",
                                .unit = "1"}),
             {},
             map.level);
  file.write(file.add_variable({.name = "replications",
                                .type = NetcdfType::int64,
                                .dimensions = axes,
                                .long_name = "replications of the cell",
                                .unit = "1",
                                .comment = "0 where the phase is inferred"}),
             {},
             map.replications);
  if (map.boundary.empty()) {
    return;
  }
  std::vector<std::int64_t> numbers(map.boundary.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  file.add_coordinate(
      "boundary", "point of the line where half of the runs come back", {}, numbers);
  const auto write = [&](const std::string& name,
                         const std::string& long_name,
                         const auto& value) {
    std::vector<double> values;
    for (const BoundaryPoint& point : map.boundary) {
      values.push_back(value(point));
    }
    file.write(file.add_variable(
                   {.name = name, .dimensions = {"boundary"}, .long_name = long_name}),
               {},
               values);
  };
  const auto along = [&](const BoundaryPoint& point) {
    return point.along_first || axes.size() == 1;
  };
  write("boundary_line", "number of the polyline", [](const BoundaryPoint& point) {
    return static_cast<double>(point.line);
  });
  write("boundary_first", axes[0], [](const BoundaryPoint& point) { return point.x; });
  if (axes.size() == 2) {
    write("boundary_second", axes[1], [](const BoundaryPoint& point) { return point.y; });
  }
  write("boundary_along_first",
        "1: low and high are values of " + axes[0] + ", 0: of the other axis",
        [&](const BoundaryPoint& point) { return along(point) ? 1.0 : 0.0; });
  write("boundary_low",
        "where the ends of the 95% intervals come to one half, lowest",
        [](const BoundaryPoint& point) { return point.low; });
  write("boundary_high",
        "where the ends of the 95% intervals come to one half, highest",
        [](const BoundaryPoint& point) { return point.high; });
}

std::string boundary_text(const Scenario& scenario, const RefinedMap& map) {
  if (map.boundary.empty()) {
    return "";
  }
  const std::vector<Axis>& axes = scenario.axes;
  std::string text = "Half of the runs come back at:\n";
  // With one axis all points, else some of those on the second axis at steps of the
  // first.
  constexpr std::size_t most_rows = 12;
  std::vector<const BoundaryPoint*> rows;
  for (const BoundaryPoint& point : map.boundary) {
    if (axes.size() == 1 || !point.along_first) {
      rows.push_back(&point);
    }
  }
  if (rows.empty()) {
    for (const BoundaryPoint& point : map.boundary) {
      rows.push_back(&point);
    }
  }
  const std::size_t step = (rows.size() + most_rows - 1) / most_rows;
  for (std::size_t k = 0; k < rows.size(); k += step) {
    const BoundaryPoint& point = *rows[k];
    const bool along_first = axes.size() == 1 || point.along_first;
    const Axis& axis = along_first ? axes[0] : axes[1];
    std::string where;
    if (axes.size() == 2) {
      const Axis& other = along_first ? axes[1] : axes[0];
      where = fmt::format("  at {} = {}",
                          other.key,
                          value_text(along_first ? point.y : point.x, other.unit));
    }
    text += fmt::format("  {} = {} ({} to {}){}\n",
                        axis.key,
                        value_text(along_first ? point.x : point.y, axis.unit),
                        value_text(point.low, axis.unit),
                        value_text(point.high, axis.unit),
                        where);
  }
  return text;
}

}  // namespace basin
