// Elimination without subtraction for large sparse Markov chains.
//
// Grassmann, Taksar and Heyman, "Regenerative analysis and steady state distributions for
// Markov chains", Operations Research 33 (1985): a state is eliminated by watching the
// chain only while it is elsewhere (censoring). The rates of the censored chain are sums
// of products of rates, and the rate out of a state is summed from what leaves it, never
// taken from a diagonal that rounding has touched. Every number is positive and every
// result has nearly all its digits, however slow the chain: passage times of 1e12 as well
// as of 1. The rate at which a state leaves for good (into a target, or killed) is
// carried along in the same manner: O'Cinneide, Numerische Mathematik 65 (1993).
//
// Any order of elimination is right; the order here keeps fill small (minimum degree on
// the symmetric pattern), with dense blocks along it (the multifrontal method). A lattice
// of 316 x 316 states takes under a second.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace basin {

// Rates between states 0 .. states - 1 in compressed rows: state i leads to
// target[k] at rate[k] for k in [row[i], row[i + 1]). No entry leads to its own state.
struct SparseRates {
  std::vector<std::size_t> row{0};
  std::vector<std::size_t> target;
  std::vector<double> rate;

  std::size_t states() const { return row.size() - 1; }
};

// Factors of A = D - R: R the rates between states, D the diagonal of all that leaves a
// state, to other states or for good. A is then a nonsingular M-matrix, and minus the
// generator of the chain that ends when it leaves for good.
class SparseElimination {
 public:
  // `leaving`: for each state, the rate at which it leaves for good; not negative. Every
  // state must have a way out, or NoAnswer is thrown; also when rates of the censored
  // chains span more than long double can hold.
  SparseElimination(const SparseRates& rates, std::span<const double> leaving);
  ~SparseElimination();
  SparseElimination(const SparseElimination&) = delete;
  SparseElimination& operator=(const SparseElimination&) = delete;
  SparseElimination(SparseElimination&&) noexcept;
  SparseElimination& operator=(SparseElimination&&) noexcept;

  // x with A x = b: expected totals of a cost rate b until the chain leaves. Right in
  // every digit but the last few where b is not negative.
  std::vector<double> solve(std::span<const double> b) const;
  // x with x A = b: expected times in each state from the measure b.
  std::vector<double> solve_left(std::span<const double> b) const;

  // Numbers stored in the factors.
  std::size_t fill() const;

 private:
  class Factors;
  template <typename Real>
  class FactorsOf;
  std::unique_ptr<Factors> factors_;
};

// The stationary distribution of an irreducible chain (which the caller has checked): the
// same elimination down to the last state, then back. Probabilities below 1e-308 of the
// largest come out as 0 or with fewer digits. NoAnswer as above.
std::vector<double> stationary_by_elimination(const SparseRates& rates);

}  // namespace basin
