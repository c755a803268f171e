#include "analysis/mean_field.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include <boost/math/tools/roots.hpp>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

void expect_model(const MeanFieldRetries& model) {
  above_zero(model.service_rate, "the service rate");
  above_zero(model.timeout, "the timeout");
  constexpr int most = 100'000;
  if (model.attempts < 1 || model.attempts > most) {
    throw NoAnswer("the number of attempts is not from 1 to 100,000");
  }
}

// 1 + p + … + p^(R-1) and its derivative in p.
struct Attempts {
  double sum = 0;
  double slope = 0;
};
Attempts attempts_at(int most, double p) {
  Attempts attempts;
  for (int k = most; k-- > 0;) {
    attempts.slope = attempts.slope * p + attempts.sum;
    attempts.sum = attempts.sum * p + 1;
  }
  return attempts;
}

double late(const MeanFieldRetries& model, double x) {
  return portable::exp(-(model.service_rate - x) * model.timeout);
}

// The load whose attempts come at rate x < mu, and the sign of its slope in x.
double load_of(const MeanFieldRetries& model, double x) {
  return x / attempts_at(model.attempts, late(model, x)).sum;
}
double rise_of(const MeanFieldRetries& model, double x) {
  const double p = late(model, x);
  const Attempts attempts = attempts_at(model.attempts, p);
  return attempts.sum - x * attempts.slope * p * model.timeout;
}

// Of a function that has opposite signs at the ends.
double root_between(const std::function<double(double)>& f, double low, double high) {
  std::uintmax_t steps = 300;
  const auto bracket = boost::math::tools::toms748_solve(
      f, low, high, boost::math::tools::eps_tolerance<double>(53), steps);
  return (bracket.first + bracket.second) / 2;
}

}  // namespace

CollapseFold collapse_fold(const MeanFieldRetries& model) {
  expect_model(model);
  const double mu = model.service_rate;
  const double edge = mu / model.attempts;
  // The load rises with x up to the fold; without one, up to mu.
  if (rise_of(model, mu) >= 0) {
    return {.load = edge, .attempt_rate = mu, .recovery_load = edge};
  }
  const double x = root_between([&](double at) { return rise_of(model, at); }, 0, mu);
  return {.load = load_of(model, x), .attempt_rate = x, .recovery_load = edge};
}

std::vector<FixedPoint> fixed_points(const MeanFieldRetries& model, double load) {
  zero_or_more(load, "the load");
  const CollapseFold fold = collapse_fold(model);
  const double mu = model.service_rate;
  std::vector<FixedPoint> points;
  const auto below = [&](double x) { return load_of(model, x) - load; };
  if (load < fold.load) {
    const double x = load == 0 ? 0 : root_between(below, 0, fold.attempt_rate);
    points.push_back(
        {.attempt_rate = x, .late_probability = late(model, x), .is_stable = true});
    if (load > fold.recovery_load) {
      const double unstable = root_between(below, fold.attempt_rate, mu);
      points.push_back({.attempt_rate = unstable,
                        .late_probability = late(model, unstable),
                        .is_stable = false});
    }
  } else if (load == fold.load && fold.attempt_rate < mu) {
    points.push_back({.attempt_rate = fold.attempt_rate,
                      .late_probability = late(model, fold.attempt_rate),
                      .is_stable = false});
  }
  if (load * model.attempts >= mu) {
    points.push_back({.attempt_rate = load * model.attempts,
                      .late_probability = 1,
                      .is_stable = true});
  }
  return points;
}

HysteresisBranches hysteresis(const MeanFieldRetries& model,
                              std::span<const double> loads) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  HysteresisBranches branches;
  for (const double load : loads) {
    branches.healthy.push_back(none);
    branches.unstable.push_back(none);
    branches.saturated.push_back(none);
    for (const FixedPoint& point : fixed_points(model, load)) {
      auto& branch = point.late_probability == 1 ? branches.saturated
                     : point.is_stable           ? branches.healthy
                                                 : branches.unstable;
      branch.back() = point.attempt_rate;
    }
  }
  return branches;
}

}  // namespace basin
