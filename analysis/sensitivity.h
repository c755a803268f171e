// First-order sensitivity: how much of an output's variance one input explains by itself,
// S_i = Var(E[Y | X_i]) / Var(Y), from any sample of independent inputs, such as a Latin
// hypercube or Sobol points. What inputs do only together is 1 - the sum of all S_i.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "analysis/intervals.h"

namespace basin {

// No index can be told; what() says why: too few points, an output that is the same
// everywhere.
class NoSensitivity : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SensitivityIndex {
  double estimate = 0;       // of an input without effect it may be a little below 0
  Interval interval = {};    // 95%, pointwise, within 0 to 1
  bool is_constant = false;  // the input has one value in all points: 0, and no interval
};

struct SensitivityOptions {
  std::size_t resamples = 500;  // for the intervals
  std::uint64_t seed = 1;       // of the resampling
};

// Fewer points do not tell an index from chance.
inline constexpr std::size_t fewest_sensitivity_points = 16;

// One index for each input. `inputs` holds for each input its value in every point,
// `output` what came out there (a 0 or 1, a share, any number); all finite.
//
// Estimate: the points in about sqrt(n) / 1.5 groups of neighbours in the input's value
// (of an input with fewer values one group a value), 1 - variance within groups /
// variance of all, each with its degrees of freedom (one-way analysis of variance; the
// correlation ratio of Pearson 1905, "given data" in Plischke, Borgonovo and Smith, EJOR
// 226, 2013). The rank statistic of Gamboa et al. 2022 would need no groups, but it looks
// at pairs that are next to each other in one input, and in Sobol points those lie far
// apart in the others on purpose. What chance or other inputs do within a group counts as
// unexplained. Where points are more even than chance the estimate is low by up to
// (groups - 1) / (n - groups).
//
// Interval: points resampled within their groups, quantiles of the estimates around their
// mean, put around the estimate.
//
// Throws NoSensitivity.
std::vector<SensitivityIndex> first_order_sensitivity(
    std::span<const std::vector<double>> inputs,
    std::span<const double> output,
    const SensitivityOptions& options = {});

}  // namespace basin
