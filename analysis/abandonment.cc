#include "analysis/abandonment.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/erlang.h"
#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

template <typename Queue>
void expect_queue(const Queue& queue) {
  above_zero(queue.arrival_rate, "the arrival rate");
  above_zero(queue.service_rate, "the service rate");
  if (queue.servers < 1 || queue.servers > 1'000'000'000) {
    throw NoAnswer("the number of servers is " + std::to_string(queue.servers) +
                   ", not from 1 to 1e9");
  }
}

// The birth-death chain of M/M/c+M, its weights relative to that of its likeliest state.
class Weights {
 public:
  explicit Weights(const MmcPlusM& queue)
      : lambda_{queue.arrival_rate},
        mu_{queue.service_rate},
        theta_{queue.abandonment_rate},
        servers_{queue.servers} {
    const std::int64_t mode = likeliest();
    add(mode, 1);
    add_above(mode);
    add_below(mode);
  }

  long double total() const { return total_; }
  long double at_zero() const { return at_zero_; }
  long double all_busy() const { return all_busy_; }
  long double number() const { return number_; }
  long double waiting() const { return waiting_; }
  long double served() const { return served_; }  // per unit of time

 private:
  // Of leaving state `number`.
  long double down(std::int64_t number) const {
    return static_cast<long double>(std::min(number, servers_)) * mu_ +
           static_cast<long double>(std::max<std::int64_t>(number - servers_, 0)) *
               theta_;
  }

  // Where arrivals and departures balance.
  std::int64_t likeliest() const {
    const auto servers = static_cast<long double>(servers_);
    if (lambda_ < servers * mu_) {
      return static_cast<std::int64_t>(lambda_ / mu_);
    }
    // The variance above it; nine deviations matter.
    if (lambda_ / theta_ > 1e14L) {
      throw too_many();
    }
    return static_cast<std::int64_t>(servers + (lambda_ - servers * mu_) / theta_);
  }

  static NoAnswer too_many() {
    return NoAnswer("more than 1e8 numbers in the system are likely, too many to sum");
  }

  void add(std::int64_t number, long double weight) {
    if (++states_ > 100'000'000) {
      throw too_many();
    }
    total_ += weight;
    number_ += weight * static_cast<long double>(number);
    served_ += weight * static_cast<long double>(std::min(number, servers_)) * mu_;
    if (number >= servers_) {
      all_busy_ += weight;
      waiting_ += weight * static_cast<long double>(number - servers_);
    }
    if (number == 0) {
      at_zero_ = weight;
    }
  }

  // Until what is left out of the waiting, which is less than a geometric sum, is below
  // rounding. The ratio of neighbours falls with the number.
  void add_above(std::int64_t mode) {
    long double weight = 1;
    for (std::int64_t number = mode; weight > 0; ++number) {
      const long double ratio = lambda_ / down(number + 1);
      if (number > servers_ && ratio < 1) {
        const auto ahead = static_cast<long double>(number - servers_);
        const long double rest = weight * ratio / (1 - ratio) * (ahead + 1 / (1 - ratio));
        if (rest <= 1e-19L * waiting_) {
          return;
        }
      }
      weight *= ratio;
      add(number + 1, weight);
    }
  }

  void add_below(std::int64_t mode) {
    long double weight = 1;
    for (std::int64_t number = mode; number > 0 && weight > 1e-340L; --number) {
      weight *= down(number) / lambda_;
      add(number - 1, weight);
    }
  }

  long double lambda_;
  long double mu_;
  long double theta_;
  std::int64_t servers_;
  std::int64_t states_ = 0;
  long double total_ = 0;
  long double at_zero_ = 0;
  long double all_busy_ = 0;
  long double number_ = 0;
  long double waiting_ = 0;
  long double served_ = 0;
};

// Integral of exp(-x u) over u from 0 to 1.
long double exponential_mean(long double x) {
  return x == 0 ? 1 : -portable::expm1(-x) / x;
}

// Integral of u exp(-x u) over u from 0 to 1.
long double exponential_moment(long double x) {
  if (std::abs(x) > 1) {
    return (-portable::expm1(-x) - x * portable::exp(-x)) / (x * x);
  }
  long double sum = 0;
  long double power = 1;  // (-x)^k / k!
  for (int k = 0; k < 25; ++k) {
    sum += power / (k + 2);
    power *= -x / (k + 1);
  }
  return sum;
}

}  // namespace

MmcPlusMAnswers answers(const MmcPlusM& queue) {
  expect_queue(queue);
  above_zero(queue.abandonment_rate, "the abandonment rate");
  const Weights weights{queue};
  const long double lambda = queue.arrival_rate;
  const long double waiting = weights.waiting() / weights.total();
  MmcPlusMAnswers result;
  result.wait_probability = static_cast<double>(weights.all_busy() / weights.total());
  result.abandon_probability =
      static_cast<double>(queue.abandonment_rate * waiting / lambda);
  result.mean_number = static_cast<double>(weights.number() / weights.total());
  result.mean_waiting = static_cast<double>(waiting);
  result.mean_wait = static_cast<double>(waiting / lambda);
  result.throughput = static_cast<double>(weights.served() / weights.total());
  result.empty_probability = static_cast<double>(weights.at_zero() / weights.total());
  return result;
}

MmcPlusDAnswers answers(const MmcPlusD& queue) {
  expect_queue(queue);
  zero_or_more(queue.patience, "the patience");
  const long double lambda = queue.arrival_rate;
  const long double mu = queue.service_rate;
  const long double tau = queue.patience;
  const long double most = static_cast<long double>(queue.servers) * mu;
  const long double x = (most - lambda) * tau;
  // Per arrival that finds a server free there are `busy` that wait and are served, and
  // `late` that wait and are not: P(wait) = (busy + late) / (1 + busy + late). With
  // surplus d = c mu - lambda these are lambda B (1 - exp(-d tau)) / d and
  // lambda B exp(-d tau) / (c mu), B Erlang's blocking of c - 1 servers. Under overload
  // all three are taken times exp(d tau), which then is what is small.
  const long double blocking =
      erlang_b(static_cast<double>(lambda / mu), queue.servers - 1);
  long double free = 1;
  long double busy = lambda * blocking * tau;
  long double late = blocking * lambda / most;
  long double waited = lambda * blocking * tau * tau;  // by those served
  if (x >= 0) {
    busy *= exponential_mean(x);
    late *= portable::exp(-x);
    waited *= exponential_moment(x);
  } else {
    free = portable::exp(x);
    busy *= exponential_mean(-x);
    // exp(x) times the integral of u exp(-x u) is that of (1 - u) exp(x u).
    waited *= exponential_mean(-x) - exponential_moment(-x);
  }
  const long double all = free + busy + late;
  MmcPlusDAnswers result;
  result.wait_probability = static_cast<double>((busy + late) / all);
  result.abandon_probability = static_cast<double>(late / all);
  result.throughput = static_cast<double>(lambda * ((free + busy) / all));
  result.mean_wait = static_cast<double>((waited + tau * late) / all);
  result.mean_waiting = static_cast<double>(lambda * (waited + tau * late) / all);
  result.mean_number = static_cast<double>(lambda * (waited + tau * late) / all +
                                           lambda / mu * ((free + busy) / all));
  result.mean_wait_served = static_cast<double>(waited / (free + busy));
  return result;
}

}  // namespace basin
