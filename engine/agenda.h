// The pending events of a simulation, kept as a few sources.
//
// A simulation here has a handful of sources of events (the next arrival, the earliest
// completion, the oldest timer, …), each of which keeps its own events in order by the
// structure that suits it: a single instant, a TimerLane, an EventHeap, a TournamentTree.
// The agenda knows only the next instant of each. Sources are numbered in the order in
// which they go at one instant, so the order of all events is total: by time, then by
// source, then as the source orders its own.
//
// An M/M/1 queue, complete:
//
//   enum Source : std::size_t { departure, arrival, source_count };
//   Agenda<source_count> agenda;
//   Level in_system;
//   RandomStream gaps{key, {.purpose = 0}}, works{key, {.purpose = 1}};
//   const auto draw = [](RandomStream& s, double mean) {
//     return from_seconds(mean * unit_exponential(s()));
//   };
//   SimTime now{};
//   agenda.set(arrival, now + draw(gaps, 1.25));
//   run_until(agenda, now, SimTime{std::chrono::hours{24}}, [&](std::size_t source) {
//     if (source == arrival) {
//       agenda.set(arrival, now + draw(gaps, 1.25));
//       in_system.add(1, now);
//       if (in_system.value() == 1) {
//         agenda.set(departure, now + draw(works, 1.0));
//       }
//     } else {
//       in_system.add(-1, now);
//       agenda.set(departure, in_system.value() > 0 ? now + draw(works, 1.0) : never);
//     }
//   });
//   // in_system.mean(SimTime{}, now) is near rho / (1 - rho) = 4
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/time.h"

namespace basin {

// `frequent` has bit s set for each source s that nearly every event
// sets. The others are looked at together, through the earliest of them, which is found
// anew when one of them is set.
template <std::size_t sources, std::uint64_t frequent = ~std::uint64_t{0}>
class Agenda {
  static_assert(sources <= 64);

 public:
  Agenda() { next_.fill(never); }

  // The next event of `source` is at `time`; `never` when it has none.
  void set(std::size_t source, SimTime time) {
    next_[source] = time;
    if (!is_frequent(source)) {
      find_rare();
    }
  }
  SimTime time_of(std::size_t source) const { return next_[source]; }

  struct Next {
    SimTime time;
    std::size_t source;
  };
  // The earliest event; among equals the source with the lowest number. `never`, of no
  // source, when there is none.
  Next earliest() const {
    Next next{never, sources};
    for (std::size_t source = 0; source < sources; ++source) {
      if (is_frequent(source)) {
        take_if(next_[source] < next.time, next, {next_[source], source});
      }
    }
    if constexpr (has_rare) {
      // Times are whole: with a nanosecond less, a lower source wins a tie as well.
      const Duration head_start{rare_.source < next.source ? 1 : 0};
      take_if(rare_.time - head_start < next.time, next, rare_);
    }
    return next;
  }

 private:
  static constexpr std::uint64_t all =
      (sources < 64 ? std::uint64_t{1} << sources : 0) - 1;
  static constexpr bool has_rare = (frequent & all) != all;
  static constexpr bool is_frequent(std::size_t source) {
    return (frequent >> source & 1) != 0;
  }
  static void take_if(bool earlier, Next& next, const Next& other) {
    next.time = earlier ? other.time : next.time;
    next.source = earlier ? other.source : next.source;
  }
  void find_rare() {
    rare_ = {never, sources};
    for (std::size_t source = 0; source < sources; ++source) {
      if (!is_frequent(source)) {
        take_if(next_[source] < rare_.time, rare_, {next_[source], source});
      }
    }
  }

  std::array<SimTime, sources> next_;
  Next rare_{never, sources};  // the earliest of those that are not frequent
};

}  // namespace basin
