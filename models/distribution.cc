#include "models/distribution.h"

#include <algorithm>
#include <cmath>

#include <boost/random/normal_distribution.hpp>

#include "engine/contract.h"
#include "engine/log.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// long double holds powers that double does not; a time beyond double is as good as the
// largest.
double to_double(long double value) {
  return static_cast<double>(
      std::min(value, static_cast<long double>(std::numeric_limits<double>::max())));
}

// --- Moments
// ------------------------------------------------------------------------------

// E[(X/scale)^order] of a Pareto law; the antiderivatives, written to keep their digits
// for an upper end close to the scale and for an order close to the shape.
long double pareto_moment(const Pareto& law, int order) {
  const long double shape = law.shape;
  const long double excess = order - shape;
  if (law.upper == infinity) {
    return excess < 0 ? -shape / excess : static_cast<long double>(infinity);
  }
  const long double log_ratio =
      portable::log(static_cast<long double>(law.upper) / law.scale);
  const long double growth =
      excess == 0 ? log_ratio : portable::expm1(excess * log_ratio) / excess;
  return shape * growth / -portable::expm1(-shape * log_ratio);
}

struct Moments {
  double mean;
  double scv;
};

Moments moments_of_sample(const Empirical& law) {
  long double sum = 0;
  for (const double value : *law.values) {
    sum += value;
  }
  const auto size = static_cast<long double>(law.values->size());
  const long double mean = sum / size;
  long double squares = 0;
  for (const double value : *law.values) {
    squares += (value - mean) * (value - mean);
  }
  const double scv = mean > 0 ? to_double(squares / size / (mean * mean)) : 0;
  return {to_double(mean * law.factor), scv};
}

// --- Samplers
// -----------------------------------------------------------------------------

// A sum of `shape` unit exponentials, as the logarithm of products of uniforms: each is
// at least 2^-53, so that 16 of them stay above the smallest normal number.
double erlang(int shape, RandomStream& more) {
  double sum = 0;
  while (shape > 0) {
    double product = 1;
    for (const int end = std::max(shape - 16, 0); shape > end; --shape) {
      product *= more.unit();
    }
    sum -= portable_log(product);
  }
  return sum;
}

// Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26,
// 2000. Takes about three words; below shape 1 one more, by their gamma(a) = gamma(a + 1)
// U^(1/a).
double gamma(double shape, RandomStream& more) {
  const bool boosted = shape < 1;
  const double d = (boosted ? shape + 1 : shape) - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  boost::random::normal_distribution<double> normal;
  for (;;) {
    const double x = normal(more);
    const double root = 1 + c * x;
    if (root <= 0) {
      continue;
    }
    const double v = root * root * root;
    const double u = more.unit();
    if (portable_log(u) < 0.5 * x * x + d * (1 - v + portable_log(v))) {
      if (!boosted) {
        return d * v;
      }
      const long double power = portable::pow(static_cast<long double>(more.unit()),
                                              1 / static_cast<long double>(shape));
      return to_double(d * v * power);
    }
  }
}

double lognormal(const Lognormal& law, RandomStream& more) {
  boost::random::normal_distribution<double> normal;
  const long double variance = portable::log1p(static_cast<long double>(law.scv));
  return to_double(law.mean *
                   portable::exp(std::sqrt(variance) * normal(more) - variance / 2));
}

// The branch is chosen by comparing the word with p * 2^64; where it lies within its
// branch is uniform again.
double hyperexponential(const Hyperexponential& law, std::uint64_t word) {
  constexpr double all_words = 0x1p64;
  const double threshold = law.p * all_words;
  if (threshold >= all_words) {
    return law.mean1 * unit_exponential(word);
  }
  const auto first = static_cast<std::uint64_t>(threshold);
  const bool is_first = word < first;
  const auto place = static_cast<double>(is_first ? word : word - first) + 0.5;
  const auto size = is_first ? static_cast<double>(first) : all_words - threshold;
  // Never 0; rounding may carry the quotient up to 1.
  return (is_first ? law.mean1 : law.mean2) * std::max(-portable_log(place / size), 0.0);
}

// Powers below are exp(exponent * log) in long double, whose eleven spare bits absorb the
// logarithm's error; powl takes eight times as long.

double weibull(const Weibull& law, std::uint64_t word) {
  const long double log = portable::log(static_cast<long double>(unit_exponential(word)));
  return to_double(law.scale * portable::exp(log / law.shape));
}

