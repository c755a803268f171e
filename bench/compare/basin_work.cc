// Basin's side of the comparison: compare_basin WORKLOAD N SEED does one piece of work
// and prints one line of JSON, as every other program of the comparison does.
//
//   A        M/M/1 at utilization 0.8, on the engine alone
//   A_floor  the same by hand, with no pending events: what the engine's loop costs
//   A_model  the same through the whole model
//   B        A with a timer for each customer, cancelled when its service ends
//   C25, C2500  M/M/c at utilization 0.9, on the engine alone
//   C25_model, C2500_model  the same through the whole model
//   D        leases, producers' timers, retries, an outage, a sample a second
//   growth   D without the outage
//   E1, E4   D behind a backlog of five sixths of N, with one and four attempts
//   storm    a short D whose timers and leases end: answers to compare, not speed
//
// N counts customers, or the horizon times the arrival rate. Times are in seconds; the
// mean service of A, B and C is 1.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/agenda.h"
#include "engine/log.h"
#include "engine/random.h"
#include "engine/ring.h"
#include "engine/run_loop.h"
#include "engine/timer_lane.h"
#include "engine/tournament_tree.h"
#include "models/system.h"

namespace basin {
namespace {

using std::chrono::seconds;

struct Outcome {
  std::int64_t count = 0;
  double seconds = 0;  // wall time of the run alone
  double answer = 0;
  std::vector<std::pair<std::string, double>> also;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// --- Customers and servers on the engine
// ------------------------------------------------------------------

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
  constexpr Duration patience = seconds{30};
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
  TournamentTree departures{servers};
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

// --- The model
// ----------------------------------------------------------------------------

// M/M/c, nobody waits for an answer.
SystemConfig servers(int count, double utilization, std::int64_t customers) {
  SystemConfig config;
  const double rate = utilization * count;
  config.arrivals = PoissonArrivals{rate};
  config.consumers.groups = {{.name = "", .count = count, .service = Exponential{1}}};
  config.horizon = from_seconds(static_cast<double>(customers) / rate);
  config.sample_interval = config.horizon / 100;
  config.outcome_interval = config.horizon / 100;
  return config;
}

Outcome run_servers(int count,
                    double utilization,
                    std::int64_t customers,
                    const RandomKey& key) {
  SystemConfig config = servers(count, utilization, customers);
  // An empty system fills within some services; what it did until then is not counted.
  config.warmup = config.horizon / 10;
  const Stopwatch watch;
  const RunResult result = simulate(config, key);
  const double elapsed = watch.seconds();
  return {.count = result.counts.sent,
          .seconds = elapsed,
          .answer = result.metrics.mean_latency,
          .also = {{"wait", result.metrics.mean_wait},
                   {"busy", result.metrics.mean_in_flight}}};
}

constexpr double message_rate = 10'000;

// 32 consumers of 400/s, leases and producers' timers of 30 s, a sample a second.
SystemConfig fleet(std::int64_t messages, int max_attempts) {
  SystemConfig config;
  config.arrivals = PoissonArrivals{message_rate};
  config.producer.timeout = seconds{30};
  config.producer.max_attempts = max_attempts;
  config.queue.visibility_timeout = seconds{30};
  config.consumers.groups = {
      {.name = "", .count = 32, .service = Exponential{1.0 / 400}}};
  config.success_within = seconds{30};
  config.horizon = from_seconds(static_cast<double>(messages) / message_rate);
  config.sample_interval = seconds{1};
  return config;
}

// All consumers freeze for 5 s, at 100 s or, in a short run, after a quarter of it.
void add_outage(SystemConfig& config) {
  config.incidents.push_back(
      {.name = "outage",
       .start = std::min<Duration>(seconds{100}, config.horizon / 4),
       .duration = Deterministic{5},
       .effect = ConsumerOutage{}});
}

Outcome run_fleet(const SystemConfig& config, const RandomKey& key) {
  RunLimits limits;
  limits.memory_bytes = std::int64_t{64} << 30;
  const Stopwatch watch;
  const RunResult result = simulate(config, key, limits);
  const double elapsed = watch.seconds();
  const Metrics& metrics = result.metrics;
  return {.count = result.counts.sent,
          .seconds = elapsed,
          .answer = metrics.goodput,
          .also = {{"goodput ratio", metrics.goodput_ratio},
                   {"peak depth", metrics.peak_depth},
                   {"mean depth", metrics.mean_depth},
                   {"completions", static_cast<double>(result.counts.completions)},
                   {"redeliveries", static_cast<double>(result.counts.redeliveries)}}};
}

Outcome run_outage(std::int64_t messages, const RandomKey& key) {
  SystemConfig config = fleet(messages, 4);
  add_outage(config);
  return run_fleet(config, key);
}

// Without the outage; a short run is repeated, since its time alone is too short to read.
Outcome run_quiet(std::int64_t messages, RandomKey key) {
  constexpr std::int64_t enough = 2'000'000;
  const SystemConfig config = fleet(messages, 4);
  Outcome total = run_fleet(config, key);
  std::int64_t runs = 1;
  for (; total.count < enough && messages < enough; ++runs) {
    ++key.replication;
    const Outcome outcome = run_fleet(config, key);
    total.count += outcome.count;
    total.seconds += outcome.seconds;
    total.answer += outcome.answer;
    for (std::size_t i = 0; i < total.also.size(); ++i) {
      total.also[i].second += outcome.also[i].second;
    }
  }
  total.answer /= static_cast<double>(runs);
  for (auto& [name, value] : total.also) {
    value /= static_cast<double>(runs);
  }
  return total;
}

Outcome run_backlog(std::int64_t messages, int max_attempts, const RandomKey& key) {
  SystemConfig config = fleet(messages, max_attempts);
  add_outage(config);
  config.incidents.push_back({.name = "backlog", .effect = Backlog{messages / 6 * 5}});
  return run_fleet(config, key);
}

// D with timers of 3 s and leases of 2 s, which the outage of 5 s outlasts.
Outcome run_storm(std::int64_t messages, const RandomKey& key) {
  SystemConfig config = fleet(messages, 4);
  config.producer.timeout = seconds{3};
  config.queue.visibility_timeout = seconds{2};
  config.success_within = seconds{12};
  add_outage(config);
  return run_fleet(config, key);
}

// --- The program
// --------------------------------------------------------------------------

Outcome run(std::string_view workload, std::int64_t n, const RandomKey& key) {
  if (workload == "A") {
    return one_server(n, key);
  }
  if (workload == "A_floor") {
    return one_server_by_hand(n, key);
  }
  if (workload == "A_model") {
    return run_servers(1, 0.8, n, key);
  }
  if (workload == "B") {
    return one_server_with_timers(n, key);
  }
  if (workload == "C25") {
    return many_servers(25, n, key);
  }
  if (workload == "C2500") {
    return many_servers(2500, n, key);
  }
  if (workload == "C25_model") {
    return run_servers(25, 0.9, n, key);
  }
  if (workload == "C2500_model") {
    return run_servers(2500, 0.9, n, key);
  }
  if (workload == "D") {
    return run_outage(n, key);
  }
  if (workload == "growth") {
    return run_quiet(n, key);
  }
  if (workload == "E1") {
    return run_backlog(n, 1, key);
  }
  if (workload == "E4") {
    return run_backlog(n, 4, key);
  }
  if (workload == "storm") {
    return run_storm(n, key);
  }
  std::fprintf(stderr, "no workload %s\n", std::string{workload}.c_str());
  std::exit(2);
}

void print(const Outcome& outcome) {
  std::printf(
      R"({"name": "Basin", "count": %lld, "seconds": %.9f, "answer": %.17g, "also": {)",
      static_cast<long long>(outcome.count),
      outcome.seconds,
      outcome.answer);
  const char* separator = "";
  for (const auto& [name, value] : outcome.also) {
    std::printf(R"(%s"%s": %.17g)", separator, name.c_str(), value);
    separator = ", ";
  }
  std::puts("}}");
}

}  // namespace
}  // namespace basin

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: compare_basin WORKLOAD N SEED\n", stderr);
    return 2;
  }
  basin::print(basin::run(argv[1],
                          std::strtoll(argv[2], nullptr, 10),
                          {.seed = std::strtoull(argv[3], nullptr, 10)}));
}
