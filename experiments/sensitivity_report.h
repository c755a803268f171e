// Which keys decide whether a system recovers: first-order sensitivity over the points of
// a sweep (analysis/sensitivity.h), as a listing and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/sensitivity.h"
#include "experiments/scenario.h"

namespace basin {

struct SensitivityReport {
  struct Row {
    std::string key;
    std::vector<std::string> with;  // keys of a zip, which cannot be told from it
    SensitivityIndex index;
  };
  std::size_t points = 0;  // with a result
  std::vector<Row> rows;   // the largest index first
  double rest = 0;         // explained by no key alone: by keys together, and by chance
  bool is_sample = true;   // else points of a file, whose keys may go together
  bool has_gaps = false;   // points left out or without a result: keys may go together
  std::string why_none;    // not empty: there are no indices, and why
};

// Whether the sweep has an axis of points, which is what the indices are for.
bool has_points(const std::vector<Axis>& axes);

// `recovery` holds for each cell, row-major, how probably (or in which share of its
// replications) it recovers, or NaN for a cell that was left out, failed or has no
// verdict.
SensitivityReport sensitivity_of(const Scenario& scenario,
                                 std::span<const double> recovery);

// With a line break at the end.
std::string sensitivity_text(const SensitivityReport& report);

// {"points": …, "method": …, "keys": [{"key": …, "first_order": …, "low": …, "high": …}],
// "rest": …, "reason": null}, without a line break.
std::string sensitivity_json(const SensitivityReport& report);

}  // namespace basin
