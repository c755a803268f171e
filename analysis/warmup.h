// Where the warm-up of a run ends: MSER-5.
//
// The series is averaged in batches of five, and the first d batches are left out such
// that the marginal standard error of what remains,
//
//   MSER(d) = sum over i > d of (Z_i - mean of Z_(d+1)..Z_k)^2 / (k - d)^2,
//
// is least. White, "An effective truncation heuristic for bias reduction in simulation
// output", Simulation 69 (1997); batches of five: White, Cobb and Spratt, "A comparison
// of five steady-state truncation heuristics for simulation", WSC 2000.
#pragma once

#include <cstddef>
#include <span>

namespace basin {

struct Warmup {
  // Observations to leave out: a multiple of the batch size, at most half the series.
  std::size_t discard = 0;
  // False: MSER is still falling where half of the batches are left out. The series never
  // settles, or it is too short to tell; `discard` is that half and nothing to rely on.
  bool found = false;
  // Of the batches that are kept: their mean, and the square root of their MSER.
  double mean = 0;
  double standard_error = 0;
};

// At least ten batches of finite values; what is left over at the end does not count.
// Throws NoAnswer otherwise.
Warmup find_warmup(std::span<const double> series, std::size_t batch_size = 5);

}  // namespace basin
