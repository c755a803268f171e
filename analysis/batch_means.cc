#include "analysis/batch_means.h"

#include <cmath>
#include <string>
#include <vector>

#include "analysis/no_answer.h"

namespace basin {

namespace {

constexpr std::size_t fewest_batches = 3;
constexpr double normal_95 = 1.6448536269514722;  // 95% quantile of the normal

double mean_of(std::span<const double> values) {
  double mean = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw NoAnswer("the series holds a value that is not a finite number");
    }
    count += 1;
    mean += (value - mean) / count;
  }
  return mean;
}

}  // namespace

BatchMeans batch_means(std::span<const double> series,
                       std::size_t batches,
                       double level) {
  if (batches < fewest_batches || series.size() < batches) {
    throw NoAnswer("no batch means of " + std::to_string(series.size()) + " values in " +
                   std::to_string(batches) + " batches: it takes at least " +
                   std::to_string(fewest_batches) + " batches and one value in each");
  }
  BatchMeans result;
  result.batches = batches;
  result.batch_size = series.size() / batches;
  result.unused = series.size() - batches * result.batch_size;
  std::vector<double> means;
  means.reserve(batches);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    means.push_back(mean_of(
        series.subspan(result.unused + batch * result.batch_size, result.batch_size)));
  }
  result.estimate = mean_estimate(means, level);

  const double mean = mean_of(means);
  double squares = 0;
  double products = 0;
  double steps = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    const double here = means[i] - mean;
    squares += here * here;
    if (i + 1 < batches) {
      const double next = means[i + 1] - mean;
      products += here * next;
      steps += (next - here) * (next - here);
    }
  }
  const auto count = static_cast<double>(batches);
  result.variance_constant =
      static_cast<double>(result.batch_size) * squares / (count - 1);
  if (squares > 0) {
    result.lag_one = products / squares;
    // 1 - half the ratio has mean 0 and this variance for independent normal values.
    const double variance = (count - 2) / (count * count - 1);
    result.correlated = 1 - steps / (2 * squares) > normal_95 * std::sqrt(variance);
  }
  return result;
}

}  // namespace basin
