#include "analysis/transient.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

void expect_one_each(const MarkovChain& chain, std::size_t count, const char* what) {
  if (count != chain.states()) {
    throw std::invalid_argument(std::string(what) + " needs one entry for each state");
  }
}

struct Uniformized {
  double rate = 0;  // of the jumps, of which some stay
  double mean = 0;  // jumps in the time
};

Uniformized uniformize(const MarkovChain& chain, double time) {
  zero_or_more(time, "the time");
  double rate = 0;
  for (std::size_t state = 0; state < chain.states(); ++state) {
    rate = std::max(rate, chain.exit_rate(state));
  }
  if (rate * time > 1e8) {
    throw NoAnswer("the time is too long to follow: more than 1e8 transitions");
  }
  return {.rate = rate, .mean = rate * time};
}

// Sum over j of Poisson(mean)(j) times the j-th iterate of `step` from `value`.
template <typename Step>
std::vector<double> poisson_mixture(std::span<const double> value,
                                    double mean,
                                    Step step) {
  std::vector<double> current(value.begin(), value.end());
  std::vector<double> sum(current.size(), 0.0);
  const auto m = static_cast<long double>(mean);
  const auto last = static_cast<std::size_t>(mean + 12 * std::sqrt(mean) + 60);
  long double log_weight = -m;
  double total = 0;  // 1, but for rounding in the weights, which this takes out again
  for (std::size_t j = 0; j <= last; ++j) {
    if (j > 0) {
      current = step(current);
      log_weight += portable::log(m / static_cast<long double>(j));
    }
    const auto weight = static_cast<double>(portable::exp(log_weight));
    total += weight;
    if (weight > 0) {
      for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += weight * current[i];
      }
    }
    if (mean == 0) {
      break;
    }
  }
  for (double& entry : sum) {
    entry /= total;
  }
  return sum;
}

}  // namespace

std::vector<double> expectation_after(const MarkovChain& chain,
                                      std::span<const double> value,
                                      double time) {
  expect_one_each(chain, value.size(), "an expectation");
  const Uniformized uniform = uniformize(chain, time);
  const SparseRates& rates = chain.rates();
  return poisson_mixture(value, uniform.mean, [&](const std::vector<double>& now) {
    std::vector<double> next(now.size());
    for (std::size_t state = 0; state < next.size(); ++state) {
      double sum = (uniform.rate - chain.exit_rate(state)) * now[state];
      for (std::size_t k = rates.row[state]; k < rates.row[state + 1]; ++k) {
        sum += rates.rate[k] * now[rates.target[k]];
      }
      next[state] = sum / uniform.rate;
    }
    return next;
  });
}

std::vector<double> distribution_after(const MarkovChain& chain,
                                       std::span<const double> initial,
                                       double time) {
  expect_one_each(chain, initial.size(), "a distribution");
  const Uniformized uniform = uniformize(chain, time);
  const SparseRates& rates = chain.rates();
  return poisson_mixture(initial, uniform.mean, [&](const std::vector<double>& now) {
    std::vector<double> next(now.size(), 0.0);
    for (std::size_t state = 0; state < next.size(); ++state) {
      const double share = now[state] / uniform.rate;
      next[state] += (uniform.rate - chain.exit_rate(state)) * share;
      for (std::size_t k = rates.row[state]; k < rates.row[state + 1]; ++k) {
        next[rates.target[k]] += rates.rate[k] * share;
      }
    }
    return next;
  });
}

}  // namespace basin
