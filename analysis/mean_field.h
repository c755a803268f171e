// Retries in the mean field: M/M/1 whose callers give up after T and try again, at most R
// times in all, their abandoned work still served; every attempt is taken to meet a
// Poisson stream of the total rate, whatever came before.
//
//   x = lambda (1 + p + … + p^(R-1)),   p = exp(-(mu - x) T) for x < mu, 1 above
//
// x the rate of attempts, p the chance of a sojourn longer than T. An approximation: it
// leaves out that a deep queue makes the next attempts late too.
#pragma once

#include <span>
#include <vector>

namespace basin {

struct MeanFieldRetries {
  double service_rate = 1;  // mu, > 0
  double timeout = 1;       // T of a sojourn, > 0
  int attempts = 1;         // R >= 1
};

// Where the healthy branch ends: the largest load that has a fixed point with x < mu.
struct CollapseFold {
  double load = 0;           // lambda at the saddle-node
  double attempt_rate = 0;   // x there
  double recovery_load = 0;  // mu / R: the saturated branch begins
  double window() const { return load - recovery_load; }  // of loads with both; 0 without
};
CollapseFold collapse_fold(const MeanFieldRetries& model);

struct FixedPoint {
  double attempt_rate = 0;      // x
  double late_probability = 0;  // p
  bool is_stable = false;
};
// By increasing attempt rate: healthy, unstable, saturated, those that there are.
// load >= 0.
std::vector<FixedPoint> fixed_points(const MeanFieldRetries& model, double load);

// The branches over a range of loads, NaN where a branch is not there.
struct HysteresisBranches {
  std::vector<double> healthy;  // x
  std::vector<double> unstable;
  std::vector<double> saturated;
};
HysteresisBranches hysteresis(const MeanFieldRetries& model,
                              std::span<const double> loads);

}  // namespace basin
