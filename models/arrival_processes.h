// The arrival processes that follow a law: each makes one instant after another by
// next(), or a block of them by fill(), `never` at the end and from then on. One that
// draws on the block of the request's first attempt has the work word of the latest at
// hand as work(). ArrivalStream chooses among them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "engine/contract.h"
#include "engine/log.h"
#include "engine/portable_math.h"
#include "engine/random.h"
#include "engine/time.h"
#include "models/arrival_paths.h"
#include "models/arrival_source.h"
#include "models/arrivals.h"
#include "models/continuous_time.h"
#include "models/distribution.h"

namespace basin {

class PoissonProcess {
 public:
  PoissonProcess(const PoissonArrivals& arrivals, const ArrivalSource& source)
      : source_{source}, now_{source.start}, mean_gap_{1 / arrivals.rate} {
    BASIN_EXPECT(arrivals.rate >= 0);
  }
  void fill(std::span<Arrival> arrivals) {
    std::array<std::uint64_t, ArrivalStream::block_size> words;
    std::array<double, ArrivalStream::block_size> gaps;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const RandomBlock block = source_.first_attempt(place_++);
      words[i] = block[gap_word];
      arrivals[i].work = block[work_word];
    }
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      gaps[i] = unit_exponential(words[i]);  // alone, so that it is vectorized
    }
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      now_.advance(mean_gap_ * gaps[i]);
      arrivals[i].time = now_.nearest();
    }
  }

 private:
  ArrivalSource source_;
  ContinuousTime now_;
  double mean_gap_;  // seconds; infinite at rate 0
  std::uint64_t place_ = 0;
};

class DeterministicProcess {
 public:
  DeterministicProcess(const DeterministicArrivals& arrivals, const ArrivalSource& source)
      : start_{source.start}, rate_{arrivals.rate} {
    BASIN_EXPECT(arrivals.rate >= 0);
  }
  SimTime next() {
    if (rate_ <= 0) {
      return never;
    }
    ++place_;
    return ContinuousTime::after(start_, static_cast<long double>(place_) / rate_)
        .nearest();
  }

 private:
  SimTime start_;
  double rate_;
  std::uint64_t place_ = 0;
};

// With exponential gaps, the very instants of the Poisson process.
class RenewalProcess {
 public:
  RenewalProcess(const RenewalArrivals& arrivals, const ArrivalSource& source)
      : gap_{&arrivals.gap}, source_{source}, now_{source.start} {
    BASIN_EXPECT(mean_of(arrivals.gap) > 0);
  }
  SimTime next() {
    const std::uint64_t place = place_++;
    const RandomBlock block = source_.first_attempt(place);
    work_ = block[work_word];
    now_.advance(sample(*gap_,
                        block[gap_word],
                        {source_.key, source_.address(Purpose::arrivals, place, 0)}));
    return now_.nearest();
  }
  std::uint64_t work() const { return work_; }

 private:
  const Distribution* gap_;
  ArrivalSource source_;
  ContinuousTime now_;
  std::uint64_t place_ = 0;
  std::uint64_t work_ = 0;
};

class BatchPoissonProcess {
 public:
  BatchPoissonProcess(const BatchPoissonArrivals& arrivals, const ArrivalSource& source)
      : source_{source},
        now_{source.start},
        mean_gap_{arrivals.batch_mean / arrivals.rate},
        constant_size_{static_cast<std::uint64_t>(std::llround(arrivals.batch_mean))} {
    BASIN_EXPECT(arrivals.rate >= 0);
    BASIN_EXPECT(arrivals.batch_mean >= 1 && arrivals.batch_mean < 0x1p40);
    if (arrivals.size == BatchPoissonArrivals::Size::geometric &&
        arrivals.batch_mean > 1) {
      // P(size > n) = (1 - 1/mean)^n.
      mean_log_size_ = -1 / static_cast<double>(portable::log1p(
                                -1 / static_cast<long double>(arrivals.batch_mean)));
    } else {
      BASIN_EXPECT(static_cast<double>(constant_size_) == arrivals.batch_mean);
    }
  }
  SimTime next() {
    if (left_ == 0) {
      const std::uint64_t batch = batch_++;
      now_.advance(mean_gap_ *
                   unit_exponential(source_.block(Purpose::arrivals, batch)[0]));
      left_ = size_of(batch);
    }
    --left_;
    return now_.nearest();
  }

