#include "analysis/wells.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/no_answer.h"
#include "analysis/quasi_stationary.h"
#include "analysis/slow_modes.h"
#include "engine/portable_math.h"

namespace basin {

Wells wells(const BirthDeath& chain) {
  Wells result;
  const auto outruns = [&](std::size_t n) {
    return chain.birth(n) >= chain.death(std::max<std::size_t>(n, 1));
  };
  while (result.barrier < chain.top() && !outruns(result.barrier)) {
    ++result.barrier;
  }
  if (result.barrier == chain.top()) {
    throw NoAnswer("there is one well only: arrivals never outrun the server");
  }
  if (result.barrier == 0) {
    throw NoAnswer("there is one well only: arrivals outrun the server in every state");
  }
  for (std::size_t n = 0; n < result.barrier; ++n) {
    if (chain.log_stationary(n) > chain.log_stationary(result.low)) {
      result.low = n;
    }
  }
  result.high = result.barrier;
  for (std::size_t n = result.barrier; n <= chain.top(); ++n) {
    if (chain.log_stationary(n) > chain.log_stationary(result.high)) {
      result.high = n;
    }
  }
  return result;
}

WellAnswers answers(const BirthDeath& chain) {
  WellAnswers result;
  result.wells = wells(chain);
  const auto [barrier, low, high] = result.wells;
  const std::vector<double> pi = chain.stationary();
  for (std::size_t n = 0; n < pi.size(); ++n) {
    result.mean += static_cast<double>(n) * pi[n];
    result.high_probability += n >= barrier ? pi[n] : 0;
  }
  result.log_time_low_to_high = chain.log_mean_passage_time(low, high);
  result.log_time_high_to_low = chain.log_mean_passage_time(high, low);
  result.time_low_to_high = portable::exp(result.log_time_low_to_high);
  result.time_high_to_low = portable::exp(result.log_time_high_to_low);
  result.time_low_to_barrier = portable::exp(chain.log_mean_passage_time(low, barrier));
  result.log_spectral_gap = chain.log_decay_rate(1);
  result.spectral_gap = portable::exp(result.log_spectral_gap);
  result.second_rate = chain.top() > 1 ? portable::exp(chain.log_decay_rate(2)) : 0;
  result.low_exit_rate = portable::exp(chain.log_exit_rate(0, barrier - 1));
  result.barrier_committor = chain.committor(low, high, barrier);
  result.low_quasipotential = chain.quasipotential(low, barrier);
  result.high_quasipotential = chain.quasipotential(high, barrier);
  return result;
}

WellStatistics low_well_statistics(const BirthDeath& chain,
                                   std::span<const double> lags) {
  const std::size_t barrier = wells(chain).barrier;
  const MarkovChain sparse = chain.chain();
  const QuasiStationary well = quasi_stationary(
      sparse, sparse.where([barrier](std::size_t n) { return n < barrier; }));
  std::vector<double> number(sparse.states());
  std::iota(number.begin(), number.end(), 0.0);
  WellStatistics result;
  for (std::size_t n = 0; n < barrier; ++n) {
    result.mean += well.distribution[n] * number[n];
  }
  for (std::size_t n = 0; n < barrier; ++n) {
    const double distance = number[n] - result.mean;
    result.variance += well.distribution[n] * distance * distance;
  }
  result.exit_rate = well.exit_rate;
  result.relaxation_rate = spectral_gap(well.surviving);
  for (const double lag : lags) {
    result.autocorrelation.push_back(autocorrelation(well, number, lag));
  }
  return result;
}

}  // namespace basin
