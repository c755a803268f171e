#include "analysis/slow_modes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "analysis/no_answer.h"

namespace basin {

namespace {

using Vector = Eigen::VectorXd;

Eigen::Index as_index(std::size_t value) {
  return static_cast<Eigen::Index>(value);
}

// The inverse of minus the generator on what the stationary distribution does not see.
class InverseGenerator {
 public:
  explicit InverseGenerator(const MarkovChain& chain)
      : stationary_{stationary_distribution(chain)},
        ground_{static_cast<std::size_t>(std::ranges::max_element(stationary_) -
                                         stationary_.begin())},
        elimination_{factors(chain)} {}

  const std::vector<double>& stationary() const { return stationary_; }

  // x with -Q x = b and mean 0; b of mean 0.
  void apply(Vector& b) const {
    const std::vector<double> x = elimination_.solve(grounded(b));
    restore(x, b);
    remove_mean(b);
  }
  // x with x (-Q) = b and sum 0; b of sum 0.
  void apply_left(Vector& b) const {
    const std::vector<double> x = elimination_.solve_left(grounded(b));
    restore(x, b);
    remove_sum(b);
  }
  void remove_mean(Vector& x) const {
    double mean = 0;
    for (std::size_t i = 0; i < stationary_.size(); ++i) {
      mean += stationary_[i] * x[as_index(i)];
    }
    x.array() -= mean;
  }
  void remove_sum(Vector& x) const {
    const double sum = x.sum();
    for (std::size_t i = 0; i < stationary_.size(); ++i) {
      x[as_index(i)] -= sum * stationary_[i];
    }
  }

 private:
  SparseElimination factors(const MarkovChain& chain) const {
    const KilledChain killed = killed_outside(
        chain, chain.where([this](std::size_t state) { return state != ground_; }));
    return SparseElimination{killed.rates, killed.leaving};
  }
  std::vector<double> grounded(const Vector& b) const {
    std::vector<double> rest;
    rest.reserve(stationary_.size());
    for (std::size_t i = 0; i < stationary_.size(); ++i) {
      if (i != ground_) {
        rest.push_back(b[as_index(i)]);
      }
    }
    return rest;
  }
  void restore(std::span<const double> rest, Vector& x) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < stationary_.size(); ++i) {
      x[as_index(i)] = i == ground_ ? 0 : rest[next++];
    }
  }

  std::vector<double> stationary_;
  std::size_t ground_;
  SparseElimination elimination_;
};

struct RitzPair {
  std::complex<double> value;
  Eigen::VectorXcd vector;
  double residual = 0;  // relative
};

// Arnoldi's method in the inner product sum of weight * x * y, started again from the
// wanted vectors when the basis is full.
template <typename Apply, typename Project>
std::vector<RitzPair> largest_pairs(const Vector& start,
                                    const Vector& weight,
                                    std::size_t count,
                                    Apply apply,
                                    Project project) {
  constexpr double tolerance = 1e-14;
  constexpr double acceptable = 1e-11;
  constexpr int restarts = 12;
  const Eigen::Index n = start.size();
  const Eigen::Index space = n - 1;  // dimension of what `project` leaves
  const Eigen::Index wanted = std::min(as_index(count), space);
  const Eigen::Index most = std::min<Eigen::Index>(space, 20 * wanted + 160);
  const auto norm = [&](const Vector& x) {
    return std::sqrt((x.array().square() * weight.array()).sum());
  };
  Vector first = start;
  std::vector<RitzPair> best;
  for (int restart = 0; restart < restarts; ++restart) {
    Eigen::MatrixXd basis(n, most + 1);
    Eigen::MatrixXd hessenberg = Eigen::MatrixXd::Zero(most + 1, most);
    basis.col(0) = first / norm(first);
    for (Eigen::Index j = 0; j < most; ++j) {
      Vector next = basis.col(j);
      apply(next);
      const double before = norm(next);
      for (int pass = 0; pass < 2; ++pass) {
        const Vector weighted = next.cwiseProduct(weight);
        const Vector along = basis.leftCols(j + 1).transpose() * weighted;
        next -= basis.leftCols(j + 1) * along;
        hessenberg.col(j).head(j + 1) += along;
      }
      project(next);
      const double after = norm(next);
      if (!std::isfinite(after)) {
        throw NoAnswer(
            "the slow modes cannot be told: the stationary probabilities span more than "
            "300 decades");
      }
      const bool closed = !(after > 1e-15 * before) || j + 1 == space;
      hessenberg(j + 1, j) = closed ? 0 : after;
      const Eigen::Index size = j + 1;
      if (closed || size == most || (size >= wanted + 4 && size % 10 == 0)) {
        const Eigen::EigenSolver<Eigen::MatrixXd> small(
            hessenberg.topLeftCorner(size, size));
        std::vector<Eigen::Index> by_size(static_cast<std::size_t>(size));
        std::iota(by_size.begin(), by_size.end(), Eigen::Index{0});
        std::ranges::stable_sort(by_size, [&](Eigen::Index a, Eigen::Index b) {
          return std::abs(small.eigenvalues()[a]) > std::abs(small.eigenvalues()[b]);
        });
        Eigen::Index take = std::min(wanted, size);
        // Both of a conjugate pair.
        if (take < size && take > 0) {
          const auto value =
              small.eigenvalues()[by_size[static_cast<std::size_t>(take - 1)]];
          const auto other = small.eigenvalues()[by_size[static_cast<std::size_t>(take)]];
          if (value.imag() != 0 && other == std::conj(value)) {
            ++take;
          }
        }
        best.clear();
        double worst = 0;
        for (Eigen::Index k = 0; k < take; ++k) {
          const Eigen::Index which = by_size[static_cast<std::size_t>(k)];
          const Eigen::VectorXcd inner = small.eigenvectors().col(which);
          const std::complex<double> value = small.eigenvalues()[which];
          const double residual =
              hessenberg(size, j) * std::abs(inner[size - 1]) / std::abs(value);
          worst = std::max(worst, residual);
          best.push_back({.value = value, .vector = inner, .residual = residual});
        }
        const bool done = closed || worst <= tolerance;
        if (done || size == most) {
          for (RitzPair& pair : best) {
            pair.vector = (basis.leftCols(size) * pair.vector).eval();
          }
          if (done) {
            return best;
          }
          break;
        }
      }
      basis.col(j + 1) = next / after;
    }
    first.setZero();
    for (const RitzPair& pair : best) {
      first += pair.vector.real() + pair.vector.imag();
    }
  }
  for (const RitzPair& pair : best) {
    if (!(pair.residual <= acceptable)) {
      throw NoAnswer("the slowest eigenvalues lie too close together to tell apart");
    }
  }
  return best;
}

