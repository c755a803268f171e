// Values of a key along an axis.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/scenario_source.h"

namespace basin {

inline constexpr std::int64_t most_values = 100'000;  // of one axis

// The key, which must be one that a sweep may vary. Throws ScenarioError, as all of this
// does.
KeyTarget sweep_target(const SourceFile& file,
                       const SourceNode& root,
                       std::string_view path,
                       const Place& place);

bool is_numeric(const KeyInfo& key);

// Of a choice its place among the choices; infinite for a word such as none.
double si_value(const SourceFile& file, const KeyTarget& target, const SourceNode& node);

// Two values in one unit: their own if they share it, else seconds or per second.
struct Ends {
  long double from = 0;
  long double to = 0;
  std::string unit;
};
Ends common_ends(const SourceFile& file,
                 const KeyTarget& target,
                 const SourceNode& from,
                 const SourceNode& to);

// `steps` values, evenly from one to the other, both included.
std::vector<SourceNode> stepped_values(const SourceFile& file,
                                       const KeyTarget& target,
                                       const SourceNode& from,
                                       const SourceNode& to,
                                       std::int64_t steps,
                                       const Place& place);

}  // namespace basin
