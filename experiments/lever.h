// A key with a number that a search turns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/stochastic_search.h"
#include "experiments/scenario.h"

namespace basin {

struct Lever {
  std::string key;   // "arrivals.rate", "incident.outage.duration"
  std::string unit;  // "1/s", "s", "1"
  bool is_whole = false;
  // What the key may be, in SI units; infinite without a bound. Whole numbers up to 10^9.
  double least = 0;
  double most = 0;
  std::optional<double> today;  // as the scenario says it; absent for words such as none
};

// Throws ScenarioError for what is no key, or has no number.
Lever lever_of(const Scenario& scenario, const std::string& key);

// As --set takes it: "149.25/s", "90s", "32"; six significant digits.
std::string written_value(const Lever& lever, double value);
// As people read it: "149.2/s", "1 min 30 s", "32".
std::string readable_value(const Lever& lever, double value);
// The value of `text`, as it would be written in the file. Throws ScenarioError.
double parse_lever_value(const Scenario& scenario,
                         const Lever& lever,
                         const std::string& text);

// The scenario at a value of the lever, without axes.
Scenario at_value(const Scenario& scenario, const Lever& lever, double value);

// "key=v1,v2,…" or "key=from:to:steps", as "key=v1", "key=v2", … Throws ScenarioError.
struct OverAxis {
  std::string key;
  std::string unit;
  std::vector<std::string> values;
  std::vector<double> si_values;
};
OverAxis over_axis(const Scenario& scenario, const std::string& option);

}  // namespace basin
