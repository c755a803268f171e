// The base arrivals with the work of each request's first attempt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/random.h"
#include "engine/time.h"
#include "models/arrivals.h"
#include "models/work.h"

namespace basin {

class BaseArrivals {
 public:
  // `arrivals` and `work` must outlive it.
  BaseArrivals(const Arrivals& arrivals, const RandomKey& key, const WorkSampler& work)
      : stream_{arrivals, key, 0, SimTime{}}, sampler_{&work} {
    refill();
  }

  SimTime next() const { return block_[position_].time; }
  // The work of the next request's first attempt, or work_not_known; moves on to the one
  // after it.
  Duration take() {
    const Duration work = work_[position_++];
    if (position_ == block_.size()) {
      refill();
    }
    return work;
  }

 private:
  void refill() {
    place_ += block_.size();
    block_ = stream_.next_block();
    sampler_->at_send(block_, 0, place_, work_);
    position_ = 0;
  }

  ArrivalStream stream_;
  const WorkSampler* sampler_;
  std::span<const Arrival> block_;  // those at hand
  std::array<Duration, ArrivalStream::block_size> work_{};
  std::size_t position_ = 0;
  std::uint64_t place_ = 0;  // of the first at hand
};

}  // namespace basin