// How many to look for when `count` are asked: the nearest to zero need not have the
// largest real parts, so all of a small chain and a few more of a large one.
std::size_t sought(const MarkovChain& chain, std::size_t count) {
  constexpr std::size_t small = 150;
  return chain.states() <= small ? chain.states() : count + 2;
}

// Numbers in (0.5, 1.5) that look like none of the modes.
Vector scattered(std::size_t n) {
  Vector x(as_index(n));
  std::uint64_t state = 0x9e3779b97f4a7c15U;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x[i] = 0.5 + static_cast<double>(state >> 11U) * 0x1p-53;
  }
  return x;
}

void expect_two_states(const MarkovChain& chain) {
  if (chain.states() < 2) {
    throw NoAnswer("a chain of one state has nothing to forget");
  }
}

std::vector<RitzPair> right_pairs(const InverseGenerator& inverse, std::size_t count) {
  const std::vector<double>& pi = inverse.stationary();
  const Vector weight = Eigen::Map<const Vector>(pi.data(), as_index(pi.size()));
  Vector start = scattered(pi.size());
  inverse.remove_mean(start);
  return largest_pairs(
      start,
      weight,
      count,
      [&](Vector& x) { inverse.apply(x); },
      [&](Vector& x) { inverse.remove_mean(x); });
}

std::vector<RitzPair> left_pairs(const InverseGenerator& inverse, std::size_t count) {
  const std::vector<double>& pi = inverse.stationary();
  Vector start = scattered(pi.size());
  Vector weight(start.size());
  for (std::size_t i = 0; i < pi.size(); ++i) {
    start[as_index(i)] *= pi[i];
    weight[as_index(i)] = pi[i] > 1e-290 ? 1 / pi[i] : 0;
  }
  inverse.remove_sum(start);
  return largest_pairs(
      start,
      weight,
      count,
      [&](Vector& x) { inverse.apply_left(x); },
      [&](Vector& x) { inverse.remove_sum(x); });
}

// Slowest first; in a conjugate pair the positive imaginary part first. Values of the
// inverse come in, of the generator go out.
void sort_as_eigenvalues(std::vector<RitzPair>& pairs) {
  for (RitzPair& pair : pairs) {
    pair.value = -1.0 / pair.value;
  }
  std::ranges::stable_sort(pairs, [](const RitzPair& a, const RitzPair& b) {
    return a.value.real() != b.value.real() ? a.value.real() > b.value.real()
                                            : a.value.imag() > b.value.imag();
  });
}

}  // namespace

std::vector<std::complex<double>> slow_eigenvalues(const MarkovChain& chain,
                                                   std::size_t count) {
  expect_two_states(chain);
  const InverseGenerator inverse{chain};
  std::vector<RitzPair> pairs = right_pairs(inverse, sought(chain, count));
  sort_as_eigenvalues(pairs);
  std::vector<std::complex<double>> values;
  for (const RitzPair& pair : pairs) {
    if (values.size() < count) {
      values.push_back(pair.value);
    }
  }
  return values;
}

double spectral_gap(const MarkovChain& chain) {
  return -slow_eigenvalues(chain, 1).front().real();
}

SlowMode slowest_mode(const MarkovChain& chain) {
  expect_two_states(chain);
  const InverseGenerator inverse{chain};
  std::vector<RitzPair> rights = right_pairs(inverse, sought(chain, 1));
  std::vector<RitzPair> lefts = left_pairs(inverse, sought(chain, 1));
  sort_as_eigenvalues(rights);
  sort_as_eigenvalues(lefts);
  SlowMode mode;
  mode.eigenvalue = rights.front().value;
  const RitzPair& left = *std::ranges::min_element(lefts, {}, [&](const RitzPair& pair) {
    return std::abs(pair.value - mode.eigenvalue);
  });
  Eigen::VectorXcd right = rights.front().vector;
  const std::vector<double>& pi = inverse.stationary();
  double square = 0;
  Eigen::Index largest = 0;
  for (Eigen::Index i = 0; i < right.size(); ++i) {
    const double probability = pi[static_cast<std::size_t>(i)];
    square += probability * std::norm(right[i]);
    if (std::abs(right[i]) > std::abs(right[largest])) {
      largest = i;
    }
  }
  right *= std::abs(right[largest]) / right[largest] / std::sqrt(square);
  const std::complex<double> overlap = (left.vector.transpose() * right)(0, 0);
  mode.right.assign(right.begin(), right.end());
  for (const std::complex<double>& value : left.vector) {
    mode.left.push_back(value / overlap);
  }
  return mode;
}

}  // namespace basin
