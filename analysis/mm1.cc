#include "analysis/mm1.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

void expect_rates(const Mm1& queue) {
  above_zero(queue.arrival_rate, "the arrival rate");
  above_zero(queue.service_rate, "the service rate");
}

// The surplus mu - lambda of a queue with a steady state.
double stable_surplus(const Mm1& queue) {
  expect_rates(queue);
  expect_stable(queue.arrival_rate / queue.service_rate);
  return queue.service_rate - queue.arrival_rate;
}

void expect_probability(double p) {
  if (!(p >= 0 && p < 1)) {
    throw NoAnswer("a quantile is asked for a probability outside of [0, 1)");
  }
}

void expect_level(std::int64_t level) {
  if (level < 1) {
    throw NoAnswer("the level is " + std::to_string(level) + ", not 1 or more");
  }
}

// What P(empty at s) = limit + sum of weight exp(-decay s) integrates to over [0, time],
// once and twice.
struct EmptyTime {
  long double probability = 0;
  long double once = 0;
  long double twice = 0;
};

// exp(-x) - 1 + x, without cancellation.
long double second_remainder(long double x) {
  if (x > 0.01L) {
    return portable::expm1(-x) + x;
  }
  return x * x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6))));
}

// The trapezoidal rule with `points` points over [0, pi]: exact to rounding for a smooth
// periodic integrand once there are enough.
EmptyTime spectral_sum(const Mm1& queue,
                       std::int64_t initial,
                       long double time,
                       std::size_t points) {
  const long double lambda = queue.arrival_rate;
  const long double mu = queue.service_rate;
  const long double root = std::sqrt(lambda / mu);
  const long double product = 2 * std::sqrt(lambda * mu);
  const long double slowest =
      (std::sqrt(mu) - std::sqrt(lambda)) * (std::sqrt(mu) - std::sqrt(lambda));
  const auto n = static_cast<long double>(initial);
  const long double scale =
      -2 * mu * root * portable::pow(root, -n) / static_cast<long double>(points);
  EmptyTime sum;
  for (std::size_t k = 1; k < points; ++k) {
    const long double angle = std::numbers::pi_v<long double> *
                              static_cast<long double>(k) /
                              static_cast<long double>(points);
    const long double half = std::sin(angle / 2);
    const long double decay = slowest + 2 * product * half * half;
    const long double weight = scale * std::sin(angle) *
                               (std::sin(n * angle) - root * std::sin((n + 1) * angle)) /
                               decay;
    const long double gone = -portable::expm1(-decay * time);
    sum.probability += weight * (1 - gone);
    sum.once += weight * gone / decay;
    sum.twice += weight * second_remainder(decay * time) / (decay * decay);
  }
  const long double limit = lambda < mu ? 1 - lambda / mu : 0;
  sum.probability += limit;
  sum.once += limit * time;
  sum.twice += limit * time * time / 2;
  return sum;
}

// The moments from the probabilities to be empty up to then:
// d E[N] = lambda - mu + mu P0, d E[N^2] = 2 (lambda - mu) E[N] + lambda + mu - mu P0.
Mm1Transient spectral(const Mm1& queue, std::int64_t initial, double time) {
  std::size_t points = 256;
  const auto start = static_cast<std::size_t>(initial);
  while (points < 8 * (start + 1)) {
    points *= 2;
  }
  constexpr std::size_t most_points = std::size_t{1} << 21;  // half a second
  EmptyTime empty = spectral_sum(queue, initial, time, points);
  for (;;) {
    points *= 2;
    const EmptyTime finer = spectral_sum(queue, initial, time, points);
    const long double change =
        std::abs(finer.probability - empty.probability) +
        std::abs(finer.once - empty.once) / std::max(std::abs(finer.once), 1e-300L);
    empty = finer;
    if (change < 1e-14L) {
      break;
    }
    if (points > most_points) {
      throw NoAnswer("the load is too near 1 for the transient to be computed");
    }
  }
  const long double lambda = queue.arrival_rate;
  const long double mu = queue.service_rate;
  const long double t = time;
  const auto n = static_cast<long double>(initial);
  const long double mean = n + (lambda - mu) * t + mu * empty.once;
  const long double area = n * t + (lambda - mu) * t * t / 2 + mu * empty.twice;
  const long double square =
      n * n + 2 * (lambda - mu) * area + (lambda + mu) * t - mu * empty.once;
  return {.mean_number = static_cast<double>(mean),
          .number_variance = static_cast<double>(square - mean * mean),
          .empty_probability = static_cast<double>(empty.probability)};
}

// The law after a Poisson number of steps of the chain watched at rate lambda + mu.
Mm1Transient uniformized(const Mm1& queue, std::int64_t initial, double time) {
  const double rate = queue.arrival_rate + queue.service_rate;
  const double up = queue.arrival_rate / rate;
  const double down = queue.service_rate / rate;
  const double mean_steps = rate * time;
  const double most_steps = mean_steps + 12 * std::sqrt(mean_steps) + 60;
  const double span = static_cast<double>(initial) + 12 * std::sqrt(most_steps) +
                      std::max(0.0, up - down) * most_steps + 60;
  if (most_steps * span > 1e9) {
    throw NoAnswer("the time is too long to follow the transient");
  }
  const auto states = static_cast<std::size_t>(
      std::min(span, static_cast<double>(initial) + most_steps + 1));
  std::vector<double> law(states + 1, 0.0);
  std::vector<double> next(law.size(), 0.0);
  law[static_cast<std::size_t>(initial)] = 1;
  double mean = 0;
  double square = 0;
  double empty = 0;
  for (double k = 0; k <= most_steps; ++k) {
    const double weight = portable::exp(k * portable::log(mean_steps) - mean_steps -
                                        portable::lgamma(k + 1));
    if (weight > 1e-30) {
      for (std::size_t n = 0; n < law.size(); ++n) {
        const auto number = static_cast<double>(n);
        mean += weight * law[n] * number;
        square += weight * law[n] * number * number;
      }
      empty += weight * law[0];
    }
    for (std::size_t n = 0; n < law.size(); ++n) {
      next[n] = (n > 0 ? up * law[n - 1] : down * law[0]) +
                (n + 1 < law.size() ? down * law[n + 1] : up * law[n]);
    }
    law.swap(next);
  }
  return {.mean_number = mean,
          .number_variance = square - mean * mean,
          .empty_probability = empty};
}

}  // namespace

