#include "analysis/retrial.h"

#include "analysis/no_answer.h"

namespace basin {

Mg1RetrialAnswers answers(const Mg1Retrial& queue) {
  above_zero(queue.arrival_rate, "the arrival rate");
  above_zero(queue.mean_service, "the mean service time");
  above_zero(queue.service_square, "the mean square of the service time");
  above_zero(queue.retry_rate, "the retry rate");
  // A constant service may be off by the rounding of its square.
  if (queue.service_square < queue.mean_service * queue.mean_service * (1 - 1e-12)) {
    throw NoAnswer("the mean square of the service time is below the square of its mean");
  }
  const long double lambda = queue.arrival_rate;
  const long double rho = lambda * queue.mean_service;
  expect_stable(static_cast<double>(rho));
  const long double wait =
      (lambda * queue.service_square / 2 + rho / queue.retry_rate) / (1 - rho);
  const auto busy = static_cast<double>(rho);
  return {.busy_probability = busy,
          .blocking_probability = busy,
          .mean_orbit = static_cast<double>(lambda * wait),
          .mean_number = static_cast<double>(lambda * wait + rho),
          .mean_wait = static_cast<double>(wait),
          .mean_sojourn = static_cast<double>(wait + queue.mean_service),
          // Each in orbit tries at the retry rate all the time.
          .attempts_per_served = static_cast<double>(1 + queue.retry_rate * wait)};
}

}  // namespace basin
