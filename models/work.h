// How much work a message is, in time at speed 1. Work has an address instead of being
// stored: a function of (request, attempt), of the request, or of the delivery.
#pragma once

#include <cstdint>
#include <variant>

#include "engine/log.h"
#include "engine/random.h"
#include "engine/time.h"
#include "models/distribution.h"
#include "models/random_purpose.h"
#include "models/system_config.h"

namespace basin {

class WorkSampler {
 public:
  WorkSampler(WorkBelongsTo belongs_to, const RandomKey& key)
      : belongs_to_{belongs_to}, key_{key} {}

  Duration work(const Distribution& service,
                RequestKey request,
                std::uint32_t attempt,
                std::uint16_t receipt) const {
    if (belongs_to_ == WorkBelongsTo::per_request) {
      attempt = 1;
    }
    RandomAddress own = address_of(Purpose::attempt, request, attempt);
    std::size_t word = work_word;
    RandomAddress more = address_of(Purpose::work, request, attempt);
    if (belongs_to_ == WorkBelongsTo::per_delivery) {
      own = address_of(Purpose::delivery, request, attempt);
      own.block = static_cast<std::uint32_t>(receipt) << 16;
      word = 0;
      more = own;
      more.block += 1;
    }
    if (const auto* fixed = std::get_if<Deterministic>(&service)) {
      return from_seconds(fixed->mean);
    }
    const std::uint64_t uniform = random_block(key_, own)[word];
    if (const auto* exponential = std::get_if<Exponential>(&service)) {
      return from_seconds(exponential->mean * unit_exponential(uniform));
    }
    return from_seconds(sample(service, uniform, RandomStream{key_, more}));
  }

 private:
  WorkBelongsTo belongs_to_;
  RandomKey key_;
};

}  // namespace basin
