#include "analysis/zombie_fluid.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/numeric/odeint.hpp>

#include "analysis/no_answer.h"

namespace basin {

namespace {

namespace odeint = boost::numeric::odeint;
using Point = std::vector<double>;  // live, zombie

void expect_model(const ZombieFluid& model) {
  zero_or_more(model.arrival_rate, "the arrival rate");
  above_zero(model.service_rate, "the service rate");
  above_zero(model.timeout_rate, "the timeout rate");
  if (!(model.retry_probability > 0 && model.retry_probability <= 1)) {
    throw NoAnswer("the retry probability is outside of (0, 1]");
  }
}

struct Flow {
  ZombieFluid model;

  void operator()(const Point& at, Point& change, double /*time*/) const {
    const double number = at[0] + at[1];
    // Each request's share of the server.
    const double share = model.service_rate / std::max(number, 1.0);
    const double lost = model.timeout_rate * (1 - model.retry_probability);
    change[0] = model.arrival_rate - share * at[0] - lost * at[0];
    change[1] = model.timeout_rate * at[0] - share * at[1];
  }
};

auto stepper() {
  return odeint::make_controlled<odeint::runge_kutta_fehlberg78<Point>>(1e-13, 1e-13);
}

// Whether the system empties from there.
bool empties(const ZombieFluid& model, const ZombieSaddle& point, ZombieState from) {
  const double saddle_number = point.live + point.zombie;
  Point at{from.live, from.zombie};
  // Slow near the saddle: as many time constants as doubles can tell apart.
  const double span = 1 / point.unstable_rate;
  for (int k = 0; k < 2000; ++k) {
    odeint::integrate_adaptive(stepper(), Flow{model}, at, 0.0, span, span / 100);
    const double number = at[0] + at[1];
    if (number < saddle_number / 10 || number < 1) {
      return true;
    }
    if (number > 10 * saddle_number) {
      return false;
    }
  }
  return true;
}

}  // namespace

ZombieSaddle saddle(const ZombieFluid& model) {
  expect_model(model);
  const double lambda = model.arrival_rate;
  const double mu = model.service_rate;
  const double theta = model.timeout_rate;
  const double q = model.retry_probability;
  if (!(lambda > (1 - q) * mu && lambda < mu)) {
    throw NoAnswer("there is no saddle: the load is not between (1 - q) mu and mu");
  }
  const double live = (mu - lambda) / (theta * q);
  const double number = mu * live / (lambda - (1 - q) * (mu - lambda) / q);
  if (!(number >= 1 && number >= live)) {
    throw NoAnswer("there is no saddle where the server is saturated");
  }
  const double zombie = number - live;
  // The Jacobian [[-u - theta (1 - q), v], [theta + u, -v]].
  const double u = mu * zombie / (number * number);
  const double v = mu * live / (number * number);
  const double lost = theta * (1 - q);
  const double trace = -u - lost - v;
  const double determinant = (u + lost) * v - v * (theta + u);
  const double root = std::sqrt(trace * trace - 4 * determinant);
  // Without cancellation: the larger root, then the product.
  const double stable = (trace - root) / 2;
  return {.live = live,
          .zombie = zombie,
          .stable_rate = stable,
          .unstable_rate = determinant / stable,
          .window_low = (1 - q) * mu,
          .window_high = mu};
}

ZombieState state_after(const ZombieFluid& model, ZombieState from, double time) {
  expect_model(model);
  zero_or_more(time, "the time");
  Point at{zero_or_more(from.live, "the number of live requests"),
           zero_or_more(from.zombie, "the number of zombies")};
  if (time > 0) {
    odeint::integrate_adaptive(stepper(), Flow{model}, at, 0.0, time, time / 1000);
  }
  return {.live = at[0], .zombie = at[1]};
}

double critical_trigger(const ZombieFluid& model, double trigger_rate) {
  const ZombieSaddle point = saddle(model);
  zero_or_more(trigger_rate, "the trigger's rate");
  ZombieFluid triggered = model;
  triggered.arrival_rate = trigger_rate;
  const auto comes_back = [&](double duration) {
    return empties(model, point, state_after(triggered, {}, duration));
  };
  double high = 1 / model.service_rate;
  while (comes_back(high)) {
    high *= 2;
    if (high > 100 / point.unstable_rate) {
      throw NoAnswer("no trigger of that rate tips the system");
    }
  }
  double low = 0;
  for (int k = 0; k < 60 && high - low > 1e-11 * high; ++k) {
    const double middle = (low + high) / 2;
    (comes_back(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace basin
