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

#include "engine/time.h"

namespace basin {

template <std::size_t sources>
class Agenda {
 public:
  Agenda() { next_.fill(never); }

  // The next event of `source` is at `time`; `never` when it has none.
  void set(std::size_t source, SimTime time) { next_[source] = time; }
  SimTime time_of(std::size_t source) const { return next_[source]; }

  struct Next {
    SimTime time;
    std::size_t source;
  };
  // The earliest event; among equals the source with the lowest number.
  Next earliest() const {
    Next next{next_[0], 0};
    for (std::size_t source = 1; source < sources; ++source) {
      const bool earlier = next_[source] < next.time;
      next.time = earlier ? next_[source] : next.time;
      next.source = earlier ? source : next.source;
    }
    return next;
  }

 private:
  std::array<SimTime, sources> next_;
};

}  // namespace basin
