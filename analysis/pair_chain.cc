#include "analysis/pair_chain.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "analysis/no_answer.h"

namespace basin {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

struct States {
  std::vector<std::size_t> table;
  std::vector<std::array<int, 2>> counts;
};

States enumerate(int most_first, int most_second, const PairChain::IsState& is_state) {
  if (most_first < 0 || most_second < 0) {
    throw NoAnswer("a count that can never be as large as 0");
  }
  States states;
  for (int first = 0; first <= most_first; ++first) {
    for (int second = 0; second <= most_second; ++second) {
      const bool in = is_state(first, second);
      states.table.push_back(in ? states.counts.size() : none);
      if (in) {
        states.counts.push_back({first, second});
      }
    }
  }
  return states;
}

}  // namespace

PairChain::PairChain(std::array<std::string, 2> names,
                     int most_first,
                     int most_second,
                     const IsState& is_state,
                     const Moves& moves)
    : names_{std::move(names)},
      width_{static_cast<std::size_t>(most_second) + 1},
      chain_{[&] {
        States states = enumerate(most_first, most_second, is_state);
        table_ = std::move(states.table);
        counts_ = std::move(states.counts);
        return build(moves);
      }()} {}

MarkovChain PairChain::build(const Moves& moves) const {
  std::vector<Transition> transitions;
  std::vector<Move> out;
  for (std::size_t from = 0; from < counts_.size(); ++from) {
    out.clear();
    moves(counts_[from][0], counts_[from][1], out);
    for (const Move& move : out) {
      transitions.push_back(
          {.from = from, .to = state(move.first, move.second), .rate = move.rate});
    }
  }
  return MarkovChain{counts_.size(), transitions};
}

std::size_t PairChain::state(int first, int second) const {
  const bool in_table = first >= 0 && second >= 0 &&
                        static_cast<std::size_t>(second) < width_ &&
                        static_cast<std::size_t>(first) < table_.size() / width_;
  const std::size_t found = in_table ? table_[static_cast<std::size_t>(first) * width_ +
                                              static_cast<std::size_t>(second)]
                                     : none;
  if (found == none) {
    throw NoAnswer("the chain has no state with " + std::to_string(first) + " " +
                   names_[0] + " and " + std::to_string(second) + " " + names_[1]);
  }
  return found;
}

std::vector<double> PairChain::coordinate(std::size_t which) const {
  std::vector<double> values;
  values.reserve(counts_.size());
  for (const std::array<int, 2>& counts : counts_) {
    values.push_back(counts.at(which));
  }
  return values;
}

void expect_solvable(double first, double second) {
  // A strip is eliminated along its length, at a cost that its width sets.
  const double most = std::min(first, second) <= 32 ? 1.1e6 : 4e5;
  if (first * second > most) {
    std::ostringstream reason;
    reason << "the chain has " << first << " by " << second
           << " states, too many to solve (more than " << most << ")";
    throw NoAnswer(reason.str());
  }
}

}  // namespace basin
