// The arrival processes that replay a record: each makes one instant after another by
// next(), `never` at the end and from then on. ArrivalStream chooses among them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/contract.h"
#include "engine/log.h"
#include "engine/portable_math.h"
#include "engine/time.h"
#include "models/arrival_source.h"
#include "models/arrivals.h"
#include "models/continuous_time.h"

namespace basin {

class TraceProcess {
 public:
  TraceProcess(const TraceArrivals& arrivals, const ArrivalSource& source)
      : arrivals_{&arrivals}, source_{source} {
    BASIN_EXPECT(arrivals.times != nullptr);
    BASIN_EXPECT(arrivals.rate_scale >= 0 && arrivals.time_scale > 0);
    BASIN_EXPECT(std::is_sorted(arrivals.times->begin(), arrivals.times->end()));
    BASIN_EXPECT(arrivals.times->empty() || (arrivals.times->front() >= 0 &&
                                             arrivals.times->back() <= arrivals.length));
    BASIN_EXPECT(!arrivals.loop || arrivals.length > 0);
  }
  SimTime next() {
    const std::vector<double>& times = *arrivals_->times;
    if (times.empty() || arrivals_->rate_scale <= 0) {
      return never;
    }
    guard_.restart();
    while (copies_ == 0) {
      if (!arrivals_->loop && record_ >= times.size()) {
        return never;
      }
      const std::uint64_t record = record_++;
      copies_ = resolve_by_coin(arrivals_->rate_scale, [&] {
        return source_.block(Purpose::arrival_modulation, record)[0];
      });
      const std::uint64_t cycle = record / times.size();
      instant_ =
          ContinuousTime::after(source_.start,
                                (static_cast<long double>(cycle) * arrivals_->length +
                                 times[record % times.size()]) *
                                    arrivals_->time_scale);
      guard_.step(1, no_request);
    }
    --copies_;
    return instant_.nearest();
  }

 private:
  const TraceArrivals* arrivals_;
  ArrivalSource source_;
  std::uint64_t record_ = 0;  // counts on over the loops
  std::uint64_t copies_ = 0;  // still to come of the last record
  ContinuousTime instant_;
  ProgressGuard guard_{most_without_request};
};

// The order statistics of uniform instants, one after another: the j-th of the m that are
// left, in the scale -log(1 - x), is an exponential with mean 1/m further on (Renyi, "On
// the theory of order statistics", 1953).
class CountTraceProcess {
 public:
  CountTraceProcess(const CountTraceArrivals& arrivals, const ArrivalSource& source)
      : arrivals_{&arrivals}, source_{source} {
    BASIN_EXPECT(arrivals.counts != nullptr);
    BASIN_EXPECT(arrivals.rate_scale >= 0 && arrivals.time_scale > 0 &&
                 arrivals.interval > 0);
    double sum = 0;
    for (const double count : *arrivals.counts) {
      BASIN_EXPECT(count >= 0);
      sum += count;
    }
    some_ = sum * arrivals.rate_scale > 0;
  }
  SimTime next() {
    if (!some_) {
      return never;
    }
    guard_.restart();
    const std::vector<double>& counts = *arrivals_->counts;
    while (left_ == 0) {
      if (!arrivals_->loop && interval_ >= counts.size()) {
        return never;
      }
      const std::uint64_t interval = interval_++;
      left_ = resolve_by_coin(
          counts[interval % counts.size()] * arrivals_->rate_scale,
          [&] { return source_.block(Purpose::arrival_modulation, interval)[0]; });
      position_ = 0;
      guard_.step(1, no_request);
    }
    const RandomBlock block = source_.first_attempt(place_++);
    work_ = block[work_word];
    position_ += unit_exponential(block[gap_word]) / static_cast<double>(left_--);
    const long double intervals = static_cast<long double>(interval_ - 1) -
                                  portable::expm1(-static_cast<long double>(position_));
    const long double length =
        static_cast<long double>(arrivals_->interval) * arrivals_->time_scale;
    return ContinuousTime::after(source_.start, intervals * length).nearest();
  }
  std::uint64_t work() const { return work_; }

 private:
  const CountTraceArrivals* arrivals_;
  ArrivalSource source_;
  bool some_ = false;
  std::uint64_t interval_ = 0;  // counts on over the loops
  std::uint64_t left_ = 0;
  double position_ = 0;  // -log(1 - x), x the last instant in its interval
  std::uint64_t place_ = 0;
  std::uint64_t work_ = 0;
  ProgressGuard guard_{most_without_request};
};

}  // namespace basin
