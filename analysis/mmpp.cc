#include "analysis/mmpp.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

using Vector = std::vector<long double>;
using Matrix = std::vector<Vector>;  // rows; no entry is ever negative

Matrix zeros(std::size_t size) {
  return Matrix(size, Vector(size, 0.0L));
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        result[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  return result;
}

Vector product(const Vector& a, const Matrix& b) {
  Vector result(a.size(), 0.0L);
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      result[j] += a[k] * b[k][j];
    }
  }
  return result;
}

void add(Matrix& sum, const Matrix& term) {
  for (std::size_t i = 0; i < sum.size(); ++i) {
    for (std::size_t j = 0; j < sum.size(); ++j) {
      sum[i][j] += term[i][j];
    }
  }
}

long double total(const Vector& row) {
  return std::accumulate(row.begin(), row.end(), 0.0L);
}

long double norm(const Matrix& a) {
  long double largest = 0;
  for (const Vector& row : a) {
    largest = std::max(largest, total(row));
  }
  return largest;
}

// X of A X = right, where A has -off outside of its diagonal and rows that sum to
// `excess`.
Matrix solve(Matrix off, Vector excess, Matrix right) {
  const std::size_t size = off.size();
  Vector diagonal(size, 0.0L);
  for (std::size_t k = 0; k < size; ++k) {
    diagonal[k] = excess[k];
    for (std::size_t j = k + 1; j < size; ++j) {
      diagonal[k] += off[k][j];
    }
    for (std::size_t i = k + 1; i < size; ++i) {
      const long double share = off[i][k] / diagonal[k];
      for (std::size_t j = k + 1; j < size; ++j) {
        off[i][j] += share * off[k][j];
      }
      excess[i] += share * excess[k];
      for (std::size_t j = 0; j < right[i].size(); ++j) {
        right[i][j] += share * right[k][j];
      }
    }
  }
  for (std::size_t k = size; k-- > 0;) {
    for (std::size_t j = 0; j < right[k].size(); ++j) {
      for (std::size_t i = k + 1; i < size; ++i) {
        right[k][j] += off[k][i] * right[i][j];
      }
      right[k][j] /= diagonal[k];
    }
  }
  return right;
}

// Of the chain with these rates outside of its diagonal.
Vector stationary(Matrix rates) {
  const std::size_t size = rates.size();
  for (std::size_t k = size; k-- > 1;) {
    long double out = 0;
    for (std::size_t j = 0; j < k; ++j) {
      out += rates[k][j];
    }
    for (std::size_t i = 0; i < k; ++i) {
      rates[i][k] /= out;
      for (std::size_t j = 0; j < k; ++j) {
        rates[i][j] += rates[i][k] * rates[k][j];
      }
    }
  }
  Vector law(size, 1.0L);
  for (std::size_t k = 1; k < size; ++k) {
    law[k] = 0;
    for (std::size_t i = 0; i < k; ++i) {
      law[k] += law[i] * rates[i][k];
    }
  }
  const long double sum = total(law);
  for (long double& probability : law) {
    probability /= sum;
  }
  return law;
}

bool reaches_all(const std::vector<std::vector<double>>& rates, bool backwards) {
  std::vector<bool> reached(rates.size(), false);
  std::vector<std::size_t> open{0};
  reached[0] = true;
  std::size_t count = 1;
  while (!open.empty()) {
    const std::size_t from = open.back();
    open.pop_back();
    for (std::size_t to = 0; to < rates.size(); ++to) {
      if (!reached[to] && (backwards ? rates[to][from] : rates[from][to]) > 0) {
        reached[to] = true;
        ++count;
        open.push_back(to);
      }
    }
  }
  return count == rates.size();
}

void expect_queue(const MmppM1& queue) {
  const std::size_t size = queue.arrival_rates.size();
  above_zero(queue.service_rate, "the service rate");
  if (size == 0 || size > 300) {
    throw NoAnswer("the modulation has " + std::to_string(size) +
                   " states, not from 1 to 300");
  }
  double largest = 0;
  for (const double rate : queue.arrival_rates) {
    largest = std::max(largest, zero_or_more(rate, "an arrival rate"));
  }
  if (largest == 0) {
    throw NoAnswer("nothing arrives: all arrival rates are 0");
  }
  if (queue.switching_rates.size() != size) {
    throw NoAnswer("there are " + std::to_string(size) + " arrival rates and " +
                   std::to_string(queue.switching_rates.size()) +
                   " rows of switching rates");
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (queue.switching_rates[i].size() != size) {
      throw NoAnswer("row " + std::to_string(i + 1) + " of the switching rates has " +
                     std::to_string(queue.switching_rates[i].size()) + " entries, not " +
                     std::to_string(size));
    }
    for (std::size_t j = 0; j < size; ++j) {
      if (i != j) {
        zero_or_more(queue.switching_rates[i][j], "a switching rate");
      }
    }
  }
  if (!reaches_all(queue.switching_rates, false) ||
      !reaches_all(queue.switching_rates, true)) {
    throw NoAnswer(
        "not every state of the modulation can be reached from every other, so that the "
        "mean arrival rate depends on where it starts");
  }
}

