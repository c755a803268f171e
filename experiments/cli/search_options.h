// What the verbs that search have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/cli/arguments.h"
#include "experiments/scenario.h"
#include "experiments/search_runs.h"

namespace basin {

// Scenario S without its axes, of which a note tells.
Scenario searched_scenario(const Arguments& arguments, const char* verb);

// "1%" or "0.01", a whole number above 0. Throw UsageError.
double percent_option(const Arguments& arguments, std::string_view name, double fallback);
std::int64_t count_option(const Arguments& arguments,
                          std::string_view name,
                          std::int64_t fallback);

struct SearchReport {
  std::string text;
  std::string json;
  std::vector<std::string> cautions;  // to standard error, unless quiet
};

// Runs a search on the terminal and prints what it found: exit code. What cannot be
// searched becomes a UsageError, a run that failed exit_some_failed.
int run_search(const Arguments& arguments,
               const std::function<std::size_t()>& expected_runs,
               const std::function<SearchReport(const RunScenarios&)>& search);

}  // namespace basin
