// One draw of each distribution, as a message's work is drawn: by its address.
#include <memory>
#include <vector>

#include "bench/measure.h"
#include "engine/random.h"
#include "models/distribution.h"

namespace basin {
namespace {

void draw(benchmark::State& state, const Distribution& distribution) {
  const RandomKey key{.seed = 1};
  RandomAddress address{.part = 1};
  for (auto _ : state) {
    ++address.entity;
    benchmark::DoNotOptimize(
        sample(distribution, random_block(key, address)[1], RandomStream{key, address}));
  }
  report_each(state, "samples");
}

[[maybe_unused]] const bool registered = register_cases<Distribution>(
    "draw",
    draw,
    {
        {"deterministic/mean:1", Deterministic{1}},
        {"exponential/mean:1", Exponential{1}},
        {"uniform/low:0/high:1", Uniform{0, 1}},
        {"erlang/shape:2/mean:1", Erlang{2, 1}},
        {"erlang/shape:4/mean:1", Erlang{4, 1}},
        {"erlang/shape:100/mean:1", Erlang{100, 1}},
        {"gamma/shape:0.5/mean:1", Gamma{0.5, 1}},
        {"gamma/shape:2.5/mean:1", Gamma{2.5, 1}},
        {"lognormal/mean:1/scv:4", Lognormal{1, 4}},
        {"hyperexponential/mean:1/scv:4", balanced_means(1, 4)},
        {"weibull/shape:0.7/scale:1", Weibull{0.7, 1}},
        {"pareto/shape:2.5/scale:1", Pareto{2.5, 1}},
        {"pareto/shape:1.5/scale:1/upper:1000", Pareto{1.5, 1, 1000}},
        {"empirical/values:1000",
         Empirical{std::make_shared<const std::vector<double>>(1000, 1.0), 1}},
        {"empirical/values:1000000",
         Empirical{std::make_shared<const std::vector<double>>(1'000'000, 1.0), 1}},
    });

}  // namespace
}  // namespace basin
