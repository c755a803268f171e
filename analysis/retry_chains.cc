#include "analysis/retry_chains.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "analysis/no_answer.h"
#include "analysis/slow_modes.h"

namespace basin {

namespace {

using Move = PairChain::Move;
using Moves = std::vector<PairChain::Move>;

void expect_probability(double value, const char* what) {
  if (!(value >= 0 && value <= 1)) {
    throw NoAnswer(std::string(what) + " is " + std::to_string(value) +
                   ", not between 0 and 1");
  }
}

void expect_at_least(int value, int least, const char* what) {
  if (value < least) {
    throw NoAnswer(std::string(what) + " is " + std::to_string(value) + ", below " +
                   std::to_string(least));
  }
}

bool all_states(int /*first*/, int /*second*/) {
  return true;
}

struct Solved {
  PairChain chain;
  std::vector<double> stationary;
  int limit;
  double at_limit;  // probability of the orbit at its limit
};

Solved solve(PairChain chain, int limit) {
  std::vector<double> stationary = stationary_distribution(chain.chain());
  const double at_limit = chain.mean(
      stationary, [limit](int /*first*/, int orbit) { return orbit == limit; });
  return {std::move(chain), std::move(stationary), limit, at_limit};
}

// With the limit asked for, or one that cuts off less than rounding does.
template <typename Model>
Solved solve_orbit(Model model) {
  if (model.retry_probability == 0) {
    // Nothing ever joins the orbit.
    model.orbit_limit = 0;
    Solved solved = solve(chain_of(model), 0);
    solved.at_limit = 0;
    return solved;
  }
  if (model.orbit_limit) {
    return solve(chain_of(model), *model.orbit_limit);
  }
  for (int limit = 64;; limit *= 2) {
    try {
      expect_solvable(model.capacity + 1.0, limit + 1.0);
    } catch (const NoAnswer&) {
      if (limit == 64) {
        throw;
      }
      throw NoAnswer("no steady state found: the orbit still reaches " +
                     std::to_string(limit / 2) +
                     ", and a larger chain would take too long; with an orbit limit "
                     "there is one");
    }
    model.orbit_limit = limit;
    Solved solved = solve(chain_of(model), limit);
    if (solved.at_limit * limit < 1e-15) {
      return solved;
    }
  }
}

// The way back starts from the likeliest state of `full`.
Switching switching_between(const PairChain& pairs,
                            std::span<const double> stationary,
                            const StateSet& storm,
                            const StateSet& full) {
  const MarkovChain& chain = pairs.chain();
  const std::size_t empty = pairs.state(0, 0);
  std::size_t likeliest = chain.states();
  for (std::size_t state = 0; state < chain.states(); ++state) {
    if (full[state] &&
        (likeliest == chain.states() || stationary[state] > stationary[likeliest])) {
      likeliest = state;
    }
  }
  Switching result{.storm_state = pairs.counts(likeliest)};
  result.time_to_storm = mean_passage_time(chain, empty, storm);
  result.time_to_empty = mean_passage_time(chain, likeliest, chain.only(empty));
  const std::vector<std::complex<double>> slow = slow_eigenvalues(chain, 2);
  result.spectral_gap = -slow.at(0).real();
  result.second_rate = slow.size() > 1 ? -slow[1].real() : 0;
  return result;
}

void expect_valid(const PsZombie& model) {
  above_zero(model.arrival_rate, "the arrival rate");
  above_zero(model.service_rate, "the service rate");
  above_zero(model.timeout_rate, "the timeout rate");
  expect_probability(model.retry_probability, "the retry probability");
  expect_at_least(model.capacity, 1, "the capacity");
  expect_solvable(model.capacity + 1.0, (model.capacity + 2.0) / 2);
}

bool is_crowded(const PsZombie& model, int in_system) {
  return 10LL * in_system >= 9LL * model.capacity;
}

void expect_valid(const DepthFailure& model) {
  above_zero(model.arrival_rate, "the arrival rate");
  above_zero(model.service_rate, "the service rate");
  above_zero(model.retry_rate, "the retry rate");
  expect_probability(model.retry_probability, "the retry probability");
  expect_at_least(model.failure_depth, 0, "the failure depth");
  expect_at_least(model.capacity, 1, "the capacity");
  expect_at_least(model.orbit_limit.value_or(0), 0, "the orbit limit");
  if (!model.orbit_limit && model.retry_probability == 1) {
    if (model.failure_depth < model.capacity) {
      throw NoAnswer(
          "no steady state: every failure is retried, and with a large orbit every "
          "completion fails");
    }
    if (model.arrival_rate >= model.service_rate) {
      throw NoAnswer(
          "no steady state: every failure is retried, and the arrival rate is " +
          std::to_string(model.arrival_rate / model.service_rate) +
          " of the service rate, not below 1");
    }
  }
}

void expect_valid(const RetrialQueue& model) {
  above_zero(model.arrival_rate, "the arrival rate");
  above_zero(model.service_rate, "the service rate");
  above_zero(model.retry_rate, "the retry rate");
  expect_probability(model.retry_probability, "the retry probability");
  expect_at_least(model.servers, 1, "the number of servers");
  if (model.capacity < model.servers) {
    throw NoAnswer("the capacity is " + std::to_string(model.capacity) +
                   ", below the number of servers");
  }
  expect_at_least(model.orbit_limit.value_or(0), 0, "the orbit limit");
  const double utilization = model.arrival_rate / (model.servers * model.service_rate);
  if (!model.orbit_limit && model.retry_probability == 1 && utilization >= 1) {
    throw NoAnswer(
        "no steady state: every blocked request is retried, and utilization is " +
        std::to_string(utilization) + ", not below 1");
  }
}

void expect_valid(const QueueOrbit& model) {
  above_zero(model.arrival_rate, "the arrival rate");
  above_zero(model.service_rate, "the service rate");
  above_zero(model.timeout, "the timeout");
  zero_or_more(model.retries, "the number of retries");
  expect_probability(model.copy_share, "the share of late requests that leave a copy");
  if (model.copy_share == 0 && model.orbit > 1) {
    throw NoAnswer("no late request leaves a copy, so nothing ever enters the orbit");
  }
  expect_at_least(model.threads, 1, "the number of threads");
  expect_at_least(model.queue, 2, "the size of the queue");
  expect_at_least(model.orbit, 1, "the size of the orbit");
  expect_solvable(model.queue, model.orbit);
}

}  // namespace

PairChain chain_of(const PsZombie& model) {
  expect_valid(model);
  const auto is_state = [&](int live, int zombie) {
    return live + zombie <= model.capacity;
  };
  const auto moves = [&](int live, int zombie, Moves& out) {
    const int all = live + zombie;
    const bool room = all < model.capacity;
    if (room) {
      out.push_back({live + 1, zombie, model.arrival_rate});
    }
    if (live > 0) {
      out.push_back({live - 1, zombie, model.service_rate * live / all});
      const double timeouts = model.timeout_rate * live;
      const double retried = room ? model.retry_probability : 0;
      if (room) {
        out.push_back({live, zombie + 1, timeouts * retried});
      }
      out.push_back({live - 1, zombie + 1, timeouts * (1 - retried)});
    }
    if (zombie > 0) {
      out.push_back({live, zombie - 1, model.service_rate * zombie / all});
    }
  };
  return PairChain{{"live", "zombie"}, model.capacity, model.capacity, is_state, moves};
}

PsZombieAnswers answers(const PsZombie& model) {
  const PairChain chain = chain_of(model);
  const std::vector<double> pi = stationary_distribution(chain.chain());
  PsZombieAnswers result;
  result.mean_live = chain.mean(pi, [](int live, int /*zombie*/) { return live; });
  result.mean_zombie = chain.mean(pi, [](int /*live*/, int zombie) { return zombie; });
  result.goodput = model.service_rate * chain.mean(pi, [](int live, int zombie) {
    return live > 0 ? static_cast<double>(live) / (live + zombie) : 0;
  });
  result.blocking_probability = chain.mean(
      pi, [&](int live, int zombie) { return live + zombie == model.capacity; });
  result.crowded_probability = chain.mean(
      pi, [&](int live, int zombie) { return is_crowded(model, live + zombie); });
  result.empty_probability = pi[chain.state(0, 0)];
  return result;
}

Switching switching(const PsZombie& model) {
  const PairChain chain = chain_of(model);
  const std::vector<double> pi = stationary_distribution(chain.chain());
  return switching_between(
      chain,
      pi,
      chain.where([&](int live, int zombie) { return is_crowded(model, live + zombie); }),
      chain.where([&](int live, int zombie) { return live + zombie == model.capacity; }));
}

PairChain chain_of(const DepthFailure& model) {
  expect_valid(model);
  if (!model.orbit_limit) {
    return solve_orbit(model).chain;
  }
  const double join = model.retry_probability;
  const int limit = join > 0 ? *model.orbit_limit : 0;
  expect_solvable(model.capacity + 1.0, limit + 1.0);
  const auto moves = [&](int depth, int orbit, Moves& out) {
    if (depth < model.capacity) {
      out.push_back({depth + 1, orbit, model.arrival_rate});
    } else if (orbit < limit) {
      out.push_back({depth, orbit + 1, model.arrival_rate * join});
    }
    if (depth > 0) {
      const bool fails = depth - 1 >= model.failure_depth && orbit < limit;
      if (fails) {
        out.push_back({depth - 1, orbit + 1, model.service_rate * join});
      }
      out.push_back({depth - 1, orbit, model.service_rate * (fails ? 1 - join : 1)});
    }
    if (orbit > 0) {
      const double retries = model.retry_rate * orbit;
      if (depth < model.capacity) {
        out.push_back({depth + 1, orbit - 1, retries});
      } else {
        out.push_back({depth, orbit - 1, retries * (1 - join)});
      }
    }
  };
  return PairChain{{"depth", "orbit"}, model.capacity, limit, all_states, moves};
}

DepthFailureAnswers answers(const DepthFailure& model) {
  expect_valid(model);
  const Solved solved = solve_orbit(model);
  const std::vector<double>& pi = solved.stationary;
  const PairChain& chain = solved.chain;
  DepthFailureAnswers result;
  result.mean_depth = chain.mean(pi, [](int depth, int /*orbit*/) { return depth; });
  result.mean_orbit = chain.mean(pi, [](int /*depth*/, int orbit) { return orbit; });
  result.goodput = model.service_rate * chain.mean(pi, [&](int depth, int /*orbit*/) {
    return depth > 0 && depth <= model.failure_depth;
  });
  result.blocking_probability =
      chain.mean(pi, [&](int depth, int /*orbit*/) { return depth == model.capacity; });
  result.failing_probability = chain.mean(
      pi, [&](int depth, int /*orbit*/) { return depth >= model.failure_depth; });
  result.orbit_limit = solved.limit;
  result.limit_probability = solved.at_limit;
  return result;
}

Switching switching(const DepthFailure& model) {
  expect_valid(model);
  const Solved solved = solve_orbit(model);
  const StateSet full = solved.chain.where(
      [&](int depth, int /*orbit*/) { return depth == model.capacity; });
  return switching_between(solved.chain, solved.stationary, full, full);
}

double overflow_probability(const DepthFailure& model) {
  const PairChain chain = chain_of(model);
  const StateSet full =
      chain.where([&](int depth, int /*orbit*/) { return depth == model.capacity; });
  return committor(
      chain.chain(), chain.chain().only(chain.state(0, 0)), full)[chain.state(1, 0)];
}

PairChain chain_of(const RetrialQueue& model) {
  expect_valid(model);
  if (!model.orbit_limit) {
    return solve_orbit(model).chain;
  }
  const double join = model.retry_probability;
  const int limit = join > 0 ? *model.orbit_limit : 0;
  expect_solvable(model.capacity + 1.0, limit + 1.0);
  const auto moves = [&](int in_system, int orbit, Moves& out) {
    const double retries = model.retry_rate * orbit;
    if (in_system < model.capacity) {
      out.push_back({in_system + 1, orbit, model.arrival_rate});
      if (orbit > 0) {
        out.push_back({in_system + 1, orbit - 1, retries});
      }
    } else {
      if (orbit < limit) {
        out.push_back({in_system, orbit + 1, model.arrival_rate * join});
      }
      if (orbit > 0) {
        out.push_back({in_system, orbit - 1, retries * (1 - join)});
      }
    }
    if (in_system > 0) {
      out.push_back({in_system - 1,
                     orbit,
                     model.service_rate * std::min(in_system, model.servers)});
    }
  };
  return PairChain{{"in system", "orbit"}, model.capacity, limit, all_states, moves};
}

RetrialAnswers answers(const RetrialQueue& model) {
  expect_valid(model);
  const Solved solved = solve_orbit(model);
  const std::vector<double>& pi = solved.stationary;
  const PairChain& chain = solved.chain;
  RetrialAnswers result;
  result.mean_orbit = chain.mean(pi, [](int /*in_system*/, int orbit) { return orbit; });
  result.mean_in_system =
      chain.mean(pi, [](int in_system, int /*orbit*/) { return in_system; });
  result.blocking_probability = chain.mean(
      pi, [&](int in_system, int /*orbit*/) { return in_system == model.capacity; });
  result.throughput =
      model.service_rate * chain.mean(pi, [&](int in_system, int /*orbit*/) {
        return std::min(in_system, model.servers);
      });
  result.orbit_limit = solved.limit;
  result.limit_probability = solved.at_limit;
  return result;
}

PairChain chain_of(const QueueOrbit& model) {
  expect_valid(model);
  // Chebyshev: the sum of u services has mean u / rate and variance u / rate^2.
  const auto late = [&](int queue) {
    if (queue == 0) {
      return 0.0;
    }
    const double rate = std::min(queue, model.threads) * model.service_rate;
    const double slack = model.timeout - queue / rate;
    const double deviation = std::sqrt(static_cast<double>(queue)) / rate;
    return slack > deviation ? (deviation / slack) * (deviation / slack) : 1.0;
  };
  const double attempts_time = (model.retries + 1) * model.timeout;
  const auto moves = [&](int queue, int orbit, Moves& out) {
    const double retry = orbit * model.retries / attempts_time;
    const double drop = orbit / attempts_time;
    if (queue == model.queue - 1) {
      // As published, with the size of the queue where its content is one less.
      out.push_back(
          {queue - 1, orbit, model.service_rate * std::min(model.queue, model.threads)});
      if (orbit > 0) {
        out.push_back({queue, orbit - 1, model.retry_when_full ? drop : drop + retry});
      }
      if (model.retry_when_full && orbit < model.orbit - 1) {
        out.push_back(
            {queue, orbit + 1, model.copy_share * (model.arrival_rate + retry)});
      }
      return;
    }
    const double tail = late(queue);
    if (tail > 0 && orbit < model.orbit - 1) {
      out.push_back({queue + 1, orbit + 1, model.copy_share * model.arrival_rate * tail});
    }
    out.push_back({queue + 1, orbit, model.arrival_rate + retry * tail});
    if (orbit > 0) {
      out.push_back({queue + 1, orbit - 1, retry * (1 - tail)});
      out.push_back({queue, orbit - 1, drop});
    }
    if (queue > 0) {
      out.push_back(
          {queue - 1, orbit, model.service_rate * std::min(queue, model.threads)});
    }
  };
  return PairChain{
      {"queue", "orbit"}, model.queue - 1, model.orbit - 1, all_states, moves};
}

QueueOrbitAnswers answers(const QueueOrbit& model) {
  const PairChain chain = chain_of(model);
  const std::vector<double> pi = stationary_distribution(chain.chain());
  QueueOrbitAnswers result;
  result.mean_queue = chain.mean(pi, [](int queue, int /*orbit*/) { return queue; });
  result.mean_orbit = chain.mean(pi, [](int /*queue*/, int orbit) { return orbit; });
  result.full_probability =
      chain.mean(pi, [&](int queue, int /*orbit*/) { return queue == model.queue - 1; });
  result.drain_time = mean_passage_time(chain.chain(),
                                        chain.state(model.queue - 1, model.orbit - 1),
                                        chain.chain().only(chain.state(0, 0)));
  result.slowest_rate = -spectral_gap(chain.chain());
  return result;
}

}  // namespace basin
