#include "analysis/markov_chain.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "analysis/no_answer.h"

namespace basin {

namespace {

std::string named(std::size_t state) {
  return "state " + std::to_string(state);
}

// In the same form, every transition turned round.
SparseRates reversed(const SparseRates& rates) {
  SparseRates result;
  result.row.assign(rates.states() + 1, 0);
  for (const std::size_t target : rates.target) {
    ++result.row[target + 1];
  }
  std::partial_sum(result.row.begin(), result.row.end(), result.row.begin());
  result.target.resize(rates.target.size());
  result.rate.resize(rates.rate.size());
  std::vector<std::size_t> next(result.row.begin(), result.row.end() - 1);
  for (std::size_t i = 0; i < rates.states(); ++i) {
    for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
      const std::size_t place = next[rates.target[k]]++;
      result.target[place] = i;
      result.rate[place] = rates.rate[k];
    }
  }
  return result;
}

// All that can be reached from `from`, without going on from states in `stop`.
StateSet reachable(const SparseRates& rates,
                   const std::vector<std::size_t>& from,
                   const StateSet& stop) {
  StateSet seen(rates.states());
  std::vector<std::size_t> open;
  for (const std::size_t state : from) {
    if (!seen[state]) {
      seen[state] = true;
      open.push_back(state);
    }
  }
  while (!open.empty()) {
    const std::size_t state = open.back();
    open.pop_back();
    if (stop[state]) {
      continue;
    }
    for (std::size_t k = rates.row[state]; k < rates.row[state + 1]; ++k) {
      if (!seen[rates.target[k]]) {
        seen[rates.target[k]] = true;
        open.push_back(rates.target[k]);
      }
    }
  }
  return seen;
}

std::vector<std::size_t> members(const StateSet& set) {
  std::vector<std::size_t> list;
  for (std::size_t state = 0; state < set.size(); ++state) {
    if (set[state]) {
      list.push_back(state);
    }
  }
  return list;
}

void expect_one_each(const MarkovChain& chain, std::size_t count, const char* what) {
  if (count != chain.states()) {
    throw std::invalid_argument(std::string(what) + " needs one entry for each state");
  }
}

void expect_some(const StateSet& set, const char* what) {
  if (std::ranges::find(set, true) == set.end()) {
    throw NoAnswer(std::string("the set ") + what + " is empty");
  }
}

// NoAnswer if a state of `inside` has no path out of it to `target`.
void expect_reaches(const MarkovChain& chain,
                    const StateSet& inside,
                    const StateSet& target,
                    const char* what) {
  const StateSet can =
      reachable(reversed(chain.rates()), members(target), StateSet(chain.states()));
  for (std::size_t state = 0; state < chain.states(); ++state) {
    if (inside[state] && !can[state]) {
      throw NoAnswer(std::string(what) + " be reached from " + named(state));
    }
  }
}

std::vector<double> passage_times_inside(const MarkovChain& chain,
                                         const StateSet& inside) {
  const KilledChain killed = killed_outside(chain, inside);
  std::vector<double> times(chain.states(), 0.0);
  if (killed.state.empty()) {
    return times;
  }
  const SparseElimination elimination{killed.rates, killed.leaving};
  const std::vector<double> inner =
      elimination.solve(std::vector<double>(killed.state.size(), 1.0));
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (!std::isfinite(inner[i])) {
      throw NoAnswer("the mean passage time from " + named(killed.state[i]) +
                     " is larger than 1e308");
    }
    times[killed.state[i]] = inner[i];
  }
  return times;
}

}  // namespace