 private:
  std::uint64_t size_of(std::uint64_t batch) const {
    if (mean_log_size_ <= 0) {
      return constant_size_;
    }
    const std::uint64_t word = source_.block(Purpose::arrival_modulation, batch)[0];
    return 1 + static_cast<std::uint64_t>(mean_log_size_ * unit_exponential(word));
  }

  ArrivalSource source_;
  ContinuousTime now_;
  double mean_gap_;  // seconds between batches
  std::uint64_t constant_size_;
  double mean_log_size_ = 0;  // 0: constant size
  std::uint64_t batch_ = 0;
  std::uint64_t left_ = 0;
};

// A Poisson process whose rate follows a path, by inversion of the integrated rate:
// request k comes when the integral has grown by a unit exponential since request k - 1.
template <class Path>
class ModulatedProcess {
 public:
  ModulatedProcess(Path path, const ArrivalSource& source)
      : path_{std::move(path)},
        source_{source},
        begin_{source.start},
        now_{source.start} {
    segment_ = path_.next();
  }

  SimTime next() {
    const RandomBlock block = source_.first_attempt(place_++);
    work_ = block[work_word];
    double need = unit_exponential(block[gap_word]);
    guard_.restart();
    while (!now_.is_end()) {
      const double gap = gap_for(need);
      const double rest = now_.seconds_until(segment_.end);
      if (gap <= rest) {
        now_.advance(gap);
        return now_.nearest();
      }
      need = std::max(need - integral_over(rest), 0.0);
      begin_ = now_ = segment_.end;
      if (!now_.is_end()) {
        segment_ = path_.next();
        guard_.step(1, no_request);
      }
    }
    return never;
  }
  std::uint64_t work() const { return work_; }

 private:
  double rate_now() const {
    return std::max(segment_.rate + segment_.slope * begin_.seconds_until(now_), 0.0);
  }

  double integral_over(double seconds) const {
    return (rate_now() + 0.5 * segment_.slope * seconds) * seconds;
  }

  // Seconds until the integral has grown by `need`, if the segment went on; infinite
  // where it never does. The root of rate*t + slope*t^2/2 = need, in the form without
  // cancellation.
  double gap_for(double need) const {
    if (need <= 0) {
      return 0;
    }
    if (segment_.slope == 0) {
      return need / segment_.rate;
    }
    const double rate = rate_now();
    const double square = rate * rate + 2 * segment_.slope * need;
    return square < 0 ? std::numeric_limits<double>::infinity()
                      : 2 * need / (rate + std::sqrt(square));
  }

  Path path_;
  ArrivalSource source_;
  ContinuousTime begin_;  // of the segment
  ContinuousTime now_;
  RateSegment segment_;
  std::uint64_t place_ = 0;
  std::uint64_t work_ = 0;
  ProgressGuard guard_{most_without_request};
};

// Dassios and Zhao (2013), algorithm 3.1 with constant jumps. The gap is the smaller of
// one from the decaying excess over the base intensity, which may never come, and one
// from the base itself.
class HawkesProcess {
 public:
  HawkesProcess(const HawkesArrivals& arrivals, const ArrivalSource& source)
      : source_{source},
        now_{source.start},
        base_{arrivals.rate * (1 - arrivals.branching)},
        decay_{arrivals.decay},
        jump_{arrivals.branching * arrivals.decay} {
    BASIN_EXPECT(arrivals.rate >= 0 && arrivals.decay > 0);
    BASIN_EXPECT(arrivals.branching >= 0 && arrivals.branching < 1);
  }
  SimTime next() {
    const RandomBlock block = source_.block(Purpose::arrivals, place_++);
    double gap = unit_exponential(block[1]) / base_;
    const double spent = decay_ * unit_exponential(block[0]);
    if (spent < excess_) {
      const long double left =
          portable::log1p(-static_cast<long double>(spent) / excess_);
      gap = std::min(gap, static_cast<double>(-left / decay_));
    }
    excess_ *=
        static_cast<double>(portable::exp(-static_cast<long double>(decay_) * gap));
    excess_ += jump_;
    now_.advance(gap);
    return now_.nearest();
  }

 private:
  ArrivalSource source_;
  ContinuousTime now_;
  double base_;
  double decay_;
  double jump_;
  double excess_ = 0;  // intensity above the base, just after the last request
  std::uint64_t place_ = 0;
};

}  // namespace basin
