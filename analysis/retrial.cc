#include "analysis/retrial.h"

#include "analysis/no_answer.h"
#include "analysis/second_moment.h"

namespace basin {

Mg1RetrialAnswers answers(const Mg1Retrial& queue) {
  above_zero(queue.arrival_rate, "the arrival rate");
  expect_moments(queue.service, "the service");
  above_zero(queue.retry_rate, "the retry rate");
  const long double lambda = queue.arrival_rate;
  const long double rho = lambda * queue.service.mean;
  expect_stable(static_cast<double>(rho));
  const long double wait =
      (lambda * queue.service.second / 2 + rho / queue.retry_rate) / (1 - rho);
  const auto busy = static_cast<double>(rho);
  return {.busy_probability = busy,
          .blocking_probability = busy,
          .mean_orbit = static_cast<double>(lambda * wait),
          .mean_number = static_cast<double>(lambda * wait + rho),
          .mean_wait = static_cast<double>(wait),
          .mean_sojourn = static_cast<double>(wait + queue.service.mean),
          // Each in orbit tries at the retry rate all the time.
          .attempts_per_served = static_cast<double>(1 + queue.retry_rate * wait)};
}

}  // namespace basin