MarkovChain::MarkovChain(std::size_t states, std::span<const Transition> transitions) {
  if (states == 0) {
    throw NoAnswer("the chain has no states");
  }
  std::vector<Transition> list;
  list.reserve(transitions.size());
  for (const Transition& transition : transitions) {
    if (transition.from >= states || transition.to >= states) {
      throw NoAnswer("a transition from " + named(transition.from) + " to " +
                     named(transition.to) + " in a chain of " + std::to_string(states) +
                     " states");
    }
    if (!(transition.rate >= 0 && std::isfinite(transition.rate))) {
      zero_or_more(
          transition.rate,
          "the rate from " + named(transition.from) + " to " + named(transition.to));
    }
    if (transition.rate > 0 && transition.from != transition.to) {
      list.push_back(transition);
    }
  }
  std::ranges::stable_sort(list, [](const Transition& a, const Transition& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  rates_.row.assign(states + 1, 0);
  std::size_t previous = states;
  for (const Transition& transition : list) {
    if (transition.from == previous && rates_.target.back() == transition.to) {
      rates_.rate.back() += transition.rate;
      continue;
    }
    previous = transition.from;
    rates_.target.push_back(transition.to);
    rates_.rate.push_back(transition.rate);
    ++rates_.row[transition.from + 1];
  }
  std::partial_sum(rates_.row.begin(), rates_.row.end(), rates_.row.begin());
}

double MarkovChain::exit_rate(std::size_t state) const {
  double sum = 0;
  for (std::size_t k = rates_.row[state]; k < rates_.row[state + 1]; ++k) {
    sum += rates_.rate[k];
  }
  return sum;
}

void expect_irreducible(const MarkovChain& chain) {
  const StateSet nowhere(chain.states());
  const StateSet forward = reachable(chain.rates(), {0}, nowhere);
  const StateSet backward = reachable(reversed(chain.rates()), {0}, nowhere);
  for (std::size_t state = 0; state < chain.states(); ++state) {
    if (!forward[state]) {
      throw NoAnswer("the chain is not irreducible: " + named(state) +
                     " cannot be reached from state 0");
    }
    if (!backward[state]) {
      throw NoAnswer("the chain is not irreducible: state 0 cannot be reached from " +
                     named(state) +
                     (chain.exit_rate(state) == 0 ? ", which is absorbing" : ""));
    }
  }
}

std::vector<double> stationary_distribution(const MarkovChain& chain) {
  expect_irreducible(chain);
  return stationary_by_elimination(chain.rates());
}

KilledChain killed_outside(const MarkovChain& chain, const StateSet& inside) {
  KilledChain killed;
  std::vector<std::size_t> number(chain.states(), 0);
  for (std::size_t state = 0; state < chain.states(); ++state) {
    if (inside[state]) {
      number[state] = killed.state.size();
      killed.state.push_back(state);
    }
  }
  const SparseRates& rates = chain.rates();
  for (const std::size_t state : killed.state) {
    double leaving = 0;
    for (std::size_t k = rates.row[state]; k < rates.row[state + 1]; ++k) {
      if (inside[rates.target[k]]) {
        killed.rates.target.push_back(number[rates.target[k]]);
        killed.rates.rate.push_back(rates.rate[k]);
      } else {
        leaving += rates.rate[k];
      }
    }
    killed.rates.row.push_back(killed.rates.target.size());
    killed.leaving.push_back(leaving);
  }
  return killed;
}

std::vector<double> mean_passage_times(const MarkovChain& chain, const StateSet& target) {
  expect_one_each(chain, target.size(), "a target");
  expect_some(target, "to reach");
  StateSet inside = target;
  inside.flip();
  expect_reaches(chain, inside, target, "the target cannot");
  return passage_times_inside(chain, inside);
}

double mean_passage_time(const MarkovChain& chain,
                         std::size_t from,
                         const StateSet& target) {
  expect_one_each(chain, target.size(), "a target");
  expect_some(target, "to reach");
  if (from >= chain.states()) {
    throw NoAnswer("the chain has no " + named(from));
  }
  if (target[from]) {
    return 0;
  }
  StateSet inside = reachable(chain.rates(), {from}, target);
  for (std::size_t state = 0; state < chain.states(); ++state) {
    inside[state] = inside[state] && !target[state];
  }
  expect_reaches(chain, inside, target, "the target cannot");
  return passage_times_inside(chain, inside)[from];
}

std::vector<double> committor(const MarkovChain& chain,
                              const StateSet& avoid,
                              const StateSet& reach) {
  expect_one_each(chain, avoid.size(), "a set to avoid");
  expect_one_each(chain, reach.size(), "a set to reach");
  expect_some(avoid, "to avoid");
  expect_some(reach, "to reach");
  StateSet inside(chain.states());
  StateSet either(chain.states());
  for (std::size_t state = 0; state < chain.states(); ++state) {
    if (avoid[state] && reach[state]) {
      throw NoAnswer(named(state) + " is in the set to reach and in the set to avoid");
    }
    either[state] = avoid[state] || reach[state];
    inside[state] = !either[state];
  }
  expect_reaches(chain, inside, either, "neither set can");
  std::vector<double> result(chain.states(), 0.0);
  for (std::size_t state = 0; state < chain.states(); ++state) {
    result[state] = reach[state] ? 1 : 0;
  }
  const KilledChain killed = killed_outside(chain, inside);
  if (killed.state.empty()) {
    return result;
  }
  const SparseRates& rates = chain.rates();
  std::vector<double> into(killed.state.size(), 0.0);
  for (std::size_t i = 0; i < killed.state.size(); ++i) {
    const std::size_t state = killed.state[i];
    for (std::size_t k = rates.row[state]; k < rates.row[state + 1]; ++k) {
      if (reach[rates.target[k]]) {
        into[i] += rates.rate[k];
      }
    }
  }
  const std::vector<double> inner =
      SparseElimination{killed.rates, killed.leaving}.solve(into);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    result[killed.state[i]] = inner[i];
  }
  return result;
}

std::vector<double> drift(const MarkovChain& chain, std::span<const double> coordinate) {
  expect_one_each(chain, coordinate.size(), "a coordinate");
  const SparseRates& rates = chain.rates();
  std::vector<double> result(chain.states(), 0.0);
  for (std::size_t state = 0; state < chain.states(); ++state) {
    for (std::size_t k = rates.row[state]; k < rates.row[state + 1]; ++k) {
      result[state] += rates.rate[k] * (coordinate[rates.target[k]] - coordinate[state]);
    }
  }
  return result;
}

}  // namespace basin
