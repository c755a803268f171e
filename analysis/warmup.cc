#include "analysis/warmup.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/no_answer.h"

namespace basin {

namespace {

constexpr std::size_t fewest_batches = 10;

std::vector<double> batched(std::span<const double> series, std::size_t batch_size) {
  std::vector<double> batches;
  batches.reserve(series.size() / batch_size);
  for (std::size_t first = 0; first + batch_size <= series.size(); first += batch_size) {
    double sum = 0;
    for (const double value : series.subspan(first, batch_size)) {
      if (!std::isfinite(value)) {
        throw NoAnswer("the series holds a value that is not a finite number");
      }
      sum += value / static_cast<double>(batch_size);
    }
    batches.push_back(sum);
  }
  return batches;
}

}  // namespace

Warmup find_warmup(std::span<const double> series, std::size_t batch_size) {
  if (batch_size == 0 || series.size() / batch_size < fewest_batches) {
    throw NoAnswer("the series is too short for its warm-up to be found: " +
                   std::to_string(series.size()) + " values, fewer than " +
                   std::to_string(fewest_batches) + " batches of " +
                   std::to_string(batch_size));
  }
  const std::vector<double> batches = batched(series, batch_size);
  const std::size_t half = batches.size() / 2;
  // From the last batch to the first, so that one pass has the mean and the squares of
  // every tail (Welford).
  Warmup best;
  double mean = 0;
  double squares = 0;
  double least = 0;
  for (std::size_t d = batches.size(); d-- > 0;) {
    const auto kept = static_cast<double>(batches.size() - d);
    const double step = batches[d] - mean;
    mean += step / kept;
    squares += step * (batches[d] - mean);
    const double mser = squares / kept / kept;
    // Of equal ones the smallest d.
    if (d == half || (d < half && mser <= least)) {
      least = mser;
      best = {.discard = d * batch_size,
              .found = d < half,
              .mean = mean,
              .standard_error = std::sqrt(mser)};
    }
  }
  return best;
}

}  // namespace basin