// The state of the modulation when the number in the system first is one less, by the
// state now: the minimal solution of A2 + A1 G + A0 G^2 = 0 with A0 = diag(lambda),
// A2 = mu I. In each step the queue is watched only at every other level.
Matrix first_passage(const Matrix& switching, const Vector& lambda, long double mu) {
  const std::size_t size = lambda.size();
  Matrix arrive = zeros(size);
  Matrix serve = zeros(size);
  Vector leave(size, 0.0L);
  for (std::size_t i = 0; i < size; ++i) {
    arrive[i][i] = lambda[i];
    serve[i][i] = mu;
    leave[i] = lambda[i] + mu;
  }
  Matrix up = solve(switching, leave, arrive);
  Matrix down = solve(switching, leave, serve);
  Matrix passage = down;
  Matrix risen = up;
  for (int step = 0; step < 500 && norm(risen) > 1e-40L; ++step) {
    Matrix stay = product(up, down);
    add(stay, product(down, up));
    up = product(up, up);
    down = product(down, down);
    for (std::size_t i = 0; i < size; ++i) {
      leave[i] = total(up[i]) + total(down[i]);
    }
    up = solve(stay, leave, up);
    down = solve(stay, leave, down);
    add(passage, product(risen, down));
    risen = product(risen, up);
  }
  return passage;
}

class Solution {
 public:
  explicit Solution(const MmppM1& queue)
      : mu_{queue.service_rate},
        lambda_(queue.arrival_rates.begin(), queue.arrival_rates.end()) {
    expect_queue(queue);
    const std::size_t size = lambda_.size();
    Matrix switching = zeros(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        switching[i][j] = i == j ? 0 : queue.switching_rates[i][j];
      }
    }
    phase_ = stationary(switching);
    mean_rate_ = weighted(phase_);
    expect_stable(static_cast<double>(mean_rate_ / mu_));
    // The modulation as it is seen while no more than n are in the system, from state to
    // state: switches, and arrivals until they are gone. -(A1 + A0 G) has these rates,
    // and rows that sum to mu; with no row sums it is -(D0 + mu R), which pi_0 is in
    // balance with.
    Matrix& seen = switching;
    const Matrix passage = first_passage(switching, lambda_, mu_);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        seen[i][j] += lambda_[i] * passage[i][j];
      }
    }
    Matrix identity = zeros(size);
    for (std::size_t i = 0; i < size; ++i) {
      identity[i][i] = 1;
    }
    r_ = solve(seen, Vector(size, mu_), identity);
    for (std::size_t i = 0; i < size; ++i) {
      for (long double& entry : r_[i]) {
        entry *= lambda_[i];
      }
    }
    empty_ = stationary(seen);
    for (long double& probability : empty_) {
      probability *= (mu_ - mean_rate_) / mu_;
    }
  }

  long double mean_rate() const { return mean_rate_; }

  // Per state of the modulation: P(more than n in the system), phi R^(n + 1).
  Vector more_than(std::int64_t n) const {
    Vector result = product(phase_, r_);
    Matrix power = r_;
    for (; n > 0; n /= 2) {
      if (n % 2 == 1) {
        result = product(result, power);
      }
      power = product(power, power);
    }
    return result;
  }

  // The sum of row R^n over n >= 0: row (I - R)^-1. phi (I - R) = pi_0 says what the
  // columns of I - R sum to when weighted by phi.
  long double sum_of_powers(const Vector& row) const {
    const std::size_t size = row.size();
    Matrix off = zeros(size);
    Vector excess(size);
    Matrix right(size, Vector(1));
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        off[i][j] = r_[j][i] * phase_[j] / phase_[i];
      }
      excess[i] = empty_[i] / phase_[i];
      right[i][0] = row[i] / phase_[i];
    }
    right = solve(off, excess, right);
    long double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      sum += right[i][0] * phase_[i];
    }
    return sum;
  }

  // Arrivals a unit of time in these states.
  long double weighted(const Vector& law) const {
    return std::inner_product(law.begin(), law.end(), lambda_.begin(), 0.0L);
  }

  // The limit of norm(R^(2^k))^(1/2^k).
  long double decay() const {
    Matrix power = r_;
    long double logarithm = 0;
    for (long double weight = 1; weight > 1e-21L; weight /= 2) {
      const long double size = norm(power);
      logarithm += weight * portable::log(size);
      for (Vector& row : power) {
        for (long double& entry : row) {
          entry /= size;
        }
      }
      power = product(power, power);
    }
    return portable::exp(logarithm);
  }

 private:
  long double mu_;
  Vector lambda_;
  Vector phase_;  // phi: the modulation's own steady state
  long double mean_rate_ = 0;
  Matrix r_;
  Vector empty_;  // pi_0
};

}  // namespace

MmppM1Answers answers(const MmppM1& queue) {
  const Solution solution{queue};
  const long double lambda = solution.mean_rate();
  const long double rho = lambda / queue.service_rate;
  const long double waiting = solution.sum_of_powers(solution.more_than(1));
  return {.mean_arrival_rate = static_cast<double>(lambda),
          .utilization = static_cast<double>(rho),
          .empty_probability = static_cast<double>(1 - rho),
          .wait_probability =
              static_cast<double>(solution.weighted(solution.more_than(0)) / lambda),
          .mean_number = static_cast<double>(waiting + rho),
          .mean_waiting = static_cast<double>(waiting),
          .mean_sojourn = static_cast<double>((waiting + rho) / lambda),
          .mean_wait = static_cast<double>(waiting / lambda),
          .decay = static_cast<double>(solution.decay())};
}

double number_tail(const MmppM1& queue, std::int64_t number) {
  const Solution solution{queue};
  return number < 0 ? 1 : static_cast<double>(total(solution.more_than(number)));
}

double arrival_tail(const MmppM1& queue, std::int64_t number) {
  const Solution solution{queue};
  return number < 0 ? 1
                    : static_cast<double>(solution.weighted(solution.more_than(number)) /
                                          solution.mean_rate());
}

}  // namespace basin
