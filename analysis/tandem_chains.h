// Two M/M/1 queues in a row: probabilities of rare overflow, the standard test of methods
// for rare events.
#pragma once

#include <optional>

#include "analysis/pair_chain.h"

namespace basin {

struct Tandem {
  double arrival_rate = 0;
  double first_rate = 1;  // service
  double second_rate = 1;
  bool operator==(const Tandem&) const = default;
};

// At most `population` in both queues together; arrivals beyond are lost.
PairChain tandem_chain(const Tandem& tandem, int population);  // (first, second)

// Probability that the population reaches `level` before the system empties, from one
// request in the first queue. The same with the servers exchanged.
double tandem_overflow_probability(const Tandem& tandem, int level);

struct SecondQueueOverflow {
  double probability = 0;
  int first_limit = 0;  // where the first queue was cut
  // Of the first queue reaching its limit before the end: what the cut can change at
  // most.
  double limit_probability = 0;
};
// Probability that the second queue reaches `level` before it empties, from an empty
// first queue and one request in the second. The first queue need not be stable. Without
// a limit on it, one is found beyond which the probability does not change.
SecondQueueOverflow second_queue_overflow(const Tandem& tandem,
                                          int level,
                                          std::optional<int> first_limit = {});

}  // namespace basin
