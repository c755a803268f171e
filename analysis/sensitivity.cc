#include "analysis/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace basin {
namespace {

// splitmix64 (Steele, Lea and Flood 2014): enough for resampling, and the same anywhere.
class Resampling {
 public:
  explicit Resampling(std::uint64_t seed) : state_{seed} {}

  // The modulo's bias is below count / 2^64.
  std::size_t below(std::size_t count) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t word = state_;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
    return (word ^ (word >> 31)) % count;
  }

 private:
  std::uint64_t state_;
};

using Groups = std::vector<std::vector<double>>;

// Outputs by the input's value: groups of nearly the same size, none of which splits
// points that share a value.
Groups grouped(const std::vector<double>& input, std::span<const double> output) {
  std::vector<std::size_t> order(input.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return input[a] < input[b];
  });
  std::size_t values = 1;
  for (std::size_t i = 1; i < order.size(); ++i) {
    values += input[order[i]] > input[order[i - 1]] ? 1U : 0U;
  }
  const auto count = static_cast<double>(input.size());
  const auto wanted =
      static_cast<std::size_t>(std::max(std::round(std::sqrt(count) / 1.5), 3.0));
  Groups groups(1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_next_value = i > 0 && input[order[i]] > input[order[i - 1]];
    const bool is_full = values <= wanted || i * wanted >= groups.size() * order.size();
    if (is_next_value && is_full) {
      groups.emplace_back();
    }
    groups.back().push_back(output[order[i]]);
  }
  return groups;
}

struct Spread {
  double squares = 0;  // around the mean
  double freedom = 0;
};

Spread spread_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  Spread spread{.squares = 0, .freedom = count - 1};
  for (const double value : values) {
    spread.squares += (value - mean) * (value - mean);
  }
  return spread;
}

// 0 where a resample has no variance at all.
double index_of(const Groups& groups, const std::vector<double>& all) {
  Spread within;
  for (const std::vector<double>& group : groups) {
    const Spread own = spread_of(group);
    within.squares += own.squares;
    within.freedom += own.freedom;
  }
  const Spread total = spread_of(all);
  if (total.squares <= 0 || within.freedom <= 0) {
    return 0;
  }
  return 1 - (within.squares / within.freedom) / (total.squares / total.freedom);
}

std::vector<double> joined(const Groups& groups) {
  std::vector<double> all;
  for (const std::vector<double>& group : groups) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

Interval interval_of(const Groups& groups,
                     double estimate,
                     const SensitivityOptions& options) {
  Resampling random(options.seed);
  std::vector<double> estimates;
  Groups resampled = groups;
  for (std::size_t i = 0; i < options.resamples; ++i) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (double& value : resampled[group]) {
        value = groups[group][random.below(groups[group].size())];
      }
    }
    estimates.push_back(index_of(resampled, joined(resampled)));
  }
  const auto count = static_cast<double>(estimates.size());
  // A resample repeats points, which makes the groups look tighter than they are: its
  // quantiles count from its own mean.
  const double shift =
      estimate - std::accumulate(estimates.begin(), estimates.end(), 0.0) / count;
  return {.low = std::clamp(censored_quantile(estimates, 0.025) + shift, 0.0, 1.0),
          .high = std::clamp(censored_quantile(estimates, 0.975) + shift, 0.0, 1.0)};
}

void expect_usable(std::span<const std::vector<double>> inputs,
                   std::span<const double> output,
                   const SensitivityOptions& options) {
  if (output.size() < fewest_sensitivity_points) {
    throw NoSensitivity("there are " + std::to_string(output.size()) +
                        " points (an index needs at least " +
                        std::to_string(fewest_sensitivity_points) +
                        " to be told from chance)");
  }
  if (options.resamples < 100) {
    throw NoSensitivity("there are fewer than 100 resamples (too few for an interval)");
  }
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::ranges::all_of(output, is_finite)) {
    throw NoSensitivity("an output is not finite (its variance would not exist)");
  }
  for (const std::vector<double>& input : inputs) {
    if (input.size() != output.size()) {
      throw NoSensitivity("an input has " + std::to_string(input.size()) +
                          " values for " + std::to_string(output.size()) + " outputs");
    }
    if (!std::ranges::all_of(input, is_finite)) {
      throw NoSensitivity("an input is not finite (its points would have no order)");
    }
  }
  const auto [low, high] = std::ranges::minmax(output);
  if (low == high) {
    throw NoSensitivity(
        "the output is the same in all points (there is no variance to explain)");
  }
}

}  // namespace

std::vector<SensitivityIndex> first_order_sensitivity(
    std::span<const std::vector<double>> inputs,
    std::span<const double> output,
    const SensitivityOptions& options) {
  expect_usable(inputs, output, options);
  // Variances of huge or tiny outputs neither overflow nor vanish.
  double largest = 0;
  for (const double value : output) {
    largest = std::max(largest, std::fabs(value));
  }
  std::vector<double> scaled(output.begin(), output.end());
  for (double& value : scaled) {
    value /= largest;
  }
  std::vector<SensitivityIndex> indices;
  for (const std::vector<double>& input : inputs) {
    const auto [low, high] = std::ranges::minmax(input);
    SensitivityIndex index{.is_constant = low == high};
    if (!index.is_constant) {
      const Groups groups = grouped(input, scaled);
      index.estimate = index_of(groups, scaled);
      index.interval = interval_of(groups, index.estimate, options);
    }
    indices.push_back(index);
  }
  return indices;
}

}  // namespace basin
