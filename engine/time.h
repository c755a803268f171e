// Simulated time: a count of nanoseconds since the start of the run.
//
// A point (SimTime) and a span (Duration) are different types, so that adding two points
// or scheduling at a span does not compile. Doubles appear only at the edges: sampling
// rounds to the nearest nanosecond, reporting converts to seconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace basin {

using Duration = std::chrono::duration<std::int64_t, std::nano>;

// The clock of a run. It has no now(): the current time belongs to the engine.
struct SimClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<SimClock>;
  static constexpr bool is_steady = true;
};

using SimTime = SimClock::time_point;

// The instant at which nothing is scheduled; later than every event.
inline constexpr SimTime never = SimTime::max();

// The longest span a run may ask for, about 146 years: two of them still add up without
// overflow.
inline constexpr Duration longest_duration{INT64_MAX / 2};

// Nearest whole nanosecond to `seconds`, ties away from zero; spans beyond
// longest_duration are cut to it, so that a draw from a heavy tail cannot overflow.
// Inline arithmetic instead of llround, which is a call into libm.
inline Duration from_seconds(double seconds) {
  const double nanoseconds = seconds * 1e9;
  if (!(nanoseconds < static_cast<double>(longest_duration.count()))) {
    return longest_duration;
  }
  const auto whole = static_cast<std::int64_t>(nanoseconds);     // towards zero
  const double part = nanoseconds - static_cast<double>(whole);  // exact
  return Duration{whole + static_cast<std::int64_t>(2 * part)};  // a half decides
}

constexpr double to_seconds(Duration d) {
  return static_cast<double>(d.count()) * 1e-9;
}
constexpr double to_seconds(SimTime t) {
  return to_seconds(t.time_since_epoch());
}

}  // namespace basin
