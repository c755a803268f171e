#include "analysis/approximations.h"

#include <string>

#include "analysis/erlang.h"
#include "analysis/no_answer.h"
#include "analysis/second_moment.h"

namespace basin {

namespace {

double squared_variation(const Moments& moments) {
  return variance_of(moments) / (moments.mean * moments.mean);
}

void expect_times(const GiGc& queue) {
  expect_moments(queue.gap, "the gap between arrivals");
  expect_moments(queue.service, "the service");
}

// The load of one server.
double single_load(const GiGc& queue) {
  expect_times(queue);
  if (queue.servers != 1) {
    throw NoAnswer("the formula is for one server, not " + std::to_string(queue.servers));
  }
  const double load = queue.service.mean / queue.gap.mean;
  expect_stable(load);
  return load;
}

double two_moment_bound(const GiGc& queue, double gap_share) {
  const double idle = (queue.gap.mean - queue.service.mean) / queue.gap.mean;
  return (gap_share * variance_of(queue.gap) + variance_of(queue.service)) /
         (2 * idle * queue.gap.mean);
}

}  // namespace

double kingman_bound(const GiGc& queue) {
  single_load(queue);
  return two_moment_bound(queue, 1);
}

double daley_bound(const GiGc& queue) {
  const double load = single_load(queue);
  return two_moment_bound(queue, load * (2 - load));
}

double kingman_approximation(const GiGc& queue) {
  const double load = single_load(queue);
  return load * queue.service.mean * queue.gap.mean /
         (queue.gap.mean - queue.service.mean) *
         (squared_variation(queue.gap) + squared_variation(queue.service)) / 2;
}

double allen_cunneen_approximation(const GiGc& queue) {
  expect_times(queue);
  const MmcAnswers memoryless = answers(Mmc{.arrival_rate = 1 / queue.gap.mean,
                                            .service_rate = 1 / queue.service.mean,
                                            .servers = queue.servers});
  return memoryless.mean_wait *
         ((squared_variation(queue.gap) + squared_variation(queue.service)) / 2);
}

}  // namespace basin