double pareto(const Pareto& law, std::uint64_t word) {
  // -log of a uniform survival probability.
  long double exponential = unit_exponential(word);
  if (law.upper < infinity) {
    // Uniform above what lies beyond the upper end.
    const long double log_ratio =
        portable::log(static_cast<long double>(law.upper) / law.scale);
    const long double within = -portable::expm1(-law.shape * log_ratio);
    exponential = -portable::log1p(-within * to_unit(~word));
  }
  const double value = to_double(law.scale * portable::exp(exponential / law.shape));
  return std::clamp(value, law.scale, law.upper);
}

double empirical(const Empirical& law, std::uint64_t word) {
  const std::size_t size = law.values->size();
  const auto index = static_cast<std::size_t>(to_unit(word) * static_cast<double>(size));
  return (*law.values)[std::min(index, size - 1)] * law.factor;
}

}  // namespace

bool Empirical::operator==(const Empirical& other) const {
  return factor == other.factor &&
         (values == other.values ||
          (values != nullptr && other.values != nullptr && *values == *other.values));
}

Hyperexponential balanced_means(double mean, double scv) {
  BASIN_EXPECT(mean > 0 && scv >= 1);
  const double root = std::sqrt((scv - 1) / (scv + 1));
  // Below 1, so that the rare phase keeps a finite mean however large the scv.
  const double p = std::min(0.5 * (1 + root), 1 - 0x1p-53);
  return {.p = p, .mean1 = mean / (2 * p), .mean2 = mean / (2 * (1 - p))};
}

double mean_of(const Distribution& distribution) {
  return std::visit(
      Overloaded{
          [](const Exponential& law) { return law.mean; },
          [](const Deterministic& law) { return law.mean; },
          [](const Uniform& law) { return 0.5 * (law.low + law.high); },
          [](const Erlang& law) { return law.mean; },
          [](const Gamma& law) { return law.mean; },
          [](const Lognormal& law) { return law.mean; },
          [](const Hyperexponential& law) {
            return law.p * law.mean1 + (1 - law.p) * law.mean2;
          },
          [](const Weibull& law) {
            return to_double(
                law.scale *
                portable::tgamma(1 + 1 / static_cast<long double>(law.shape)));
          },
          [](const Pareto& law) {
            const long double moment = pareto_moment(law, 1);
            return std::isinf(moment) ? infinity : to_double(law.scale * moment);
          },
          [](const Empirical& law) { return moments_of_sample(law).mean; },
      },
      distribution);
}

double scv_of(const Distribution& distribution) {
  return std::visit(
      Overloaded{
          [](const Exponential&) { return 1.0; },
          [](const Deterministic&) { return 0.0; },
          [](const Uniform& law) {
            const double spread = (law.high - law.low) / (law.high + law.low);
            return spread * spread / 3;
          },
          [](const Erlang& law) { return 1.0 / static_cast<double>(law.shape); },
          [](const Gamma& law) { return 1 / law.shape; },
          [](const Lognormal& law) { return law.scv; },
          [](const Hyperexponential& law) {
            const double mean = law.p * law.mean1 + (1 - law.p) * law.mean2;
            const double square =
                2 * (law.p * law.mean1 * law.mean1 + (1 - law.p) * law.mean2 * law.mean2);
            return square / (mean * mean) - 1;
          },
          [](const Weibull& law) {
            const long double inverse = 1 / static_cast<long double>(law.shape);
            const long double first = portable::tgamma(1 + inverse);
            const long double second = portable::tgamma(1 + 2 * inverse);
            return std::isinf(second) ? infinity : to_double(second / first / first - 1);
          },
          [](const Pareto& law) {
            const long double first = pareto_moment(law, 1);
            const long double second = pareto_moment(law, 2);
            if (std::isinf(second)) {
              return infinity;
            }
            return std::max(to_double(second / first / first - 1), 0.0);
          },
          [](const Empirical& law) { return moments_of_sample(law).scv; },
      },
      distribution);
}

double sample(const Distribution& distribution, std::uint64_t word, RandomStream more) {
  return std::visit(
      Overloaded{
          [&](const Exponential& law) { return law.mean * unit_exponential(word); },
          [&](const Deterministic& law) { return law.mean; },
          [&](const Uniform& law) {
            return law.low + (law.high - law.low) * to_unit(word);
          },
          [&](const Erlang& law) {
            return law.mean / static_cast<double>(law.shape) * erlang(law.shape, more);
          },
          [&](const Gamma& law) {
            return law.mean * (gamma(law.shape, more) / law.shape);
          },
          [&](const Lognormal& law) { return lognormal(law, more); },
          [&](const Hyperexponential& law) { return hyperexponential(law, word); },
          [&](const Weibull& law) { return weibull(law, word); },
          [&](const Pareto& law) { return pareto(law, word); },
          [&](const Empirical& law) { return empirical(law, word); },
      },
      distribution);
}

}  // namespace basin
