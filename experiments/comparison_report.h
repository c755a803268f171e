// A comparison as text for a terminal and as JSON.
#pragma once

#include <string>
#include <vector>

#include "experiments/comparison.h"

namespace basin {

struct ComparisonReport {
  ComparedSide a;
  ComparedSide b;
  std::string name_of_a;  // as the command line says it: "mine.toml"
  std::string name_of_b;  // "mine.toml with consumers.count=32"
  Comparison comparison;
  std::vector<std::string> notes;  // cautions, and what was overridden
};

// At most 80 columns. The notes are left out: they belong on standard error.
std::string comparison_text(const ComparisonReport& report);

// One object, complete; numbers that are not finite are null, and `reason` says why a
// difference is.
std::string comparison_json(const ComparisonReport& report);

// Why a metric has no mean difference: "infinite in 12 of 12 in A, 0 in B". Empty where
// it has one.
std::string why_undefined(const PairedDifference& difference);

}  // namespace basin
