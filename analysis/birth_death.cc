#include "analysis/birth_death.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

constexpr long double minus_infinity = -std::numeric_limits<long double>::infinity();

// ln(exp(a) + exp(b))
long double log_sum(long double a, long double b) {
  if (a < b) {
    std::swap(a, b);
  }
  return b == minus_infinity ? a : a + portable::log1p(portable::exp(b - a));
}

long double log_of(double value) {
  return portable::log(static_cast<long double>(value));
}

// How many eigenvalues lie below x > 0 in the symmetric tridiagonal matrix with a zero
// diagonal and these squares beside it (Sturm's sequence).
std::size_t eigenvalues_below(std::span<const double> squares, long double x) {
  long double pivot = -x;
  std::size_t count = 1;
  for (const double square : squares) {
    if (pivot == 0) {
      pivot = -std::numeric_limits<long double>::min();
    }
    pivot = -x - static_cast<long double>(square) / pivot;
    if (pivot < 0) {
      ++count;
    }
  }
  return count;
}

// The square of the k-th positive eigenvalue of that matrix, whose eigenvalues are pairs
// +-x and, at odd size, 0.
long double squared_eigenvalue(std::span<const double> squares, std::size_t k) {
  const std::size_t size = squares.size() + 1;
  const std::size_t wanted = size - size / 2 + k;
  const long double largest = std::ranges::max(squares);
  long double high = 2 * std::sqrt(largest) * (1 + 1e-15L);
  long double low = high;
  while (eigenvalues_below(squares, low) >= wanted) {
    high = low;
    low *= low > 1 ? 0.0625L : 0.0625L * 0.0625L;
    if (low < 1e-2400L) {
      throw NoAnswer("the slowest rate is below 1e-4800");
    }
  }
  while (high - low > high * 1e-18L) {
    const long double middle = high > 4 * low ? std::sqrt(high * low) : (high + low) / 2;
    if (middle <= low || middle >= high) {
      break;
    }
    (eigenvalues_below(squares, middle) >= wanted ? high : low) = middle;
  }
  return low * high;
}

double as_double(long double rate) {
  if (rate < static_cast<long double>(std::numeric_limits<double>::min())) {
    throw NoAnswer("the rate is below 1e-308");
  }
  return static_cast<double>(rate);
}

std::string number(std::size_t n) {
  return std::to_string(n);
}

void expect_positive(const std::vector<double>& rates,
                     const char* what,
                     std::size_t from) {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    above_zero(rates[i], std::string(what) + " rate in state " + number(i + from));
  }
}

}  // namespace

BirthDeath::BirthDeath(std::vector<double> birth, std::vector<double> death)
    : birth_{std::move(birth)}, death_{std::move(death)} {
  if (birth_.size() != death_.size()) {
    throw NoAnswer("a birth-death chain needs as many death rates as birth rates");
  }
  expect_positive(birth_, "the birth", 0);
  expect_positive(death_, "the death", 1);
  log_weight_.assign(1, 0.0L);
  log_total_ = 0;
  for (std::size_t n = 0; n < top(); ++n) {
    log_weight_.push_back(log_weight_.back() + log_of(birth_[n]) - log_of(death_[n]));
    log_total_ = log_sum(log_total_, log_weight_.back());
  }
}

void BirthDeath::expect_state(std::size_t n) const {
  if (n > top()) {
    throw NoAnswer("the chain has states 0 to " + number(top()) + ", not " + number(n));
  }
}

double BirthDeath::log_stationary(std::size_t n) const {
  expect_state(n);
  return static_cast<double>(log_weight_[n] - log_total_);
}

std::vector<double> BirthDeath::stationary() const {
  std::vector<double> pi;
  pi.reserve(log_weight_.size());
  for (const long double weight : log_weight_) {
    pi.push_back(static_cast<double>(portable::exp(weight - log_total_)));
  }
  return pi;
}

double BirthDeath::quasipotential(std::size_t well, std::size_t barrier) const {
  expect_state(well);
  expect_state(barrier);
  return static_cast<double>(log_weight_[well] - log_weight_[barrier]);
}

// One step up from n takes (1 + death(n) * step up from n - 1) / birth(n); down likewise.
double BirthDeath::log_mean_passage_time(std::size_t from, std::size_t to) const {
  expect_state(from);
  expect_state(to);
  long double step = minus_infinity;
  long double total = minus_infinity;
  if (from < to) {
    for (std::size_t n = 0; n < to; ++n) {
      const long double fallen = n > 0 ? log_of(death_[n - 1]) + step : minus_infinity;
      step = log_sum(0, fallen) - log_of(birth_[n]);
      if (n >= from) {
        total = log_sum(total, step);
      }
    }
  } else {
    for (std::size_t n = top(); n > to; --n) {
      const long double risen = n < top() ? log_of(birth_[n]) + step : minus_infinity;
      step = log_sum(0, risen) - log_of(death_[n - 1]);
      if (n <= from) {
        total = log_sum(total, step);
      }
    }
  }
  return static_cast<double>(total);
}

