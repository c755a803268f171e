#include "analysis/mg1.h"

#include <cmath>

#include "analysis/no_answer.h"

namespace basin {

Mg1Answers answers(const Mg1& queue) {
  const double lambda = above_zero(queue.arrival_rate, "the arrival rate");
  const Moments& service = queue.service;
  if (!std::isfinite(service.mean)) {
    throw NoAnswer("no steady state: the mean service is infinite");
  }
  above_zero(service.mean, "the mean service");
  const double rho = lambda * service.mean;
  expect_stable(rho);
  if (!std::isfinite(service.second)) {
    throw NoAnswer("the variance of the service is infinite, so the mean wait is too");
  }
  const double idle = 1 - rho;
  const double wait = lambda * service.second / (2 * idle);
  Mg1Answers result{
      .utilization = rho,
      .mean_number = lambda * wait + rho,
      .mean_waiting = lambda * wait,
      .mean_sojourn = wait + service.mean,
      .mean_wait = wait,
      .wait_second_moment = std::nullopt,
      .wait_variance = std::nullopt,
      .busy_period_mean = service.mean / idle,
      .busy_period_variance = (service.variance() + rho * service.mean * service.mean) /
                              (idle * idle * idle)};
  if (std::isfinite(service.third)) {
    const double spread = lambda * service.third / (3 * idle);
    result.wait_second_moment = 2 * wait * wait + spread;
    result.wait_variance = wait * wait + spread;
  }
  return result;
}

}  // namespace basin
