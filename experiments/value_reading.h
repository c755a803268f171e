// One value, typed by its key.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "experiments/settings.h"

namespace basin {

// What is wrong with a value, without its place and key.
class ValueProblem : public std::runtime_error {
 public:
  explicit ValueProblem(const std::string& problem, std::optional<Place> where = {})
      : std::runtime_error(problem), place{where} {}
  std::optional<Place> place;  // of the part that is wrong, if that is not the whole
};

// Fills the value's members of `setting`, whose text is a view into `node`. Throws
// ValueProblem for the wrong type, a missing unit, or a value out of the key's range.
void read_value(const KeyInfo& key, const SourceNode& node, Setting& setting);

}  // namespace basin
