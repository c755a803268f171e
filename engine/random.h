// Random numbers with an address.
//
// A draw is a pure function of (key, address): Philox4x64-10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", SC '11; the generator is Random123's). It never
// depends on what was drawn before it, so one retry more in one arm of an experiment
// shifts nothing in the other, and a result does not depend on threads, shards or
// resumption.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <Random123/philox.h>

namespace basin {

// What a whole run has in common. `cell` stays 0 where cells share their random numbers.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t cell = 0;
  std::uint64_t replication = 0;

  bool operator==(const RandomKey&) const = default;
};

// Where a block of draws belongs. `entity` is the thing the draw is about (a request, an
// occurrence), `part` a piece of it (an attempt), `purpose` what the draw decides; the
// meaning of purposes is up to the model. `block` counts further blocks at one address.
struct RandomAddress {
  std::uint32_t purpose = 0;
  std::uint64_t entity = 0;
  std::uint32_t part = 0;
  std::uint32_t block = 0;
};

// Four independent, uniform 64-bit words.
using RandomBlock = std::array<std::uint64_t, 4>;

// Counter words: (part:block, entity, purpose, replication); key words: (seed, cell).
inline RandomBlock random_block(const RandomKey& key, const RandomAddress& address) {
  const r123::Philox4x64::ctr_type counter = {
      {(static_cast<std::uint64_t>(address.part) << 32) | address.block,
       address.entity,
       address.purpose,
       key.replication}};
  const r123::Philox4x64::key_type philox_key = {{key.seed, key.cell}};
  const auto words = r123::Philox4x64{}(counter, philox_key);
  return {words[0], words[1], words[2], words[3]};
}

// The number itself, below 2^52, by its bits: an instruction that vectors have too.
constexpr double to_double(std::uint64_t number) {
  return std::bit_cast<double>(number | std::bit_cast<std::uint64_t>(0x1p52)) - 0x1p52;
}

// A uniform number strictly between 0 and 1: the 52 high bits of `word`, centred in their
// cell, so that neither log(u) nor log(1 - u) meets zero.
constexpr double to_unit(std::uint64_t word) {
  return (to_double(word >> 12) + 0.5) * 0x1p-52;
}

// The words at one address, block after block: a UniformRandomBitGenerator for samplers
// that take more draws than a block holds (Boost.Random's distributions among them).
class RandomStream {
 public:
  using result_type = std::uint64_t;

  // Starts at block `address.block`.
  RandomStream(const RandomKey& key, const RandomAddress& address)
      : key_{key}, address_{address} {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return UINT64_MAX; }

  result_type operator()() {
    if (used_ == words_.size()) {
      words_ = random_block(key_, address_);
      ++address_.block;
      used_ = 0;
    }
    return words_[used_++];
  }

  // Strictly between 0 and 1.
  double unit() { return to_unit((*this)()); }

 private:
  RandomKey key_;
  RandomAddress address_;
  RandomBlock words_{};
  std::size_t used_ = 4;
};

}  // namespace basin
