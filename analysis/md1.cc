#include "analysis/md1.h"

#include <algorithm>
#include <cmath>

#include <boost/math/tools/roots.hpp>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

// P(more arrivals than k in a service), k = 0, 1, …, down to what does not count.
std::vector<long double> arrivals_beyond(long double load) {
  std::vector<long double> exactly;
  long double term = portable::exp(-load);
  for (int k = 0; k < 200 && term > 1e-40L; ++k) {
    exactly.push_back(term);
    term *= load / static_cast<long double>(k + 1);
  }
  std::vector<long double> beyond(exactly.size(), 0);
  long double sum = term;
  for (std::size_t k = exactly.size(); k-- > 0;) {
    beyond[k] = sum;
    sum += exactly[k];
  }
  return beyond;
}

}  // namespace

Md1::Md1(double arrival_rate, double service)
    : arrival_rate_{above_zero(arrival_rate, "the arrival rate")},
      service_{above_zero(service, "the service")},
      load_{arrival_rate * service} {
  expect_stable(load_);
  const long double load = static_cast<long double>(arrival_rate) * service;
  // The cut between n - 1 and n: p_n P(no arrival) = p_0 P(n arrivals or more) +
  // sum over 0 < j < n of p_j P(n - j + 1 arrivals or more).
  const std::vector<long double> beyond = arrivals_beyond(load);
  const auto n_or_more = [&](std::size_t n) {
    return n == 0 ? 1.0L : n - 1 < beyond.size() ? beyond[n - 1] : 0.0L;
  };
  const long double none = portable::exp(-load);
  std::vector<long double> law{1 - load};
  // Until the ratio of neighbours has settled: from there on the law is geometric.
  constexpr std::size_t most = 100'000;
  long double before = 0;
  for (std::size_t n = 1; n < most; ++n) {
    long double sum = law[0] * n_or_more(n);
    const std::size_t reach = beyond.size() + 1;
    for (std::size_t j = n > reach ? n - reach : 1; j < n; ++j) {
      sum += law[j] * n_or_more(n - j + 1);
    }
    law.push_back(sum / none);
    decay_ = law[n - 1] > 0 ? law[n] / law[n - 1] : 0;
    if (n > 30 && std::abs(decay_ - before) <= 4e-19L * decay_) {
      break;
    }
    if (law[n] < 1e-300L) {
      break;
    }
    before = decay_;
  }
  // Tails from the far end, so that they keep their digits.
  tail_.assign(law.size(), 0);
  long double sum = decay_ < 1 ? law.back() * decay_ / (1 - decay_) : 0;
  for (std::size_t n = law.size(); n-- > 0;) {
    tail_[n] = sum;
    sum += law[n];
  }
}

long double Md1::number_tail(std::size_t number) const {
  if (number < tail_.size()) {
    return tail_[number];
  }
  return tail_.back() *
         portable::pow(decay_, static_cast<long double>(number - tail_.size() + 1));
}

double Md1::mean_wait() const {
  return load_ * service_ / (2 * (1 - load_));
}
double Md1::mean_number() const {
  return arrival_rate_ * mean_sojourn();
}
double Md1::mean_waiting() const {
  return arrival_rate_ * mean_wait();
}
double Md1::mean_sojourn() const {
  return mean_wait() + service_;
}

double Md1::number_probability(std::size_t number) const {
  return static_cast<double>(number == 0 ? 1 - static_cast<long double>(load_)
                                         : number_tail(number - 1) - number_tail(number));
}

double Md1::wait_tail(double time) const {
  if (time < 0) {
    return 1;
  }
  // For (k - 1) D <= t < k D with u = lambda (k D - t): P(W <= t) = exp(-u) sum over
  // j < k of P(N <= k - j) u^j / j!; its complement term by term.
  const double services = std::floor(time / service_) + 1;
  constexpr double most_services = 1e15;
  if (!(services < most_services)) {
    return 0;
  }
  const auto k = static_cast<std::size_t>(services);
  const long double u =
      std::max(0.0L,
               static_cast<long double>(arrival_rate_) *
                   (static_cast<long double>(services) * service_ - time));
  long double term = portable::exp(-u);
  long double sum = 0;
  std::size_t j = 0;
  for (; j < k && term > 0; ++j) {
    sum += number_tail(k - j) * term;
    term *= u / static_cast<long double>(j + 1);
    if (term < 1e-60L && j > 64) {
      return static_cast<double>(sum);
    }
  }
  // What the sum leaves out of the Poisson law: those count in full.
  for (; term > 1e-60L; ++j) {
    sum += term;
    term *= u / static_cast<long double>(j + 1);
  }
  return static_cast<double>(std::min(sum, 1.0L));
}

double Md1::wait_distribution(double time) const {
  return time < 0 ? 0 : 1 - wait_tail(time);
}

double Md1::wait_quantile(double p) const {
  if (!(p >= 0 && p < 1)) {
    throw NoAnswer("a quantile is asked for a probability outside of [0, 1)");
  }
  const double target = 1 - p;
  if (wait_tail(0) <= target) {
    return 0;
  }
  double high = service_;
  while (wait_tail(high) > target) {
    high *= 2;
  }
  const double goal = portable::log(target);
  std::uintmax_t steps = 300;
  const auto bracket = boost::math::tools::toms748_solve(
      [&](double time) { return portable::log(wait_tail(time)) - goal; },
      0.0,
      high,
      boost::math::tools::eps_tolerance<double>(52),
      steps);
  return (bracket.first + bracket.second) / 2;
}

}  // namespace basin
