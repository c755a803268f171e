#include "analysis/sparse_elimination.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <Eigen/Core>

#include "analysis/elimination_order.h"
#include "analysis/no_answer.h"

namespace basin {

namespace {

// Rates smaller than this beside the largest may have lost digits.
template <typename Real>
Real smallest_rate() {
  return std::numeric_limits<Real>::min() * static_cast<Real>(1e30);
}

// The factors of one supernode, with `size` pivots and later neighbours.
template <typename Real>
struct Front {
  std::vector<Real> into;  // size x pivots, column by column: rate into the pivot / out
  std::vector<Real> from;  // pivots x size, row by row: rates from the pivot
  std::vector<Real> out;   // all that leaves the pivot
};

template <typename Real>
using Dense = std::vector<Real>;  // square, row by row

template <typename Real>
using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index as_index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

// Eliminates the pivots of a front and returns what is left between its later neighbours.
// nullopt if a rate out is too small for Real. The very last state of a chain that
// nothing leaves keeps its zero.
template <typename Real>
std::optional<Dense<Real>> eliminate(const Supernode& node,
                                     Dense<Real>& dense,
                                     std::vector<Real>& leaving,
                                     bool last_is_kept,
                                     Front<Real>& front) {
  const std::size_t size = node.size();
  const std::size_t pivots = node.pivots;
  front.into.assign(size * pivots, Real{0});
  front.out.assign(pivots, Real{0});
  for (std::size_t k = 0; k < pivots; ++k) {
    if (last_is_kept && k + 1 == size) {
      break;
    }
    Real* const row = &dense[k * size];
    const Real lost = leaving[node.first + k];
    Real out = lost;
    for (std::size_t j = k + 1; j < size; ++j) {
      out += row[j];
    }
    if (!(out >= smallest_rate<Real>()) || !std::isfinite(out)) {
      return std::nullopt;
    }
    front.out[k] = out;
    for (std::size_t i = k + 1; i < size; ++i) {
      const Real into = dense[i * size + k];
      if (into == 0) {
        continue;
      }
      const Real share = into / out;
      front.into[k * size + i] = share;
      leaving[node.position(i)] += share * lost;
      // Entries between later neighbours wait for the product below.
      const std::size_t end = i < pivots ? size : pivots;
      Real* const other = &dense[i * size];
      for (std::size_t j = k + 1; j < end; ++j) {
        other[j] += share * row[j];
      }
    }
  }
  front.from.assign(dense.begin(),
                    dense.begin() + static_cast<std::ptrdiff_t>(pivots * size));
  const std::size_t rest = size - pivots;
  Dense<Real> left(rest * rest);
  if (rest > 0) {
    using Stride = Eigen::OuterStride<>;
    Eigen::Map<RowMajor<Real>> target(left.data(), as_index(rest), as_index(rest));
    target = Eigen::Map<RowMajor<Real>, 0, Stride>(&dense[pivots * size + pivots],
                                                   as_index(rest),
                                                   as_index(rest),
                                                   Stride(as_index(size)));
    const Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>, 0, Stride>
        into(&front.into[pivots],
             as_index(rest),
             as_index(pivots),
             Stride(as_index(size)));
    const Eigen::Map<const RowMajor<Real>, 0, Stride> from(
        &front.from[pivots], as_index(pivots), as_index(rest), Stride(as_index(size)));
    target.noalias() += into * from;
  }
  return left;
}

struct Entry {
  std::size_t from;  // positions
  std::size_t to;
  double rate;
};

// All fronts; nullopt if Real cannot hold the rates. Rates are divided by `unit`.
template <typename Real>
std::optional<std::vector<Front<Real>>> factorize(const SparseRates& rates,
                                                  std::span<const double> leaving,
                                                  double unit,
                                                  bool last_is_kept,
                                                  const EliminationOrder& order) {
  const std::size_t n = rates.states();
  // Each entry is assembled where the first of its two states is eliminated.
  std::vector<std::vector<Entry>> entries(order.supernodes.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
      const std::size_t from = order.position_of[i];
      const std::size_t to = order.position_of[rates.target[k]];
      entries[order.supernode_of[std::min(from, to)]].push_back(
          {from, to, rates.rate[k]});
    }
  }
  std::vector<Real> lost(n, Real{0});
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    lost[order.position_of[i]] = static_cast<Real>(leaving[i]) / static_cast<Real>(unit);
  }
  std::vector<std::vector<std::size_t>> children(order.supernodes.size());
  for (std::size_t s = 0; s < order.supernodes.size(); ++s) {
    if (order.supernodes[s].parent) {
      children[*order.supernodes[s].parent].push_back(s);
    }
  }
  std::vector<Front<Real>> fronts(order.supernodes.size());
  std::vector<Dense<Real>> left_of(order.supernodes.size());
  std::vector<std::size_t> local(n, 0);
  Dense<Real> dense;
  for (std::size_t s = 0; s < order.supernodes.size(); ++s) {
    const Supernode& node = order.supernodes[s];
    const std::size_t size = node.size();
    for (std::size_t i = 0; i < size; ++i) {
      local[node.position(i)] = i;
    }
    dense.assign(size * size, Real{0});
    for (const Entry& entry : entries[s]) {
      dense[local[entry.from] * size + local[entry.to]] +=
          static_cast<Real>(entry.rate) / static_cast<Real>(unit);
    }
    for (const std::size_t child : children[s]) {
      const std::vector<std::size_t>& states = order.supernodes[child].later;
      const Dense<Real>& left = left_of[child];
      for (std::size_t i = 0; i < states.size(); ++i) {
        Real* const row = &dense[local[states[i]] * size];
        for (std::size_t j = 0; j < states.size(); ++j) {
          row[local[states[j]]] += left[i * states.size() + j];
        }
      }
      left_of[child] = {};
    }
    std::optional<Dense<Real>> left = eliminate(
        node, dense, lost, last_is_kept && node.first + node.pivots == n, fronts[s]);
    if (!left) {
      return std::nullopt;
    }
    left_of[s] = std::move(*left);
  }
  return fronts;
}

