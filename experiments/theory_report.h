// Theory beside the simulation, as text and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/intervals.h"
#include "experiments/cell_result.h"
#include "experiments/run_summary.h"
#include "experiments/theory.h"

namespace basin {

// What a simulation says of one value of theory.
struct Comparison {
  MeanEstimate simulated;  // 95%
  // Whether the value lies outside of the 95% interval, and outside of the 99.9% one,
  // which chance alone explains once in a thousand times.
  bool excluded = false;
  bool excluded_beyond_chance = false;
};
// Absent where nothing was measured, or by fewer than two replications, or where the mean
// is not finite.
std::optional<Comparison> compare_with(const TheoryValue& value,
                                       const std::vector<Arm>& arms,
                                       const CellResult& result);

// The exact values that the simulation's 95% interval excludes.
struct Exclusions {
  std::size_t compared = 0;
  std::size_t excluded = 0;
  std::size_t beyond_chance = 0;
};
Exclusions exact_exclusions(const std::vector<TheoryForm>& forms,
                            const std::vector<Arm>& arms,
                            const CellResult& result);

// `result` is nullptr without a simulation.
std::string theory_text(const Scenario& scenario,
                        const std::vector<TheoryForm>& forms,
                        const std::vector<Arm>& arms,
                        const CellResult* result,
                        const SummaryStyle& style);
std::string theory_json(const Scenario& scenario,
                        const std::vector<TheoryForm>& forms,
                        const std::vector<Arm>& arms,
                        const CellResult* result);

}  // namespace basin
