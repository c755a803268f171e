// Do the intervals that are reported cover as often as they say? Many experiments whose
// answer is known exactly, each with its own seed.

#include <cmath>
#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <gtest/gtest.h>

#include "analysis/intervals.h"
#include "analysis/sequential.h"
#include "models/system.h"

namespace basin {
namespace {

// M/M/1 from empty, services of 200/s. In relaxation times 1/(mu (1 - sqrt(rho))^2)
// (Kleinrock, "Queueing Systems" vol. 1, section 2.14 has the transient; Abate and Whitt
// its scale): the warm-up is 15 of them, and the measured part as long as makes the means
// of replications nearly normal.
struct Queue {
  double rho = 0;
  double relaxations = 150;  // of the measured part
  double service_rate = 200;
  double relaxation() const {
    return 1 / (service_rate * std::pow(1 - std::sqrt(rho), 2));
  }
  double mean_depth() const { return rho * rho / (1 - rho); }          // waiting, L_q
  double mean_wait() const { return rho / (1 - rho) / service_rate; }  // W_q

  SystemConfig config() const {
    SystemConfig system;
    system.warmup = from_seconds(15 * relaxation());
    system.horizon = from_seconds((15 + relaxations) * relaxation());
    system.sample_interval = system.horizon;
    system.outcome_interval = system.horizon;
    system.arrivals = PoissonArrivals{rho * service_rate};
    system.consumers.groups = {
        {.name = "", .count = 1, .service = Exponential{1 / service_rate}}};
    return system;
  }
};

RunResult replication(const SystemConfig& system, std::uint64_t seed, int number) {
  return simulate(system,
                  {.seed = seed, .replication = static_cast<std::uint64_t>(number)});
}

bool covers(const MeanEstimate& estimate, double exact) {
  return estimate.low <= exact && exact <= estimate.high;
}

// How many of `experiments`, numbered from 1, say yes; on two threads.
template <class Experiment>
int count(int experiments, const Experiment& experiment) {
  int yes[2] = {0, 0};
  const auto half = [&](int thread) {
    for (int k = 1 + thread; k <= experiments; k += 2) {
      yes[thread] += experiment(static_cast<std::uint64_t>(k)) ? 1 : 0;
    }
  };
  std::thread other{half, 1};
  half(0);
  other.join();
  return yes[0] + yes[1];
}

// Between what a binomial count stays in with probability 0.999.
void expect_binomial(int covered, int experiments, double level) {
  const boost::math::binomial_distribution<double> binomial{
      static_cast<double>(experiments), level};
  std::cout << covered << " of " << experiments << " at " << level << "\n";
  EXPECT_GE(covered, quantile(binomial, 0.0005));
  EXPECT_LE(covered, quantile(complement(binomial, 0.0005)));
}

class CoverageSlow : public testing::TestWithParam<Queue> {};

TEST_P(CoverageSlow, of_intervals_over_replications_is_what_they_say) {
  const Queue queue = GetParam();
  const SystemConfig system = queue.config();
  constexpr int experiments = 1000;
  constexpr int replications = 15;
  std::vector<char> covers_wait(experiments + 1);
  const int covers_depth = count(experiments, [&](std::uint64_t seed) {
    std::vector<double> depths;
    std::vector<double> waits;
    for (int k = 0; k < replications; ++k) {
      const Metrics metrics = replication(system, seed, k).metrics;
      depths.push_back(metrics.mean_depth);
      waits.push_back(metrics.mean_wait);
    }
    covers_wait[seed] = covers(mean_estimate(waits), queue.mean_wait()) ? 1 : 0;
    return covers(mean_estimate(depths), queue.mean_depth());
  });
  expect_binomial(covers_depth, experiments, 0.95);
  int wait = 0;
  for (const char covered : covers_wait) {
    wait += covered;
  }
  expect_binomial(wait, experiments, 0.95);
}

INSTANTIATE_TEST_SUITE_P(MM1,
                         CoverageSlow,
                         testing::Values(Queue{.rho = 0.5, .relaxations = 600},
                                         Queue{.rho = 0.8}),
                         [](const auto& queue) {
                           return "rho_" + std::to_string(static_cast<int>(
                                               std::lround(100 * queue.param.rho)));
                         });

TEST(SequentialCoverageSlow, of_the_look_where_it_stops_is_at_least_what_it_says) {
  const Queue queue{.rho = 0.5};
  const SystemConfig system = queue.config();
  constexpr int experiments = 500;
  const std::vector<int> looks = looks_up_to(160);
  const double level = level_of_look(looks.size());
  std::vector<int> stopped_at(experiments + 1);
  const int covered = count(experiments, [&](std::uint64_t seed) {
    std::vector<double> waits;
    MeanEstimate estimate;
    for (const int look : looks) {
      for (auto k = static_cast<int>(waits.size()); k < look; ++k) {
        waits.push_back(replication(system, seed + 5000, k).metrics.mean_wait);
      }
      estimate = mean_estimate(waits, level);
      if (relative_half_width(estimate) <= 0.057) {
        break;
      }
    }
    stopped_at[seed] = static_cast<int>(waits.size());
    return covers(estimate, queue.mean_wait());
  });
  const boost::math::binomial_distribution<double> binomial{
      static_cast<double>(experiments), 0.95};
  std::cout << covered << " of " << experiments << "\n";
  EXPECT_GE(covered, quantile(binomial, 0.0005));
  // It does stop early, and not always at the same look.
  double mean = 0;
  for (const int replications : stopped_at) {
    mean += static_cast<double>(replications) / experiments;
  }
  EXPECT_GT(mean, 11);
  EXPECT_LT(mean, 120);
}

}  // namespace
}  // namespace basin
