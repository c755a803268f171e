// The pending events. Hold model: take the earliest, schedule it again an exponential
// span later, with a fixed number pending (Jones, "An empirical comparison of
// priority-queue and event-set implementations", CACM 29, 1986). Each hold includes the
// draw of its span.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <vector>

#include "bench/measure.h"
#include "engine/agenda.h"
#include "engine/event_heap.h"
#include "engine/ring.h"
#include "engine/slot_timers.h"
#include "engine/sorted_timers.h"
#include "engine/tournament_tree.h"

namespace basin {
namespace {

void exponential_spans(benchmark::State& state) {
  ExponentialSpans span;
  for (auto _ : state) {
    benchmark::DoNotOptimize(span());
  }
  report_each(state, "spans");
}
BENCHMARK(exponential_spans);

// --- Events at arbitrary instants ---

using Payload = std::uint64_t;

// Baselines: what the standard library has, with events of the same size and order.
struct Event {
  SimTime time;
  std::uint64_t sequence;
  Payload payload;
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : sequence > other.sequence;
  }
};

class StandardHeap {
 public:
  void push(SimTime time, Payload payload) { events_.push({time, sequence_++, payload}); }
  Event pop() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t sequence_ = 0;
};

class StandardTree {
 public:
  void push(SimTime time, Payload payload) {
    events_.insert({time, sequence_++, payload});
  }
  Event pop() {
    const Event event = *events_.begin();
    events_.erase(events_.begin());
    return event;
  }

 private:
  struct Earlier {
    bool operator()(const Event& a, const Event& b) const { return b > a; }
  };
  std::multiset<Event, Earlier> events_;
  std::uint64_t sequence_ = 0;
};

template <class Calendar>
void hold(benchmark::State& state) {
  const std::int64_t pending = state.range(0);
  ExponentialSpans span;
  Calendar calendar;
  for (std::int64_t i = 0; i < pending; ++i) {
    calendar.push(SimTime{} + span(), static_cast<Payload>(i));
  }
  const auto hold_once = [&] {
    const auto event = calendar.pop();
    calendar.push(event.time + span(), event.payload);
  };
  // Turned over once: laid out as in a long run, not as it was filled.
  for (std::int64_t i = 0; i < pending; ++i) {
    hold_once();
  }
  for (auto _ : state) {
    hold_once();
  }
  report_each(state, "events");
}
void pending_events(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("pending")->Arg(16)->Arg(4'096);
  if (!brief()) {
    benchmark->Arg(65'536)->Arg(1'048'576);
  }
}
BENCHMARK(hold<EventHeap<Payload>>)->Apply(pending_events);
BENCHMARK(hold<StandardHeap>)->Apply(pending_events);
BENCHMARK(hold<StandardTree>)->Apply(pending_events);

// --- The earliest of a few sources ---

template <std::size_t sources>
void agenda_of_sources(benchmark::State& state) {
  ExponentialSpans span;
  Agenda<sources> agenda;
  for (std::size_t source = 0; source < sources; ++source) {
    agenda.set(source, SimTime{} + span());
  }
  for (auto _ : state) {
    const auto next = agenda.earliest();
    agenda.set(next.source, next.time + span());
    benchmark::DoNotOptimize(agenda);
  }
  report_each(state, "events");
}
BENCHMARK(agenda_of_sources<4>);
BENCHMARK(agenda_of_sources<11>);
BENCHMARK(agenda_of_sources<32>);

// --- One timer for each of many slots ---

void few_slots(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("slots");
  for (const int slots : {1, 8, 25, 32, 64, 128, 256}) {
    benchmark->Arg(slots);
  }
}
void slots(benchmark::internal::Benchmark* benchmark) {
  few_slots(benchmark);
  benchmark->Arg(2'500)->Arg(65'536);
}

template <class Timers>
void hold_slots(benchmark::State& state) {
  const auto slots = static_cast<std::size_t>(state.range(0));
  ExponentialSpans span;
  Timers timers{slots};
  for (std::size_t slot = 0; slot < slots; ++slot) {
    timers.set(slot, SimTime{} + span());
  }
  for (auto _ : state) {
    timers.set(timers.next_slot(), timers.next() + span());
  }
  report_each(state, "timers");
}
BENCHMARK(hold_slots<SortedTimers>)->Apply(few_slots);
BENCHMARK(hold_slots<TournamentTree>)->Apply(slots);
BENCHMARK(hold_slots<SlotTimers>)->Apply(slots);

// The completions of an M/M/c queue at a utilization of 0.9: slots are servers, the one
// idle the longest serves first, and an idle server's timer is cancelled.
template <class Timers>
void completions_of_servers(benchmark::State& state) {
  const auto servers = static_cast<std::size_t>(state.range(0));
  ExponentialSpans span;
  Timers completions{servers};
  Ring<std::size_t> idle;
  for (std::size_t server = 0; server < servers; ++server) {
    idle.push_back(server);
  }
  const auto gap = [&, rate = 0.9 * static_cast<double>(servers)] {
    return Duration{
        static_cast<std::int64_t>(static_cast<double>(span().count()) / rate)};
  };
  SimTime arrival = SimTime{} + gap();
  std::int64_t waiting = 0;
  const auto step = [&] {
    if (completions.next() <= arrival) {
      const std::size_t server = completions.next_slot();
      if (waiting > 0) {
        --waiting;
        completions.set(server, completions.next() + span());
      } else {
        completions.set(server, never);
        idle.push_back(server);
      }
    } else {
      if (idle.empty()) {
        ++waiting;
      } else {
        completions.set(idle.front(), arrival + span());
        idle.pop_front();
      }
      arrival += gap();
    }
  };
  for (std::size_t i = 0; i < 8 * servers; ++i) {
    step();  // until about as many servers are busy as in a long run
  }
  for (auto _ : state) {
    step();
  }
  report_each(state, "events");
}
BENCHMARK(completions_of_servers<SortedTimers>)->Apply(few_slots);
BENCHMARK(completions_of_servers<TournamentTree>)->Apply(slots);
BENCHMARK(completions_of_servers<SlotTimers>)->Apply(slots);

}  // namespace
}  // namespace basin
