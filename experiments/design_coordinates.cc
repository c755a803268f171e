#include "experiments/design_coordinates.h"

#include <algorithm>
#include <cmath>

#include "engine/contract.h"
#include "experiments/axis_names.h"

namespace basin {

std::vector<DesignCoordinate> design_coordinates(const std::vector<Axis>& axes,
                                                 std::span<const std::string> dimensions,
                                                 std::vector<std::string> taken) {
  BASIN_EXPECT(dimensions.size() == axes.size());
  taken.insert(taken.end(), dimensions.begin(), dimensions.end());
  std::vector<DesignCoordinate> coordinates;
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (const AxisKey& key : axes[i].with) {
      coordinates.push_back({.name = {}, .dimension = dimensions[i], .key = &key});
      keys.push_back(key.key);
    }
  }
  const std::vector<std::string> names = axis_names(keys, taken);
  for (std::size_t i = 0; i < names.size(); ++i) {
    coordinates[i].name = names[i];
  }
  return coordinates;
}

void add_design_coordinates(NetcdfFile& file,
                            const std::vector<Axis>& axes,
                            std::span<const std::string> dimensions,
                            std::vector<std::string> taken) {
  std::string names;
  for (const DesignCoordinate& coordinate :
       design_coordinates(axes, dimensions, std::move(taken))) {
    const AxisKey& key = *coordinate.key;
    const std::size_t variable = file.add_variable(
        {.name = coordinate.name,
         .type = key.is_numeric ? NetcdfType::float64 : NetcdfType::text,
         .dimensions = {coordinate.dimension},
         .long_name = key.key,
         .unit = key.is_numeric ? key.unit : ""});
    if (key.is_numeric) {
      file.write(variable, {}, std::span<const double>{key.si_values});
    } else {
      file.write(variable, {}, std::span<const std::string>{key.values});
    }
    names += (names.empty() ? "" : " ") + coordinate.name;
  }
  if (!names.empty()) {
    file.set_attribute("coordinates", names);
  }
}

Duration longest_horizon(const Scenario& scenario) {
  constexpr std::string_view horizon = "simulation.horizon";
  double longest = 0;
  const auto look_at = [&](std::string_view key, const std::vector<double>& si_values) {
    if (key == horizon) {
      longest = std::ranges::max(si_values);
    }
  };
  for (const Axis& axis : scenario.axes) {
    look_at(axis.key, axis.si_values);
    for (const AxisKey& key : axis.with) {
      look_at(key.key, key.si_values);
    }
  }
  return longest > 0 ? from_seconds(longest) : scenario.system.horizon;
}

}  // namespace basin
