#include "analysis/erlang.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <boost/math/tools/roots.hpp>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

void expect_servers(std::int64_t servers, std::int64_t fewest) {
  constexpr std::int64_t most = 1'000'000'000;
  if (servers < fewest || servers > most) {
    throw NoAnswer("the number of servers is " + std::to_string(servers) + ", not from " +
                   std::to_string(fewest) + " to 1e9");
  }
}

void expect_probability(double p) {
  if (!(p >= 0 && p < 1)) {
    throw NoAnswer("a quantile is asked for a probability outside of [0, 1)");
  }
}

long double blocking(long double load, std::int64_t servers) {
  long double probability = 1;
  for (std::int64_t k = 1; k <= servers; ++k) {
    probability = load * probability / (static_cast<long double>(k) + load * probability);
  }
  return probability;
}

// A stable M/M/c in the two numbers that its waits depend on.
struct Waits {
  double probability;  // to wait
  double surplus;      // c mu - lambda
};

Waits waits_of(const Mmc& queue) {
  expect_servers(queue.servers, 1);
  above_zero(queue.arrival_rate, "the arrival rate");
  above_zero(queue.service_rate, "the service rate");
  const auto servers = static_cast<double>(queue.servers);
  expect_stable(queue.arrival_rate / (servers * queue.service_rate));
  const double surplus = servers * queue.service_rate - queue.arrival_rate;
  if (!(surplus > 0)) {
    expect_stable(1);
  }
  const long double load =
      static_cast<long double>(queue.arrival_rate) / queue.service_rate;
  const long double b = blocking(load, queue.servers);
  // C = c B / (c - a (1 - B)), the denominator as (c - a) + a B.
  const long double spare = static_cast<long double>(surplus) / queue.service_rate;
  return {.probability = static_cast<double>(static_cast<long double>(servers) * b /
                                             (spare + load * b)),
          .surplus = surplus};
}

}  // namespace

double erlang_b(double offered_load, std::int64_t servers) {
  zero_or_more(offered_load, "the offered load");
  expect_servers(servers, 0);
  return static_cast<double>(blocking(offered_load, servers));
}

double erlang_c(double offered_load, std::int64_t servers) {
  zero_or_more(offered_load, "the offered load");
  expect_servers(servers, 1);
  return offered_load == 0
             ? 0
             : waits_of(
                   {.arrival_rate = offered_load, .service_rate = 1, .servers = servers})
                   .probability;
}

MmcAnswers answers(const Mmc& queue) {
  const Waits waits = waits_of(queue);
  const auto servers = static_cast<double>(queue.servers);
  const double load = queue.arrival_rate / queue.service_rate;
  const double wait = waits.probability / waits.surplus;
  const double waiting = queue.arrival_rate * wait;
  // P0 = C (1 - rho) c! / a^c.
  const long double log_empty =
      portable::log(static_cast<long double>(waits.probability)) +
      portable::log(static_cast<long double>(waits.surplus) /
                    (servers * queue.service_rate)) +
      portable::lgamma(static_cast<long double>(servers) + 1) -
      static_cast<long double>(servers) * portable::log(static_cast<long double>(load));
  return {.utilization = load / servers,
          .wait_probability = waits.probability,
          .mean_number = waiting + load,
          .mean_waiting = waiting,
          .mean_sojourn = wait + 1 / queue.service_rate,
          .mean_wait = wait,
          .wait_variance = waits.probability * (2 - waits.probability) /
                           (waits.surplus * waits.surplus),
          .empty_probability = static_cast<double>(portable::exp(log_empty))};
}

double wait_tail(const Mmc& queue, double time) {
  const Waits waits = waits_of(queue);
  return time < 0 ? 1 : waits.probability * portable::exp(-waits.surplus * time);
}

