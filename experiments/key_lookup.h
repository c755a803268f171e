// The value a key has in a scenario, be it said, of a preset or the default.
#pragma once

#include <stdexcept>
#include <string_view>

#include "experiments/expression.h"
#include "experiments/scenario_source.h"

namespace basin {

// The key has no value that an expression could use; what() says why.
class NoValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Looks only at what decides this key, so that the rest of the scenario may still be
// incomplete. A mean said as a rate is found, and the other way round; so is the mean of
// a distribution said as a duration alone. Throws NoValue, and ScenarioError for a value
// that is wrong.
ExpressionValue value_in_force(const SourceFile& file,
                               const SourceNode& root,
                               const KeyTarget& target);

// Whether the two say something about the same value: they are the same, one is a part of
// the other, or they are alternatives.
bool overlap(const KeyTarget& a, const KeyTarget& b);

// Whether setting `setter` may change the value of `key`: they overlap, or the setter
// decides which keys apply there and what they default to.
bool may_change(const KeyTarget& setter, const KeyTarget& key);

}  // namespace basin
