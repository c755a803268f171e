// A hash that shows that something changed, never that it is right.
#pragma once

#include <bit>
#include <cstdint>

namespace basin {

// FNV-1a over whole words.
class Fingerprint {
 public:
  void add(std::uint64_t word) { hash_ = (hash_ ^ word) * 1099511628211U; }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace basin
