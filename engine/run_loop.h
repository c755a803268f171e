// The main loop: take the next event, move the clock, dispatch, repeat.
#pragma once

#include <cstddef>

#include "engine/agenda.h"
#include "engine/time.h"

namespace basin {

// Handles the earliest event, handle(time, source), for as long as go_on(time) of the
// next one holds; an agenda without events has its next one at `never`. Before it
// returns, `handle` sets the next instant of its source; what it schedules at its own
// instant still happens at that instant.
template <class Agenda, class GoOn, class Handle>
void run_while(const Agenda& agenda, GoOn&& go_on, Handle&& handle) {
  for (;;) {
    const auto next = agenda.earliest();
    if (!go_on(next.time)) {
      return;
    }
    handle(next.time, next.source);
  }
}

// Runs until the next event lies at or after `end`; `now` is left at the last event.
template <class Agenda, class Handle>
void run_until(const Agenda& agenda, SimTime& now, SimTime end, Handle&& handle) {
  run_while(
      agenda,
      [end](SimTime next) { return next < end; },
      [&](SimTime time, std::size_t source) {
        now = time;
        handle(source);
      });
}

}  // namespace basin
