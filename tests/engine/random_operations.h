// Random operations for shadow tests: the same for a seed everywhere, so that a failure
// message with the seed is enough to see it again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/random.h"
#include "engine/time.h"

namespace basin {

class Operations {
 public:
  explicit Operations(std::uint64_t seed) : words_{{.seed = seed}, {}} {}

  // Uniform on 0, 1, …, n - 1, but for a bias below n / 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(words_() % n); }

 private:
  RandomStream words_;
};

inline SimTime at(std::size_t nanoseconds) {
  return SimTime{Duration{static_cast<std::int64_t>(nanoseconds)}};
}

}  // namespace basin
