// Two systems in the same random numbers, replication by replication.
//
// Common random numbers make paired values alike, and their differences far less
// scattered than either: Law, "Simulation Modeling and Analysis", 5th ed., section 11.2.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/intervals.h"

namespace basin {

// Second - first of one quantity, by Student's t over the pairs.
struct PairedDifference {
  MeanEstimate first;
  MeanEstimate second;
  std::int64_t pairs = 0;
  // Values that are infinite (a latency of failures) or NaN (nothing to average). With
  // any of them there is no mean difference: the pairs that are left would be those that
  // did well.
  std::int64_t infinite_first = 0;
  std::int64_t infinite_second = 0;
  std::int64_t missing = 0;  // pairs with a NaN
  MeanEstimate difference;   // NaN where is_defined is false; no interval for one pair
  bool is_defined = false;
  bool is_identical = false;      // the same value in every pair
  bool excludes_zero = false;     // the interval of the difference does
  double variance_reduction = 0;  // variance_reduction_factor; NaN where nothing varies
};
// `first` and `second` in step; std::invalid_argument otherwise.
PairedDifference paired_difference(std::span<const double> first,
                                   std::span<const double> second,
                                   double level = 0.95);

// Yes or no of each pair: did it recover?
struct PairedOutcomes {
  std::int64_t both = 0;
  std::int64_t first_alone = 0;
  std::int64_t second_alone = 0;
  std::int64_t neither = 0;
  // Whether the discordant pairs lean to one side by more than chance: two-sided exact
  // test of McNemar ("Note on the sampling error of the difference between correlated
  // proportions", Psychometrika 12, 1947), the sign test of first_alone and second_alone.
  double p_value = 1;
  // Probability of the second - of the first, with the adjusted Wald interval for matched
  // pairs: half a pair is added to each of the four counts. Agresti and Min, "Simple
  // improved confidence intervals for comparing matched proportions", Statistics in
  // Medicine 24 (2005). The estimate is that of the counts as they are.
  double difference = 0;
  Interval interval;
};
// Counts >= 0, at least one pair.
PairedOutcomes paired_outcomes(std::int64_t both,
                               std::int64_t first_alone,
                               std::int64_t second_alone,
                               std::int64_t neither,
                               double level = 0.95);

// Probability that of n fair coins as many fall on one side as the larger of the counts,
// or more, whichever side: two-sided, exact, at most 1.
double sign_test(std::int64_t one_side, std::int64_t other_side);

}  // namespace basin
