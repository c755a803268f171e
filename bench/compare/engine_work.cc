// Queues written on the engine alone: its agenda, its loop and the structure that suits
// each source of events.
#include <array>
#include <numeric>

#include "bench/compare/basin_work.h"
#include "engine/agenda.h"
#include "engine/log.h"
#include "engine/ring.h"
#include "engine/run_loop.h"
#include "engine/slot_timers.h"
#include "engine/timer_lane.h"

namespace basin {
namespace {

// The customers in the order of their arrival: one block of random words gives a customer
// its gap and its work. A draw depends on its address alone, so they are drawn some at a
// time, where one draw need not wait for another.
class Demand {
 public:
  struct Draws {
    Duration gap;  // since the arrival before
    Duration work;
  };

  Demand(const RandomKey& key, double mean_gap) : key_{key}, mean_gap_{mean_gap} {}

  const Draws& next() {
    if (used_ == ahead_.size()) {
      draw_ahead();
    }
    return ahead_[used_++];
  }

 private:
  void draw_ahead() {
    for (Draws& draws : ahead_) {
      const RandomBlock words = random_block(key_, {.entity = number_++});
      draws = {from_seconds(mean_gap_ * unit_exponential(words[0])),
               from_seconds(unit_exponential(words[1]))};
    }
    used_ = 0;
  }

  RandomKey key_;
  double mean_gap_;
  std::uint64_t number_ = 0;
  std::array<Draws, 64> ahead_;
  std::size_t used_ = 64;
};

struct Customer {
  SimTime arrival;
  Duration work;
};

constexpr double mean_gap = 1.25;  // of A and B: utilization 0.8

Outcome mean_sojourn(std::int64_t customers, Duration total, const Stopwatch& watch) {
  const double elapsed = watch.seconds();
  return {.count = customers,
          .seconds = elapsed,
          .answer = to_seconds(total) / static_cast<double>(customers),
          .also = {}};
}

}  // namespace

Outcome one_server(std::int64_t customers, const RandomKey& key) {
  const Stopwatch watch;
  enum Source : std::size_t { departure, arrival, source_count };
  Agenda<source_count> agenda;
  Ring<Customer> present;  // the first is served
  std::int64_t departed = 0;
  Duration sojourns{0};

  Demand demand{key, mean_gap};
  Demand::Draws next = demand.next();
  agenda.set(arrival, SimTime{next.gap});
  run_while(
      agenda,
      [&](SimTime) { return departed < customers; },
      [&](SimTime now, std::size_t source) {
        if (source == arrival) {
          if (present.empty()) {
            agenda.set(departure, now + next.work);
          }
          present.push_back({now, next.work});
          next = demand.next();
          agenda.set(arrival, now + next.gap);
        } else {
          sojourns += now - present.front().arrival;
          ++departed;
          present.pop_front();
          agenda.set(departure, present.empty() ? never : now + present.front().work);
        }
      });
  return mean_sojourn(customers, sojourns, watch);
}

// The same queue with its two instants in two variables.
Outcome one_server_by_hand(std::int64_t customers, const RandomKey& key) {
  const Stopwatch watch;
  Ring<Customer> present;
  std::int64_t departed = 0;
  Duration sojourns{0};

  Demand demand{key, mean_gap};
  Demand::Draws next = demand.next();
  SimTime arrival{next.gap};
  SimTime departure = never;
  while (departed < customers) {
    if (arrival < departure) {
      if (present.empty()) {
        departure = arrival + next.work;
      }
      present.push_back({arrival, next.work});
      next = demand.next();
      arrival += next.gap;
    } else {
      sojourns += departure - present.front().arrival;
      ++departed;
      present.pop_front();
      departure = present.empty() ? never : departure + present.front().work;
    }
  }
  return mean_sojourn(customers, sojourns, watch);
}

// Each customer's timer runs for `patience` from its arrival; one that fires is counted
// and changes nothing.
Outcome one_server_with_timers(std::int64_t customers, const RandomKey& key) {
  constexpr Duration patience = std::chrono::seconds{30};
  const Stopwatch watch;
  enum Source : std::size_t { departure, timer, arrival, source_count };
  Agenda<source_count> agenda;
  Ring<Customer> present;
  TimerLane<std::int64_t> timers;  // of the customer of that number
  std::int64_t arrived = 0;
  std::int64_t departed = 0;
  std::int64_t fired = 0;
  Duration sojourns{0};

  Demand demand{key, mean_gap};
  Demand::Draws next = demand.next();
  agenda.set(arrival, SimTime{next.gap});
  run_while(
      agenda,
      [&](SimTime) { return departed < customers; },
      [&](SimTime now, std::size_t source) {
        switch (source) {
          case arrival:
            if (present.empty()) {
              agenda.set(departure, now + next.work);
            }
            present.push_back({now, next.work});
            timers.set(now + patience, arrived++);
            agenda.set(timer, timers.next());
            next = demand.next();
            agenda.set(arrival, now + next.gap);
            break;
          case departure:
            sojourns += now - present.front().arrival;
            ++departed;
            present.pop_front();
            agenda.set(departure, present.empty() ? never : now + present.front().work);
            timers.skip_while([&](const auto& t) { return t.payload < departed; });
            agenda.set(timer, timers.next());
            break;
          default:
            timers.pop();
            ++fired;
            agenda.set(timer, timers.next());
        }
      });
  Outcome outcome = mean_sojourn(customers, sojourns, watch);
  outcome.also = {{"fired", static_cast<double>(fired) / static_cast<double>(customers)}};
  return outcome;
}

Outcome many_servers(std::size_t servers, std::int64_t customers, const RandomKey& key) {
  const Stopwatch watch;
  enum Source : std::size_t { departure, arrival, source_count };
  Agenda<source_count> agenda;
  SlotTimers departures{servers};
  std::vector<SimTime> arrivals(servers);  // of who is served
  std::vector<std::size_t> idle(servers);
  std::iota(idle.rbegin(), idle.rend(), std::size_t{0});
  Ring<Customer> waiting;
  std::int64_t departed = 0;
  Duration sojourns{0};

  const auto serve = [&](std::size_t server, const Customer& customer, SimTime now) {
    arrivals[server] = customer.arrival;
    departures.set(server, now + customer.work);
  };
  Demand demand{key, 1 / (0.9 * static_cast<double>(servers))};
  Demand::Draws next = demand.next();
  agenda.set(arrival, SimTime{next.gap});
  run_while(
      agenda,
      [&](SimTime) { return departed < customers; },
      [&](SimTime now, std::size_t source) {
        if (source == arrival) {
          const Customer customer{now, next.work};
          if (idle.empty()) {
            waiting.push_back(customer);
          } else {
            serve(idle.back(), customer, now);
            idle.pop_back();
          }
          next = demand.next();
          agenda.set(arrival, now + next.gap);
        } else {
          const std::size_t server = departures.next_slot();
          sojourns += now - arrivals[server];
          ++departed;
          if (waiting.empty()) {
            departures.set(server, never);
            idle.push_back(server);
          } else {
            serve(server, waiting.front(), now);
            waiting.pop_front();
          }
        }
        agenda.set(departure, departures.next());
      });
  return mean_sojourn(customers, sojourns, watch);
}

}  // namespace basin
