// A point in continuous time, for sums of many real gaps.
//
// Rounding each gap to a nanosecond would bias a fast process, and a double count of
// seconds loses digits as it grows. Here the whole nanoseconds are an integer and only
// the rest of the last one is a double, so that sums do not drift however long they get.
#pragma once

#include <cmath>
#include <cstdint>

#include "engine/time.h"

namespace basin {

class ContinuousTime {
 public:
  ContinuousTime() = default;
  explicit ContinuousTime(SimTime time) : whole_{time.time_since_epoch().count()} {}

  // `seconds` >= 0 after `origin`; long double, since products of a count and a period
  // outgrow a double's digits.
  static ContinuousTime after(SimTime origin, long double seconds) {
    ContinuousTime time{origin};
    const long double nanoseconds = seconds * 1e9L;
    if (!(nanoseconds < static_cast<long double>(longest_duration.count()))) {
      return end();
    }
    const auto whole = static_cast<std::int64_t>(nanoseconds);
    time.move(whole, static_cast<double>(nanoseconds - static_cast<long double>(whole)));
    return time;
  }

  // Past every horizon: at longest_duration.
  static ContinuousTime end() { return ContinuousTime{SimTime{longest_duration}}; }
  bool is_end() const { return whole_ >= longest_duration.count(); }

  // Moves on by `seconds` >= 0, at most to the end.
  void advance(double seconds) {
    const double nanoseconds = seconds * 1e9;
    if (!(nanoseconds < static_cast<double>(longest_duration.count()))) {
      *this = end();
      return;
    }
    const auto whole = static_cast<std::int64_t>(nanoseconds);
    move(whole, nanoseconds - static_cast<double>(whole));
  }

  // Seconds from here to `later`.
  double seconds_until(const ContinuousTime& later) const {
    return (static_cast<double>(later.whole_ - whole_) + (later.fraction_ - fraction_)) *
           1e-9;
  }

  // The nearest nanosecond; `never` at the end.
  SimTime nearest() const {
    // No branch on the fraction, which is as random as a coin.
    const auto round_up = static_cast<std::int64_t>(2 * fraction_);
    return is_end() ? never : SimTime{Duration{whole_ + round_up}};
  }

 private:
  // `fraction` in [0, 1).
  void move(std::int64_t whole, double fraction) {
    const double sum = fraction_ + fraction;
    const auto carry = static_cast<std::int64_t>(sum);
    whole_ += whole + carry;
    fraction_ = sum - static_cast<double>(carry);
    if (is_end()) {
      *this = end();
    }
  }

  std::int64_t whole_ = 0;  // nanoseconds since the start of the run
  double fraction_ = 0;     // of a nanosecond, in [0, 1)
};

}  // namespace basin