// A power of two near the largest rate.
double unit_of(const SparseRates& rates, std::span<const double> leaving) {
  double largest = 0;
  for (const double rate : rates.rate) {
    largest = std::max(largest, rate);
  }
  for (const double rate : leaving) {
    largest = std::max(largest, rate);
  }
  return largest > 0 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
}

[[noreturn]] void throw_out_of_range() {
  throw NoAnswer(
      "the chain cannot be solved: a state has no way out, or its rates out, seen past "
      "the others, are smaller than long double can hold");
}

}  // namespace

class SparseElimination::Factors {
 public:
  Factors() = default;
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  Factors(Factors&&) = delete;
  Factors& operator=(Factors&&) = delete;
  virtual ~Factors() = default;
  virtual std::vector<double> solve(std::span<const double> b) const = 0;
  virtual std::vector<double> solve_left(std::span<const double> b) const = 0;
  virtual std::size_t fill() const = 0;
};

template <typename Real>
class SparseElimination::FactorsOf final : public SparseElimination::Factors {
 public:
  FactorsOf(EliminationOrder order, std::vector<Front<Real>> fronts, double unit)
      : order_{std::move(order)}, fronts_{std::move(fronts)}, unit_{unit} {}

  std::vector<double> solve(std::span<const double> b) const override {
    std::vector<Real> x = permuted(b);
    for (std::size_t s = 0; s < fronts_.size(); ++s) {
      const Supernode& node = order_.supernodes[s];
      for (std::size_t k = 0; k < node.pivots; ++k) {
        const Real value = x[node.first + k];
        const Real* const into = &fronts_[s].into[k * node.size()];
        for (std::size_t i = k + 1; i < node.pivots; ++i) {
          x[node.first + i] += into[i] * value;
        }
        for (std::size_t i = 0; i < node.later.size(); ++i) {
          x[node.later[i]] += into[node.pivots + i] * value;
        }
      }
    }
    for (std::size_t s = fronts_.size(); s-- > 0;) {
      const Supernode& node = order_.supernodes[s];
      for (std::size_t k = node.pivots; k-- > 0;) {
        const Real* const from = &fronts_[s].from[k * node.size()];
        Real sum = x[node.first + k];
        for (std::size_t j = k + 1; j < node.pivots; ++j) {
          sum += from[j] * x[node.first + j];
        }
        for (std::size_t j = 0; j < node.later.size(); ++j) {
          sum += from[node.pivots + j] * x[node.later[j]];
        }
        x[node.first + k] = sum / fronts_[s].out[k];
      }
    }
    return restored(x);
  }

  std::vector<double> solve_left(std::span<const double> b) const override {
    std::vector<Real> x = permuted(b);
    for (std::size_t s = 0; s < fronts_.size(); ++s) {
      const Supernode& node = order_.supernodes[s];
      for (std::size_t k = 0; k < node.pivots; ++k) {
        const Real value = x[node.first + k] / fronts_[s].out[k];
        x[node.first + k] = value;
        const Real* const from = &fronts_[s].from[k * node.size()];
        for (std::size_t j = k + 1; j < node.pivots; ++j) {
          x[node.first + j] += value * from[j];
        }
        for (std::size_t j = 0; j < node.later.size(); ++j) {
          x[node.later[j]] += value * from[node.pivots + j];
        }
      }
    }
    for (std::size_t s = fronts_.size(); s-- > 0;) {
      const Supernode& node = order_.supernodes[s];
      for (std::size_t k = node.pivots; k-- > 0;) {
        const Real* const into = &fronts_[s].into[k * node.size()];
        Real sum = x[node.first + k];
        for (std::size_t i = k + 1; i < node.pivots; ++i) {
          sum += x[node.first + i] * into[i];
        }
        for (std::size_t i = 0; i < node.later.size(); ++i) {
          sum += x[node.later[i]] * into[node.pivots + i];
        }
        x[node.first + k] = sum;
      }
    }
    return restored(x);
  }

