#include "analysis/gim1.h"

#include <cmath>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

void expect_probability(double p) {
  if (!(p >= 0 && p < 1)) {
    throw NoAnswer("a quantile is asked for a probability outside of [0, 1)");
  }
}

}  // namespace

GiM1Answers answers(const GiM1& queue) {
  const double mean = queue.gap.moments.mean;
  if (std::isinf(mean)) {
    throw NoAnswer("the mean gap is infinite: arrivals have no rate");
  }
  above_zero(mean, "the mean gap");
  const double mu = above_zero(queue.service_rate, "the service rate");
  const double rho = 1 / (mean * mu);
  expect_stable(rho);
  // In y = 1 - sigma: (1 - A*(mu y)) / y falls from 1/rho at 0 to below 1 at 1; it meets
  // 1 once. Bisected in the logarithm of y, which keeps the digits of a small one.
  const auto excess = [&](long double log_y) {
    const long double y = portable::exp(log_y);
    return queue.gap.transform_complement(static_cast<long double>(mu) * y) - y;
  };
  long double high = 0;
  long double low = -1;
  while (excess(low) <= 0) {
    low *= 2;
    if (low < -700) {
      throw NoAnswer("the load is too near 1: the wait is beyond all numbers");
    }
  }
  for (int step = 0; step < 100; ++step) {
    const long double middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  const auto y = static_cast<double>(portable::exp((low + high) / 2));
  const double sigma = 1 - y;
  const double rate = mu * y;
  return {.utilization = rho,
          .sigma = sigma,
          .sojourn_rate = rate,
          .mean_number = rho / y,
          .mean_waiting = rho * sigma / y,
          .mean_sojourn = 1 / rate,
          .mean_wait = sigma / rate,
          .wait_variance = sigma * (2 - sigma) / (rate * rate)};
}

double wait_tail(const GiM1Answers& queue, double time) {
  return time < 0 ? 1 : queue.sigma * portable::exp(-queue.sojourn_rate * time);
}

double sojourn_tail(const GiM1Answers& queue, double time) {
  return time < 0 ? 1 : portable::exp(-queue.sojourn_rate * time);
}

double wait_quantile(const GiM1Answers& queue, double p) {
  expect_probability(p);
  const double ratio = queue.sigma / (1 - p);
  return ratio <= 1 ? 0 : portable::log(ratio) / queue.sojourn_rate;
}

double sojourn_quantile(const GiM1Answers& queue, double p) {
  expect_probability(p);
  return -portable::log1p(-p) / queue.sojourn_rate;
}

}  // namespace basin
