// The mean of one long stationary series with an interval, by non-overlapping batch
// means.
//
// Neighbouring values of a queue are alike, so their own variance says nothing of the
// error of their mean. Means of long batches are nearly independent. With ten to thirty
// batches little is lost: Schmeiser, "Batch size effects in the analysis of simulation
// output", Operations Research 30 (1982).
#pragma once

#include <cstddef>
#include <span>

#include "analysis/intervals.h"

namespace basin {

struct BatchMeans {
  MeanEstimate estimate;  // Student's t with batches - 1 degrees of freedom
  std::size_t batches = 0;
  std::size_t batch_size = 0;
  std::size_t unused = 0;  // values at the beginning that fill no batch
  // batch_size times the variance of the batch means. It tends to the limit of n times
  // the variance of a mean of n values, the sum of all autocovariances; for a time
  // average, multiply by the time between values.
  double variance_constant = 0;
  // Autocorrelation of neighbouring batch means, and whether it is above what independent
  // ones show (von Neumann's ratio, one-sided at 5%; Fishman, "Grouping observations in
  // digital simulation", Management Science 24, 1978). Then the interval is too narrow:
  // the series is too short for so many batches.
  double lag_one = 0;
  bool correlated = false;
};

// At least 3 batches, at least one finite value in each. Throws NoAnswer otherwise.
BatchMeans batch_means(std::span<const double> series,
                       std::size_t batches = 30,
                       double level = 0.95);

}  // namespace basin