Mm1Answers answers(const Mm1& queue) {
  const double surplus = stable_surplus(queue);
  const double lambda = queue.arrival_rate;
  const double mu = queue.service_rate;
  const double rho = lambda / mu;
  const double idle = surplus / mu;
  const double root = std::sqrt(mu) + std::sqrt(lambda);
  return {.utilization = rho,
          .empty_probability = idle,
          .mean_number = lambda / surplus,
          .mean_waiting = rho * lambda / surplus,
          .mean_sojourn = 1 / surplus,
          .mean_wait = rho / surplus,
          .number_variance = rho / (idle * idle),
          .time_average_variance = 2 * rho * (1 + rho) / (idle * idle * idle * idle * mu),
          .relaxation_rate = surplus / root * (surplus / root),
          .busy_period_mean = 1 / surplus,
          .busy_period_variance = (mu + lambda) / (surplus * surplus * surplus)};
}

double number_tail(const Mm1& queue, std::int64_t number) {
  stable_surplus(queue);
  if (number < 0) {
    return 1;
  }
  return portable::pow(queue.arrival_rate / queue.service_rate,
                       static_cast<double>(number) + 1);
}

double wait_tail(const Mm1& queue, double time) {
  const double surplus = stable_surplus(queue);
  return time < 0
             ? 1
             : queue.arrival_rate / queue.service_rate * portable::exp(-surplus * time);
}

double sojourn_tail(const Mm1& queue, double time) {
  const double surplus = stable_surplus(queue);
  return time < 0 ? 1 : portable::exp(-surplus * time);
}

double wait_quantile(const Mm1& queue, double p) {
  const double surplus = stable_surplus(queue);
  expect_probability(p);
  const double ratio = queue.arrival_rate / queue.service_rate / (1 - p);
  return ratio <= 1 ? 0 : portable::log(ratio) / surplus;
}

double sojourn_quantile(const Mm1& queue, double p) {
  const double surplus = stable_surplus(queue);
  expect_probability(p);
  return -portable::log1p(-p) / surplus;
}

double overflow_probability(const Mm1& queue, std::int64_t level) {
  expect_rates(queue);
  expect_level(level);
  // ((mu/lambda) - 1) / ((mu/lambda)^level - 1), in logarithms.
  const double step = portable::log(queue.service_rate / queue.arrival_rate);
  const auto steps = static_cast<double>(level);
  if (step * steps == 0) {
    return 1 / steps;
  }
  // For a large drift down exp(step level) leaves the range of double.
  return step * steps > 700 ? portable::exp(-step * steps) * portable::expm1(step)
                            : portable::expm1(step) / portable::expm1(step * steps);
}

double mean_time_to_level(const Mm1& queue, std::int64_t level) {
  expect_rates(queue);
  expect_level(level);
  // From n to n + 1 it takes (1 + x + … + x^n) / lambda, x = mu/lambda.
  const long double lambda = queue.arrival_rate;
  const long double x = queue.service_rate / lambda;
  const auto steps = static_cast<long double>(level);
  long double sum = 0;
  if (level <= 10'000'000) {
    long double passage = 0;
    for (std::int64_t n = 0; n < level; ++n) {
      passage = 1 + x * passage;
      sum += passage;
    }
  } else {
    const long double rise = x - 1;
    sum =
        rise == 0
            ? steps * (steps + 1) / 2
            : (x * portable::expm1(steps * portable::log1p(rise)) / rise - steps) / rise;
  }
  const auto time = static_cast<double>(sum / lambda);
  if (!std::isfinite(time)) {
    throw NoAnswer("the mean time to reach the level is above 1e308");
  }
  return time;
}

Mm1Transient transient(const Mm1& queue, std::int64_t initial, double time) {
  expect_rates(queue);
  zero_or_more(time, "the time");
  if (initial < 0) {
    throw NoAnswer("the initial number is negative");
  }
  if (time == 0) {
    return {.mean_number = static_cast<double>(initial),
            .number_variance = 0,
            .empty_probability = initial == 0 ? 1.0 : 0.0};
  }
  // The spectral sum loses as many digits as (mu/lambda)^(initial/2) has.
  const double digits_lost = static_cast<double>(initial) / 2 *
                             portable::log(queue.service_rate / queue.arrival_rate) /
                             std::numbers::ln10;
  return digits_lost < 4 && initial < 100'000 ? spectral(queue, initial, time)
                                              : uniformized(queue, initial, time);
}

DrainTime drain_time(const Mm1& queue, double depth) {
  const double surplus = stable_surplus(queue);
  zero_or_more(depth, "the depth");
  return {.mean = depth / surplus,
          .variance = depth * (queue.service_rate + queue.arrival_rate) /
                      (surplus * surplus * surplus)};
}

}  // namespace basin
