// What a person on call reads of one run: the verdict in a sentence, how sure it is, when
// it is over, and what happened to the queue.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/cell_result.h"
#include "experiments/run_statistics.h"
#include "experiments/scenario.h"

namespace basin {

struct SummaryStyle {
  std::size_t columns = 80;
  bool colour = false;
  bool utf8 = true;
};

// The verdict as one sentence without a line break.
std::string verdict_sentence(const Scenario& scenario, const CellResult& result);

std::string run_summary(const Scenario& scenario,
                        const std::vector<Arm>& arms,
                        const CellResult& result,
                        const SummaryStyle& style,
                        const RunStatistics& statistics = {});

// Four significant digits and thousands separated: "12,346", "0.9876", "never" and "-"
// for infinite and missing values.
std::string readable(double value);
// "2.5 ms", "42 s", "21.4 min", "3.2 h"
std::string readable_span(double seconds);

}  // namespace basin
