// What every arrival process draws from, and what keeps it from running for ever.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "engine/random.h"
#include "engine/time.h"
#include "models/random_purpose.h"

namespace basin {

// Whose draws these are.
struct ArrivalSource {
  RandomKey key;
  std::uint32_t origin;
  SimTime start;

  RandomAddress address(Purpose purpose, std::uint64_t place, std::uint32_t part) const {
    return address_of(purpose, RequestKey::of(origin, place), part);
  }
  RandomBlock block(Purpose purpose, std::uint64_t place) const {
    return random_block(key, address(purpose, place, 0));
  }
  // The block of the first attempt of request `place`: its gap_word is the one word of an
  // arrival where one is enough.
  RandomBlock first_attempt(std::uint64_t place) const {
    return random_block(key, address(Purpose::attempt, place, 1));
  }
};

// Ends what would otherwise never end: a process that brings ever more requests without
// moving on in time, or changes for ever without a request.
class ProgressGuard {
 public:
  explicit ProgressGuard(std::uint64_t limit) : limit_{limit} {}
  void restart() { steps_ = 0; }
  void step(std::uint64_t steps, const char* message) {
    steps_ += steps;
    if (steps_ > limit_) {
      throw std::runtime_error(message);
    }
  }

 private:
  std::uint64_t limit_;
  std::uint64_t steps_ = 0;
};

inline constexpr std::uint64_t most_at_one_instant = std::uint64_t{1} << 24;
inline constexpr std::uint64_t most_without_request = std::uint64_t{1} << 28;
inline constexpr const char* no_request =
    "arrivals: the process changed its state 2^28 times without one request (its rate is "
    "too low for how fast it changes)";

// floor(amount), and one more with the probability of the rest; no word is drawn for a
// whole amount.
template <class Word>
std::uint64_t resolve_by_coin(double amount, Word draw) {
  constexpr double most = 0x1p52;
  const double whole = std::floor(std::min(amount, most));
  const double rest = std::min(amount, most) - whole;
  const bool one_more = rest > 0 && to_unit(draw()) < rest;
  return static_cast<std::uint64_t>(whole) + (one_more ? 1 : 0);
}

}  // namespace basin
