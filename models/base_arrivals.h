// The base arrivals with the work of each request's first attempt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/random.h"
#include "engine/time.h"
#include "models/arrivals.h"
#include "models/random_purpose.h"
#include "models/work.h"

namespace basin {

class BaseArrivals {
 public:
  // `arrivals` and `work` must outlive it.
  BaseArrivals(const Arrivals& arrivals, const RandomKey& key, const WorkSampler& work)
      : stream_{arrivals, key, 0, SimTime{}}, work_{&work} {
    refill();
  }

  SimTime next() const { return coming_[position_].time; }
  // The work of the next request's first attempt, or work_not_known; moves on to the one
  // after it.
  Duration take() {
    const Duration work = coming_[position_++].work;
    if (position_ == coming_.size()) {
      refill();
    }
    return work;
  }

 private:
  struct Coming {
    SimTime time;
    Duration work;
  };

  // Many at once: logarithms that do not wait for each other.
  void refill() {
    for (Coming& coming : coming_) {
      const Arrival arrival = stream_.next();
      coming.time = arrival.time;
      if (arrival.time != never) {
        coming.work = work_->at_send(arrival.work, RequestKey::of(0, place_++));
      }
    }
    position_ = 0;
  }

  ArrivalStream stream_;
  const WorkSampler* work_;
  std::array<Coming, 64> coming_{};
  std::size_t position_ = 0;
  std::uint64_t place_ = 0;
};

}  // namespace basin
