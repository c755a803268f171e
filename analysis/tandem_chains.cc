#include "analysis/tandem_chains.h"

#include <cmath>
#include <string>
#include <vector>

#include "analysis/no_answer.h"

namespace basin {

namespace {

void expect_valid(const Tandem& tandem, int level) {
  above_zero(tandem.arrival_rate, "the arrival rate");
  above_zero(tandem.first_rate, "the first service rate");
  above_zero(tandem.second_rate, "the second service rate");
  if (level < 2) {
    throw NoAnswer("the level is " + std::to_string(level) +
                   ", not above the one request at the start");
  }
}

template <typename HasRoom>
PairChain::Moves moves_of(const Tandem& tandem, HasRoom has_room) {
  return [tandem, has_room](int first, int second, std::vector<PairChain::Move>& out) {
    if (has_room(first, second)) {
      out.push_back({first + 1, second, tandem.arrival_rate});
    }
    if (first > 0) {
      out.push_back({first - 1, second + 1, tandem.first_rate});
    }
    if (second > 0) {
      out.push_back({first, second - 1, tandem.second_rate});
    }
  };
}

SecondQueueOverflow overflow_below(const Tandem& tandem, int level, int limit) {
  expect_solvable(level + 1.0, limit + 1.0);
  // The chain stops where the second queue is empty or at its level.
  const auto moves = [&](int first, int second, std::vector<PairChain::Move>& out) {
    if (second > 0 && second < level) {
      moves_of(tandem, [limit](int in_first, int /*second*/) {
        return in_first < limit;
      })(first, second, out);
    }
  };
  const PairChain chain{{"first", "second"},
                        limit,
                        level,
                        [](int /*first*/, int /*second*/) { return true; },
                        moves};
  const StateSet empty =
      chain.where([](int /*first*/, int second) { return second == 0; });
  const StateSet full =
      chain.where([&](int /*first*/, int second) { return second == level; });
  const StateSet ended = chain.where(
      [&](int /*first*/, int second) { return second == 0 || second == level; });
  const StateSet cut = chain.where([&](int first, int second) {
    return first == limit && second > 0 && second < level;
  });
  const std::size_t start = chain.state(0, 1);
  return {.probability = committor(chain.chain(), empty, full)[start],
          .first_limit = limit,
          .limit_probability = committor(chain.chain(), ended, cut)[start]};
}

}  // namespace

PairChain tandem_chain(const Tandem& tandem, int population) {
  expect_valid(tandem, population);
  expect_solvable(population + 1.0, (population + 2.0) / 2);
  const auto within = [population](int first, int second) {
    return first + second <= population;
  };
  return PairChain{{"first", "second"},
                   population,
                   population,
                   within,
                   moves_of(tandem, [population](int first, int second) {
                     return first + second < population;
                   })};
}

double tandem_overflow_probability(const Tandem& tandem, int level) {
  const PairChain chain = tandem_chain(tandem, level);
  const StateSet empty = chain.chain().only(chain.state(0, 0));
  const StateSet full =
      chain.where([level](int first, int second) { return first + second == level; });
  return committor(chain.chain(), empty, full)[chain.state(1, 0)];
}

SecondQueueOverflow second_queue_overflow(const Tandem& tandem,
                                          int level,
                                          std::optional<int> first_limit) {
  expect_valid(tandem, level);
  if (first_limit) {
    if (*first_limit < 1) {
      throw NoAnswer("the limit of the first queue is " + std::to_string(*first_limit) +
                     ", below 1");
    }
    return overflow_below(tandem, level, *first_limit);
  }
  int limit = 32;
  SecondQueueOverflow result = overflow_below(tandem, level, limit);
  while (true) {
    if (result.limit_probability <= 1e-14 * result.probability) {
      return result;
    }
    limit *= 2;
    const SecondQueueOverflow next = overflow_below(tandem, level, limit);
    const bool settled =
        std::abs(next.probability - result.probability) <= 1e-13 * next.probability;
    result = next;
    if (settled) {
      return result;
    }
  }
}

}  // namespace basin
