// Where a probability crosses a level along one parameter, from noisy yes-or-no answers.
//
// A state machine: it asks for runs at a point, takes the answers, and asks again; it
// runs nothing itself and has no randomness of its own. The probability of a yes must be
// monotone along the parameter; a breach that the answers show is reported.
//
// Method. Probabilistic bisection (Waeber, Frazier and Henderson, "Bisection search with
// noisy responses", SIAM J. Control Optim. 51, 2013): a belief over where the crossing is
// and how steep the curve is (logistic) says where to ask next and what to expect there.
// The belief only guides. The interval rests on bets: before each answer the belief
// stakes on it, at odds that are fair or worse for every monotone curve that crosses at
// v, so that by Ville's inequality the winnings pass 1/alpha with probability at most
// alpha, however the points were chosen and whenever the search stops. The interval holds
// the crossings v against which nothing was won (Waudby-Smith and Ramdas, "Estimating
// means of bounded random variables by betting", JRSS B 86, 2024). It needs answers that
// are independent of earlier ones: no replication is asked for twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/intervals.h"

namespace basin {

enum class Spacing : std::uint8_t { linear, logarithmic, whole };
// How the probability of a yes moves as the parameter grows.
enum class Trend : std::uint8_t { falling, rising };

struct CrossingOptions {
  double low = 0;    // the range that may be tried; > 0 if logarithmic, whole if whole
  double high = 0;   // > low
  double start = 0;  // a guess; the search begins near it
  Spacing spacing = Spacing::logarithmic;
  Trend trend = Trend::falling;
  double level = 0.5;       // in [0.01, 0.99]
  double precision = 0.01;  // width of the interval to reach: relative if logarithmic,
                            // absolute if linear; whole numbers are told apart
  double confidence = 0.95;
  std::int64_t runs_at_once = 4;
  std::int64_t most_runs = 400;
};

// Runs `first` to `first + runs - 1` of an endless list of independent replications.
struct Question {
  double at = 0;
  std::int64_t first = 0;
  std::int64_t runs = 0;
};

struct TriedPoint {
  double at = 0;
  std::int64_t runs = 0;
  double mean = 0;  // of the answers
};

// What stands on the side where a yes is likely (low for a falling trend) is "yes".
enum class CrossingAt : std::uint8_t { inside, all_yes, all_no };

struct Crossing {
  CrossingAt at = CrossingAt::inside;
  // The crossing; of whole numbers the last with a probability of at least `level`, as
  // seen from the yes side (the largest of a falling trend, the least of a rising one).
  // At an end of the range that end.
  double estimate = 0;
  // Holds it with the confidence asked for. Where an end of the range could not be ruled
  // out, that end, and the flag is off.
  Interval interval;
  bool bounded_low = false;
  bool bounded_high = false;
  bool reached = false;  // as precise as asked, or at an end of the range
  std::int64_t runs = 0;
  std::vector<TriedPoint> points;  // by `at`
  // A breach of the trend: seen from the yes side, no at the first and farther on yes at
  // the second, each with its neighbours; Fisher's exact test at 0.05%.
  std::optional<std::pair<TriedPoint, TriedPoint>> breach;
};

class CrossingSearch {
 public:
  // Throws NoAnswer for options out of range.
  explicit CrossingSearch(const CrossingOptions& options);
  ~CrossingSearch();
  CrossingSearch(CrossingSearch&&) noexcept;
  CrossingSearch& operator=(CrossingSearch&&) noexcept;
  CrossingSearch(const CrossingSearch&) = delete;
  CrossingSearch& operator=(const CrossingSearch&) = delete;

  // Absent when it is done. The same until the answers are taken.
  std::optional<Question> next() const;
  // Answers to next(), in the order of the replications: 1 yes, 0 no, or the mean of
  // several yes and no. Throws NoAnswer for others.
  void take(std::span<const double> answers);
  // At any time.
  Crossing result() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// One-sided p-value of Fisher's exact test: that the first of two samples has, by chance,
// no more successes than it has, given all.
double fisher_less(std::int64_t successes_1,
                   std::int64_t trials_1,
                   std::int64_t successes_2,
                   std::int64_t trials_2);

}  // namespace basin