  std::size_t fill() const override {
    std::size_t total = 0;
    for (const Front<Real>& front : fronts_) {
      total += front.into.size() + front.from.size();
    }
    return total;
  }

 private:
  std::vector<Real> permuted(std::span<const double> b) const {
    if (b.size() != order_.state_at.size()) {
      throw std::invalid_argument("a right-hand side needs one value for each state");
    }
    std::vector<Real> x(b.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = static_cast<Real>(b[order_.state_at[k]]);
    }
    return x;
  }
  std::vector<double> restored(const std::vector<Real>& x) const {
    std::vector<double> result(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      result[order_.state_at[k]] = static_cast<double>(x[k] / static_cast<Real>(unit_));
    }
    return result;
  }

  EliminationOrder order_;
  std::vector<Front<Real>> fronts_;
  double unit_;
};

SparseElimination::SparseElimination(const SparseRates& rates,
                                     std::span<const double> leaving) {
  if (leaving.size() != rates.states()) {
    throw std::invalid_argument("each state needs a rate at which it leaves for good");
  }
  const double unit = unit_of(rates, leaving);
  EliminationOrder order = elimination_order(rates);
  if (auto fronts = factorize<double>(rates, leaving, unit, false, order)) {
    factors_ =
        std::make_unique<FactorsOf<double>>(std::move(order), std::move(*fronts), unit);
  } else if (auto long_fronts =
                 factorize<long double>(rates, leaving, unit, false, order)) {
    factors_ = std::make_unique<FactorsOf<long double>>(
        std::move(order), std::move(*long_fronts), unit);
  } else {
    throw_out_of_range();
  }
}

SparseElimination::~SparseElimination() = default;
SparseElimination::SparseElimination(SparseElimination&&) noexcept = default;
SparseElimination& SparseElimination::operator=(SparseElimination&&) noexcept = default;

std::vector<double> SparseElimination::solve(std::span<const double> b) const {
  return factors_->solve(b);
}
std::vector<double> SparseElimination::solve_left(std::span<const double> b) const {
  return factors_->solve_left(b);
}
std::size_t SparseElimination::fill() const {
  return factors_->fill();
}

namespace {

// A positive number of any size: mantissa * 2^exponent.
struct Scaled {
  long double mantissa = 0;
  std::int64_t exponent = std::numeric_limits<std::int64_t>::min() / 2;
};

Scaled scaled(long double value, std::int64_t exponent) {
  if (value == 0) {
    return {};
  }
  int shift = 0;
  const long double mantissa = std::frexp(value, &shift);
  return {mantissa, exponent + shift};
}

long double relative_to(const Scaled& value, std::int64_t exponent) {
  const std::int64_t shift = std::max<std::int64_t>(value.exponent - exponent, -20'000);
  return std::ldexp(value.mantissa, static_cast<int>(shift));
}

// Back through the eliminated states: pi_k = sum over later i of pi_i * into(i, k).
template <typename Real>
std::vector<double> back_substitute(const EliminationOrder& order,
                                    const std::vector<Front<Real>>& fronts) {
  const std::size_t n = order.state_at.size();
  std::vector<Scaled> pi(n);
  pi[n - 1] = scaled(1, 0);
  for (std::size_t s = fronts.size(); s-- > 0;) {
    const Supernode& node = order.supernodes[s];
    for (std::size_t k = node.pivots; k-- > 0;) {
      if (node.first + k == n - 1) {
        continue;
      }
      std::int64_t top = Scaled{}.exponent;
      for (std::size_t i = k + 1; i < node.size(); ++i) {
        top = std::max(top, pi[node.position(i)].exponent);
      }
      const Real* const into = &fronts[s].into[k * node.size()];
      long double sum = 0;
      for (std::size_t i = k + 1; i < node.size(); ++i) {
        sum += relative_to(pi[node.position(i)], top) * static_cast<long double>(into[i]);
      }
      pi[node.first + k] = scaled(sum, top);
    }
  }
  std::int64_t top = Scaled{}.exponent;
  for (const Scaled& value : pi) {
    top = std::max(top, value.exponent);
  }
  long double total = 0;
  for (const Scaled& value : pi) {
    total += relative_to(value, top);
  }
  std::vector<double> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    result[order.state_at[k]] = static_cast<double>(relative_to(pi[k], top) / total);
  }
  return result;
}

}  // namespace

std::vector<double> stationary_by_elimination(const SparseRates& rates) {
  if (rates.states() == 0) {
    throw NoAnswer("the chain has no states");
  }
  const double unit = unit_of(rates, {});
  const EliminationOrder order = elimination_order(rates);
  if (const auto fronts = factorize<double>(rates, {}, unit, true, order)) {
    return back_substitute(order, *fronts);
  }
  if (const auto fronts = factorize<long double>(rates, {}, unit, true, order)) {
    return back_substitute(order, *fronts);
  }
  throw_out_of_range();
}

}  // namespace basin
