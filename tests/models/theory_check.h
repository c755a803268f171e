// Comparing the simulation with numbers that theory gives: independent replications, an
// interval for each value, and a demand on its width, so that agreement means something.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "analysis/intervals.h"
#include "models/run_result.h"
#include "models/system_config.h"

namespace basin {

struct TheoryValue {
  std::string name;
  double exact = 0;
  std::function<double(const RunResult&)> estimate;
  // Relative error of how the value is read off, beside chance: half a bin of the latency
  // histogram for a quantile.
  double resolution = 0;
  // The case's control variate is used.
  bool controlled = false;
};

// A quantity whose mean is known without the theory under test. What chance did to it in
// a replication says part of what chance did to the other values, and is taken out of
// them by linear regression. Lavenberg and Welch, "A perspective on the use of control
// variables to increase the efficiency of Monte Carlo simulations", Management Science 27
// (1981).
struct ControlVariate {
  double mean = 0;
  std::function<double(const RunResult&)> estimate;
};

struct TheoryCase {
  std::string name;    // letters, digits and underscores
  std::string source;  // formula or publication
  SystemConfig config;
  std::uint64_t seed = 1;
  std::optional<ControlVariate> control = std::nullopt;
  int replications = 100;
  std::vector<TheoryValue> values;
};
void PrintTo(const TheoryCase& theory, std::ostream* stream);  // for GoogleTest

// Intervals hold together at the 0.1% level: each of the (at most) so many values that
// the tests compare has its share of the error probability (Bonferroni).
inline constexpr double family_error = 1e-3;
inline constexpr int family_size = 80;
inline constexpr double interval_level = 1 - family_error / family_size;

// Values of independent replications 0, 1, …, one row a replication, on two threads.
std::vector<std::vector<double>> replicate(
    int replications, const std::function<std::vector<double>(std::uint64_t)>& run);

// Student's t interval at interval_level for the mean of independent estimates; with
// `controls`, each minus its known mean, around the regression's value where they are 0.
Interval interval_of(const std::vector<double>& estimates,
                     const std::vector<double>& controls = {});

// Expects the exact value in the interval, and the interval, end to end, narrower than
// `widest` times that value. Prints a line of a table.
void expect_agreement(const std::string& what,
                      const TheoryValue& value,
                      const Interval& interval,
                      double widest);

// Both for every value of the case, after a heading with its source.
void check(const TheoryCase& theory, double widest);

// Of the samples after the warm-up, the share for which holds(waiting, in flight).
std::function<double(const RunResult&)> sampled_probability(
    const SystemConfig& config, const std::function<bool(float, float)>& holds);

}  // namespace basin
