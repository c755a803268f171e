// Laws of times (service, gaps between arrivals) as queueing formulas take them: moments,
// and what the Laplace transform leaves of 1.
#pragma once

#include <functional>
#include <span>

namespace basin {

// E[X], E[X^2], E[X^3] of a time X >= 0; infinite where they do not exist.
struct Moments {
  double mean = 0;
  double second = 0;
  double third = 0;
  double variance() const { return second - mean * mean; }
};

// A law by its moments and by 1 - E[exp(-s X)], s > 0, which keeps its digits for small
// s.
struct TimeLaw {
  Moments moments;
  std::function<long double(long double s)> transform_complement;
};

// Parameters as named, finite and above zero unless stated; NoAnswer otherwise.
TimeLaw exponential_law(double mean);
TimeLaw deterministic_law(double value);
TimeLaw uniform_law(double low, double high);  // 0 <= low < high
TimeLaw gamma_law(double shape, double mean);  // Erlang's too
TimeLaw lognormal_law(double mean, double scv);
// Exponential with mean1 with probability p (0 to 1), else with mean2.
TimeLaw hyperexponential_law(double p, double mean1, double mean2);
TimeLaw weibull_law(double shape, double scale);
// P(X > x) = (scale / x)^shape from `scale` on; conditioned on X <= upper where that is
// finite.
TimeLaw pareto_law(double shape, double scale, double upper);
// A sample, each value alike; not empty, values >= 0, their mean above 0.
TimeLaw sample_law(std::span<const double> values);

}  // namespace basin
