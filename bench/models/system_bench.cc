// The whole system, per message sent or per customer: the rates that decide how large a
// phase map one can ask for.
#include <chrono>

#include <benchmark/benchmark.h>

#include "models/system.h"

namespace basin {
namespace {

using std::chrono::seconds;

// One message in one out, no timers: customers through an M/M/c queue at utilization 0.9
// (0.8 for one server).
void queue_of_servers(benchmark::State& state) {
  const int servers = static_cast<int>(state.range(0));
  const double utilization = servers == 1 ? 0.8 : 0.9;
  SystemConfig config;
  config.arrivals = PoissonArrivals{utilization * servers};
  config.consumers.groups = {{.name = "", .count = servers, .service = Exponential{1}}};
  config.horizon = from_seconds(100'000 / (utilization * servers));
  config.sample_interval = config.horizon / 100;
  config.outcome_interval = config.horizon / 100;
  std::int64_t customers = 0;
  for (auto _ : state) {
    customers += simulate(config, {.seed = 1}).counts.sent;
  }
  state.counters["customers/s"] =
      benchmark::Counter(static_cast<double>(customers), benchmark::Counter::kIsRate);
}
BENCHMARK(queue_of_servers)->Arg(1)->Arg(25)->Arg(2500)->Unit(benchmark::kMillisecond);

// 10,000/s on 32 consumers of 400/s, leases and producers' timers of 30 s, a trajectory
// of a sample a second, an outage of 2 s.
SystemConfig fleet(int max_attempts) {
  SystemConfig config;
  config.arrivals = PoissonArrivals{10'000};
  config.producer.timeout = seconds{30};
  config.producer.max_attempts = max_attempts;
  config.queue.visibility_timeout = seconds{30};
  config.consumers.groups = {
      {.name = "", .count = 32, .service = Exponential{1.0 / 400}}};
  config.success_within = seconds{30};
  config.horizon = seconds{60};
  config.sample_interval = seconds{1};
  return config;
}

void count_messages(benchmark::State& state, const SystemConfig& config) {
  std::int64_t messages = 0;
  for (auto _ : state) {
    messages += simulate(config, {.seed = 1}).counts.sent;
  }
  state.counters["messages/s"] =
      benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

void leases_and_timers(benchmark::State& state) {
  SystemConfig config = fleet(4);
  config.incidents.push_back({.name = "outage",
                              .start = seconds{10},
                              .duration = Deterministic{2},
                              .effect = ConsumerOutage{}});
  count_messages(state, config);
}
BENCHMARK(leases_and_timers)->Unit(benchmark::kMillisecond);

// Behind a backlog of a million messages that nobody waits for: every request times out
// and is tried again, up to four times.
void collapse(benchmark::State& state) {
  SystemConfig config = fleet(4);
  config.horizon = seconds{180};
  config.incidents.push_back({.name = "backlog", .effect = Backlog{1'000'000}});
  count_messages(state, config);
}
BENCHMARK(collapse)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace basin
