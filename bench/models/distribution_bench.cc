// One draw of each distribution, as a message's work is drawn: by its address.
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "engine/random.h"
#include "models/distribution.h"

namespace basin {
namespace {

void draw_samples(benchmark::State& state, const Distribution& distribution) {
  const RandomKey key{.seed = 1};
  RandomAddress address{.part = 1};
  for (auto _ : state) {
    ++address.entity;
    benchmark::DoNotOptimize(
        sample(distribution, random_block(key, address)[1], RandomStream{key, address}));
  }
  state.counters["samples"] = benchmark::Counter(static_cast<double>(state.iterations()),
                                                 benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(draw_samples, deterministic, Deterministic{1});
BENCHMARK_CAPTURE(draw_samples, exponential, Exponential{1});
BENCHMARK_CAPTURE(draw_samples, uniform, Uniform{0, 1});
BENCHMARK_CAPTURE(draw_samples, hyperexponential, balanced_means(1, 4));
BENCHMARK_CAPTURE(draw_samples, erlang_of_4, Erlang{4, 1});
BENCHMARK_CAPTURE(draw_samples, gamma, Gamma{2.5, 1});
BENCHMARK_CAPTURE(draw_samples, gamma_below_1, Gamma{0.5, 1});
BENCHMARK_CAPTURE(draw_samples, lognormal, Lognormal{1, 4});
BENCHMARK_CAPTURE(draw_samples, weibull, Weibull{0.7, 1});
BENCHMARK_CAPTURE(draw_samples, pareto, Pareto{2.5, 1});
BENCHMARK_CAPTURE(draw_samples, bounded_pareto, Pareto{1.5, 1, 1000});
BENCHMARK_CAPTURE(draw_samples,
                  empirical_of_1000,
                  Empirical{std::make_shared<const std::vector<double>>(1000, 1.0), 1});

}  // namespace
}  // namespace basin
