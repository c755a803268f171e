#include "experiments/cell_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/runner.h"
#include "experiments/scenario_values.h"
#include "experiments/sha1.h"

namespace basin {

std::string text_of(const CellKey& key) {
  return fmt::format("{:016x}{:016x}", key.high, key.low);
}

CellKeys::CellKeys(const Scenario& scenario)
    : axes_{scenario.axes},
      grid_{scenario.axes},
      shares_controls_{basin::shares_controls(scenario)},
      experiment_{sha1_text(experiment_values(scenario))} {}

CellKey CellKeys::of(std::size_t cell, Arm arm) const {
  return key_of(grid_.indices_of(cell), arm == Arm::control);
}

CellKey CellKeys::key_of(const std::vector<std::size_t>& indices, bool is_control) const {
  std::string text = experiment_;
  text += is_control && shares_controls_ ? "\ncontrol\n" : "\ncell\n";
  const auto add = [&](const std::vector<Axis>& axes,
                       const std::vector<std::size_t>& places) {
    auto values = exact_values(axes, places);
    std::ranges::sort(values);  // axes may change places
    for (const auto& [key, value] : values) {
      text += key;
      text += '=';
      text += value;
      text += '\n';
    }
  };
  if (is_control && shares_controls_) {
    std::vector<Axis> touching;
    std::vector<std::size_t> places;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (axes_[axis].touches_control) {
        touching.push_back(axes_[axis]);
        places.push_back(indices[axis]);
      }
    }
    add(touching, places);
  } else {
    add(axes_, indices);
  }
  const std::array<std::uint32_t, 5> digest = sha1(text);
  const auto joined = [](std::uint32_t high, std::uint32_t low) {
    return (std::uint64_t{high} << 32U) | low;
  };
  return {.high = joined(digest[0], digest[1]), .low = joined(digest[2], digest[3])};
}

CellsByKey::CellsByKey(const CellKeys& keys,
                       const std::vector<std::vector<std::size_t>>& groups,
                       bool has_other_arms) {
  for (const std::vector<std::size_t>& group : groups) {
    controls_.emplace_back(keys.of(group.front(), Arm::control), group.front());
    if (has_other_arms) {
      for (const std::size_t cell : group) {
        others_.emplace_back(keys.of(cell, Arm::triggered), cell);
      }
    }
  }
  std::ranges::sort(controls_);
  std::ranges::sort(others_);
}

std::size_t CellsByKey::find(const CellKey& key, Arm arm) const {
  const Entries& entries = arm == Arm::control ? controls_ : others_;
  const auto found = std::ranges::lower_bound(
      entries, key, {}, [](const auto& entry) { return entry.first; });
  return found == entries.end() || found->first != key ? nowhere : found->second;
}

}  // namespace basin
