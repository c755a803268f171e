// Distributions of non-negative times: what a scenario may name, their moments, and how
// they are sampled from addressed random words.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <variant>
#include <vector>

#include "engine/random.h"

namespace basin {

// Times are in seconds. Parameters must be positive and finite unless stated; the
// scenario reader sees to that.
struct Deterministic {
  double mean = 1;
  bool operator==(const Deterministic&) const = default;
};
struct Exponential {
  double mean = 1;
  bool operator==(const Exponential&) const = default;
};
struct Uniform {
  double low = 0;  // may be 0
  double high = 1;
  bool operator==(const Uniform&) const = default;
};
// The sum of `shape` exponentials; scv = 1/shape.
struct Erlang {
  int shape = 2;  // 1 to 1000
  double mean = 1;
  bool operator==(const Erlang&) const = default;
};
struct Gamma {
  double shape = 1;  // scv = 1/shape
  double mean = 1;
  bool operator==(const Gamma&) const = default;
};
struct Lognormal {
  double mean = 1;
  double scv = 1;
  bool operator==(const Lognormal&) const = default;
};
// Exponential with mean1 with probability p, else with mean2.
struct Hyperexponential {
  double p = 0.5;
  double mean1 = 1;
  double mean2 = 1;
  bool operator==(const Hyperexponential&) const = default;
};
struct Weibull {
  double shape = 1;
  double scale = 1;
  bool operator==(const Weibull&) const = default;
};
// P(X > x) = (scale/x)^shape for x >= scale; with upper < infinity, bounded: the same
// law conditioned on X <= upper.
struct Pareto {
  double shape = 2;
  double scale = 1;
  double upper = std::numeric_limits<double>::infinity();
  bool operator==(const Pareto&) const = default;
};
// Draws uniformly from a sample, times `factor`.
struct Empirical {
  std::shared_ptr<const std::vector<double>> values;  // seconds, not empty, each >= 0
  double factor = 1;
  bool operator==(const Empirical& other) const;  // by content
};

using Distribution = std::variant<Exponential,
                                  Deterministic,
                                  Uniform,
                                  Erlang,
                                  Gamma,
                                  Lognormal,
                                  Hyperexponential,
                                  Weibull,
                                  Pareto,
                                  Empirical>;

// The hyperexponential of two phases with balanced means (p*mean1 = (1-p)*mean2).
// scv >= 1. Whitt, "Approximating a point process by a renewal process", 1982.
Hyperexponential balanced_means(double mean, double scv);

// Mean in seconds; infinite for an unbounded Pareto with shape <= 1.
double mean_of(const Distribution& distribution);
// Squared coefficient of variation; infinite where the variance is.
double scv_of(const Distribution& distribution);

// One draw, in seconds, never negative, never NaN. `word` decides alone where one uniform
// word is enough (exponential, deterministic, uniform, hyperexponential, weibull, pareto,
// empirical); gamma, erlang and lognormal draw on `more` instead. The same bits on
// every machine and build.
double sample(const Distribution& distribution, std::uint64_t word, RandomStream more);

}  // namespace basin
