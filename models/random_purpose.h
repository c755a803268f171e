// What a random draw decides. Each purpose has an address space of its own, so a draw
// added for one purpose shifts no other. The numbers are part of what makes a result
// reproducible: never reuse or renumber one.
#pragma once

#include <cstdint>

#include "engine/random.h"

namespace basin {

enum class Purpose : std::uint32_t {
  attempt = 0,             // one block for an attempt: words gap, work, jitter, coin
  work = 1,                // work whose sampler needs more than one word
  arrivals = 2,            // arrival processes that need more than one word a request
  arrival_modulation = 3,  // state changes of mmpp, on_off, hawkes; sizes of batches
  delivery = 4,            // drawn again at each delivery: work = per_delivery
  incident_schedule = 5,   // drawn durations of incidents
  failure = 6,             // downstream_failure, drawn for each receipt
  ack_loss = 7,            // drawn for each receipt
  poison = 8,              // which requests are poison
  surge = 9,               // arrival process of an arrival_surge
  shed = 10,               // which requests are admitted
};

// Who created a request: 0 the base arrival process, k > 0 the k-th incident. A request
// is named by its origin and its place among the requests of that origin.
struct RequestKey {
  std::uint64_t bits = 0;  // origin in the 12 high bits, place in the 52 low bits

  static constexpr RequestKey of(std::uint32_t origin, std::uint64_t place) {
    return {(static_cast<std::uint64_t>(origin) << 52) | place};
  }
  constexpr std::uint32_t origin() const {
    return static_cast<std::uint32_t>(bits >> 52);
  }
  constexpr std::uint64_t place() const { return bits & ((std::uint64_t{1} << 52) - 1); }
  bool operator==(const RequestKey&) const = default;
};

// A word that has yet to be drawn at its address. (A word that is drawn as 0 is drawn
// again, to the same end.)
inline constexpr std::uint64_t not_drawn = 0;

// The words of an attempt's own block.
enum AttemptWord : std::size_t {
  gap_word = 0,
  work_word = 1,
  jitter_word = 2,
  coin_word = 3
};

inline RandomAddress address_of(Purpose purpose,
                                RequestKey request,
                                std::uint32_t attempt) {
  return {.purpose = static_cast<std::uint32_t>(purpose),
          .entity = request.bits,
          .part = attempt};
}

}  // namespace basin