double BirthDeath::mean_passage_time(std::size_t from, std::size_t to) const {
  const double time = portable::exp(log_mean_passage_time(from, to));
  if (!std::isfinite(time)) {
    throw NoAnswer("the mean passage time from " + number(from) + " to " + number(to) +
                   " is larger than 1e308");
  }
  return time;
}

double BirthDeath::committor(std::size_t low, std::size_t high, std::size_t n) const {
  expect_state(high);
  if (!(low < high && low <= n && n <= high)) {
    throw NoAnswer("a committor needs low < high and a state between them");
  }
  long double below = minus_infinity;
  long double all = minus_infinity;
  for (std::size_t k = low; k < high; ++k) {
    if (k == n) {
      below = all;
    }
    all = log_sum(all, -log_of(birth_[k]) - log_weight_[k]);
  }
  return n == high ? 1 : static_cast<double>(portable::exp(below - all));
}

// Minus the symmetrized generator is B'B with B bidiagonal: a row for each pair of
// neighbours (and each way out), entries sqrt(birth) and sqrt(death). Its singular values
// are the positive eigenvalues of the matrix that has these entries in a row beside a
// zero diagonal (Golub and Kahan).
long double BirthDeath::decay(std::size_t k) const {
  if (k < 1 || k > top()) {
    throw NoAnswer("the chain has " + number(top()) + " rates of decay, not " +
                   number(k));
  }
  std::vector<double> squares;
  for (std::size_t n = 0; n < top(); ++n) {
    squares.push_back(birth_[n]);
    squares.push_back(death_[n]);
  }
  return squared_eigenvalue(squares, k);
}

long double BirthDeath::exit(std::size_t first, std::size_t last) const {
  expect_state(last);
  if (first > last) {
    throw NoAnswer("the set to stay in is empty");
  }
  if (first == 0 && last == top()) {
    throw NoAnswer("the set to stay in is never left");
  }
  std::vector<double> squares;
  for (std::size_t n = first; n <= last; ++n) {
    if (n > 0) {
      squares.push_back(death_[n - 1]);
    }
    if (n < top()) {
      squares.push_back(birth_[n]);
    }
  }
  return squared_eigenvalue(squares, 1);
}

double BirthDeath::decay_rate(std::size_t k) const {
  return as_double(decay(k));
}

double BirthDeath::log_decay_rate(std::size_t k) const {
  return static_cast<double>(portable::log(decay(k)));
}

double BirthDeath::exit_rate(std::size_t first, std::size_t last) const {
  return as_double(exit(first, last));
}

double BirthDeath::log_exit_rate(std::size_t first, std::size_t last) const {
  return static_cast<double>(portable::log(exit(first, last)));
}

MarkovChain BirthDeath::chain() const {
  std::vector<Transition> transitions;
  for (std::size_t n = 0; n < top(); ++n) {
    transitions.push_back({.from = n, .to = n + 1, .rate = birth_[n]});
    transitions.push_back({.from = n + 1, .to = n, .rate = death_[n]});
  }
  return MarkovChain{top() + 1, transitions};
}

BirthDeath birth_death(const BirthDeathRetry& model) {
  above_zero(model.base_rate, "the base rate");
  above_zero(model.service_rate, "the service rate");
  zero_or_more(model.retry_factor, "the retry factor");
  zero_or_more(model.timeout, "the timeout");
  const long double mean_served = static_cast<long double>(model.service_rate) *
                                  static_cast<long double>(model.timeout);
  std::vector<double> birth;
  birth.reserve(model.capacity);
  // Q(n + 1) = sum over k <= n of e^-m m^k / k!, m the mean number served in the timeout.
  long double log_term = -mean_served;
  long double late = 0;
  for (std::size_t n = 0; n < model.capacity; ++n) {
    if (n > 0) {
      log_term += portable::log(mean_served / static_cast<long double>(n));
    }
    late = std::min(late + portable::exp(log_term), 1.0L);
    birth.push_back(
        static_cast<double>(static_cast<long double>(model.base_rate) *
                            (1 + static_cast<long double>(model.retry_factor) * late)));
  }
  return BirthDeath{std::move(birth),
                    std::vector<double>(model.capacity, model.service_rate)};
}

}  // namespace basin
