// What identifies a result whatever sweep asks for it: a hash of the resolved parameters
// of its cell, the seed and the version of the model's semantics among them. With the arm
// and the replication it names one run.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "experiments/grid.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"

namespace basin {

struct CellKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const CellKey&) const = default;
};

// "9f86d081884c7d65…", 32 hexadecimal digits
std::string text_of(const CellKey& key);

// The keys of a sweep's cells. Cells that share a control have one key for that arm.
class CellKeys {
 public:
  explicit CellKeys(const Scenario& scenario);

  CellKey of(std::size_t cell, Arm arm) const;

 private:
  CellKey key_of(const std::vector<std::size_t>& indices, bool is_control) const;

  std::vector<Axis> axes_;
  Grid grid_;
  bool shares_controls_;
  std::string experiment_;  // hash of what all cells have in common
};

// Where the results of a key belong in a grid.
class CellsByKey {
 public:
  // `groups` as control_groups gives them.
  CellsByKey(const CellKeys& keys,
             const std::vector<std::vector<std::size_t>>& groups,
             bool has_other_arms);

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  // The cell, for the control the first of those that share it, or nowhere.
  std::size_t find(const CellKey& key, Arm arm) const;

 private:
  using Entries = std::vector<std::pair<CellKey, std::size_t>>;
  Entries controls_;
  Entries others_;
};

}  // namespace basin