double sojourn_tail(const Mmc& queue, double time) {
  const Waits waits = waits_of(queue);
  if (time <= 0) {
    return 1;
  }
  // A wait that is 0 or exponential with the surplus, and a service. The quotient is
  // (1 - exp(-difference t)) / difference, t where the two rates are the same.
  const double mu = queue.service_rate;
  const double difference = waits.surplus - mu;
  const double smaller = std::min(waits.surplus, mu);
  const double apart = std::abs(difference);
  const double quotient =
      apart * time < 1e-300 ? time : -portable::expm1(-apart * time) / apart;
  return portable::exp(-mu * time) +
         waits.probability * mu * portable::exp(-smaller * time) * quotient;
}

double wait_quantile(const Mmc& queue, double p) {
  const Waits waits = waits_of(queue);
  expect_probability(p);
  const double ratio = waits.probability / (1 - p);
  return ratio <= 1 ? 0 : portable::log(ratio) / waits.surplus;
}

double sojourn_quantile(const Mmc& queue, double p) {
  expect_probability(p);
  if (p == 0) {
    waits_of(queue);
    return 0;
  }
  const double target = portable::log1p(-p);
  const auto excess = [&](double time) {
    return portable::log(sojourn_tail(queue, time)) - target;
  };
  double high = 1 / queue.service_rate;
  while (excess(high) > 0) {
    high *= 2;
  }
  std::uintmax_t steps = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      excess, 0.0, high, boost::math::tools::eps_tolerance<double>(52), steps);
  return (bracket.first + bracket.second) / 2;
}

MmcKAnswers answers(const MmcK& queue) {
  expect_servers(queue.servers, 1);
  above_zero(queue.arrival_rate, "the arrival rate");
  above_zero(queue.service_rate, "the service rate");
  constexpr std::int64_t most = 10'000'000;
  if (queue.capacity < queue.servers || queue.capacity > most) {
    throw NoAnswer("the capacity is " + std::to_string(queue.capacity) +
                   ", not from the number of servers (" + std::to_string(queue.servers) +
                   ") to 1e7");
  }
  // Weights lambda^n / prod min(i, c) mu up from the likeliest state and down from it, so
  // that none overflows and those that underflow do not count.
  const auto states = static_cast<std::size_t>(queue.capacity);
  const long double lambda = queue.arrival_rate;
  const auto served = [&](std::size_t n) {
    return static_cast<long double>(
               std::min<std::int64_t>(static_cast<std::int64_t>(n), queue.servers)) *
           queue.service_rate;
  };
  std::size_t mode = 0;
  while (mode < states && lambda >= served(mode + 1)) {
    ++mode;
  }
  std::vector<long double> weight(states + 1, 0.0L);
  weight[mode] = 1;
  for (std::size_t n = mode; n < states; ++n) {
    weight[n + 1] = weight[n] * (lambda / served(n + 1));
  }
  for (std::size_t n = mode; n > 0; --n) {
    weight[n - 1] = weight[n] * (served(n) / lambda);
  }
  long double total = 0;
  long double number = 0;
  long double waiting = 0;
  long double free = 0;
  for (std::size_t n = 0; n <= states; ++n) {
    const auto count = static_cast<std::int64_t>(n);
    total += weight[n];
    number += weight[n] * static_cast<long double>(count);
    waiting += weight[n] *
               static_cast<long double>(std::max<std::int64_t>(count - queue.servers, 0));
    free += count < queue.capacity ? weight[n] : 0;
  }
  const long double throughput = lambda * (free / total);
  return {
      .blocking_probability = static_cast<double>(weight[states] / total),
      .throughput = static_cast<double>(throughput),
      .utilization = static_cast<double>(
          throughput / (static_cast<long double>(queue.servers) * queue.service_rate)),
      .mean_number = static_cast<double>(number / total),
      .mean_waiting = static_cast<double>(waiting / total),
      .mean_sojourn = static_cast<double>(number / total / throughput),
      .mean_wait = static_cast<double>(waiting / total / throughput),
      .empty_probability = static_cast<double>(weight[0] / total)};
}

}  // namespace basin
