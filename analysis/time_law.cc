#include "analysis/time_law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

using Real = long double;

// 1 - (1 - exp(-x)) / x, without cancellation.
Real mean_complement(Real x) {
  if (x > 0.1L) {
    return 1 + portable::expm1(-x) / x;
  }
  // x/2! - x^2/3! + …
  Real term = x / 2;
  Real sum = 0;
  for (int k = 3; k < 24; ++k) {
    sum += term;
    term *= -x / static_cast<Real>(k);
  }
  return sum;
}

// 1 - E[exp(-s X)] = s times the integral of exp(-s t) P(X > t).
template <class Tail>
Real complement_by_tail(Real s, const Tail& tail) {
  // In u = s t, so that the exponential has one scale whatever s.
  boost::math::quadrature::exp_sinh<Real> integrator;
  return integrator.integrate([&](Real u) { return portable::exp(-u) * tail(u / s); });
}

// E[X^order] of a Pareto law in units of its scale.
Real pareto_moment(Real shape, Real ratio, int order) {
  const Real excess = static_cast<Real>(order) - shape;
  if (!std::isfinite(ratio)) {
    return excess < 0 ? shape / -excess : std::numeric_limits<Real>::infinity();
  }
  const Real log_ratio = portable::log(ratio);
  const Real growth =
      excess == 0 ? log_ratio : portable::expm1(excess * log_ratio) / excess;
  return shape * growth / -portable::expm1(-shape * log_ratio);
}

Moments scaled(double scale, Real first, Real second, Real third) {
  const Real unit = scale;
  return {.mean = static_cast<double>(unit * first),
          .second = static_cast<double>(unit * unit * second),
          .third = static_cast<double>(unit * unit * unit * third)};
}

}  // namespace

TimeLaw exponential_law(double mean) {
  above_zero(mean, "the mean");
  return {
      .moments = scaled(mean, 1, 2, 6),
      .transform_complement = [m = Real{mean}](Real s) { return s * m / (1 + s * m); }};
}

TimeLaw deterministic_law(double value) {
  above_zero(value, "the value");
  return {.moments = scaled(value, 1, 1, 1),
          .transform_complement = [v = Real{value}](Real s) {
            return -portable::expm1(-s * v);
          }};
}

TimeLaw uniform_law(double low, double high) {
  zero_or_more(low, "the low end");
  above_zero(high - low, "the width");
  const Real a = low;
  const Real b = high;
  return {.moments = {.mean = static_cast<double>((a + b) / 2),
                      .second = static_cast<double>((a * a + a * b + b * b) / 3),
                      .third = static_cast<double>((a + b) * (a * a + b * b) / 4)},
          .transform_complement = [a, w = b - a](Real s) {
            return -portable::expm1(-s * a) +
                   portable::exp(-s * a) * mean_complement(s * w);
          }};
}

TimeLaw gamma_law(double shape, double mean) {
  above_zero(shape, "the shape");
  above_zero(mean, "the mean");
  const Real k = shape;
  return {.moments = scaled(mean, 1, (k + 1) / k, (k + 1) * (k + 2) / (k * k)),
          .transform_complement = [k, m = Real{mean}](Real s) {
            return -portable::expm1(-k * portable::log1p(s * m / k));
          }};
}

TimeLaw lognormal_law(double mean, double scv) {
  above_zero(mean, "the mean");
  above_zero(scv, "the squared coefficient of variation");
  const Real growth = 1 + Real{scv};
  const Real sigma = std::sqrt(portable::log1p(Real{scv}));
  const Real centre = portable::log(Real{mean}) - sigma * sigma / 2;
  return {.moments = scaled(mean, 1, growth, growth * growth * growth),
          .transform_complement = [sigma, centre](Real s) {
            return complement_by_tail(s, [&](Real t) {
              return t <= 0 ? Real{1}
                            : std::erfc((portable::log(t) - centre) / sigma /
                                        std::sqrt(Real{2})) /
                                  2;
            });
          }};
}

TimeLaw hyperexponential_law(double p, double mean1, double mean2) {
  if (!(p >= 0 && p <= 1)) {
    throw NoAnswer("the probability of the first phase is outside of [0, 1]");
  }
  above_zero(mean1, "the first mean");
  above_zero(mean2, "the second mean");
  const Real first = mean1;
  const Real second = mean2;
  const Real q = 1 - Real{p};
  return {.moments = {.mean = static_cast<double>(p * first + q * second),
                      .second = static_cast<double>(
                          2 * (p * first * first + q * second * second)),
                      .third = static_cast<double>(6 * (p * first * first * first +
                                                        q * second * second * second))},
          .transform_complement = [p = Real{p}, q, first, second](Real s) {
            return p * s * first / (1 + s * first) + q * s * second / (1 + s * second);
          }};
}

TimeLaw weibull_law(double shape, double scale) {
  above_zero(shape, "the shape");
  above_zero(scale, "the scale");
  const Real k = shape;
  return {.moments = scaled(scale,
                            portable::tgamma(1 + 1 / k),
                            portable::tgamma(1 + 2 / k),
                            portable::tgamma(1 + 3 / k)),
          .transform_complement = [k, c = Real{scale}](Real s) {
            return complement_by_tail(
                s, [&](Real t) { return portable::exp(-portable::pow(t / c, k)); });
          }};
}

TimeLaw pareto_law(double shape, double scale, double upper) {
  above_zero(shape, "the shape");
  above_zero(scale, "the scale");
  if (!(upper > scale)) {
    throw NoAnswer("the upper end is not above the scale");
  }
  const Real a = shape;
  const Real low = scale;
  const Real ratio = static_cast<Real>(upper) / low;
  // P(X > upper) of the unbounded law.
  const Real beyond = std::isfinite(ratio) ? portable::pow(ratio, -a) : Real{0};
  return {.moments = scaled(scale,
                            pareto_moment(a, ratio, 1),
                            pareto_moment(a, ratio, 2),
                            pareto_moment(a, ratio, 3)),
          .transform_complement = [a, low, ratio, beyond](Real s) {
            // Up to the scale the tail is 1; from there on the integral in u = s t.
            const Real certain = -portable::expm1(-s * low);
            const auto f = [&](Real u) {
              const Real tail = portable::pow(u / (s * low), -a);
              return portable::exp(-u) * (tail - beyond) / (1 - beyond);
            };
            // In pieces that grow, since the tail lives on many scales, up to where
            // exp(-u) has nothing left to add.
            using Rule = boost::math::quadrature::gauss_kronrod<Real, 61>;
            const Real end = std::min(s * low * ratio, s * low + 120);
            Real sum = certain;
            for (Real left = s * low; left < end;) {
              const Real right = std::min({end, 2 * left, left + 4});
              sum += Rule::integrate(f, left, right, 0);
              left = right;
            }
            return sum;
          }};
}

TimeLaw sample_law(std::span<const double> values) {
  if (values.empty()) {
    throw NoAnswer("the sample is empty");
  }
  Real first = 0;
  Real second = 0;
  Real third = 0;
  for (const double value : values) {
    const Real x = zero_or_more(value, "a value of the sample");
    first += x;
    second += x * x;
    third += x * x * x;
  }
  const auto size = static_cast<Real>(values.size());
  above_zero(static_cast<double>(first / size), "the mean of the sample");
  return {.moments = scaled(1, first / size, second / size, third / size),
          .transform_complement =
              [sample = std::vector<double>(values.begin(), values.end()), size](Real s) {
                Real sum = 0;
                for (const double value : sample) {
                  sum -= portable::expm1(-s * static_cast<Real>(value));
                }
                return sum / size;
              }};
}

}  // namespace basin
