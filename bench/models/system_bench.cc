// A message's whole way through the system: the rates that decide how large a phase map
// one can ask for.
#include <chrono>
#include <cstdint>
#include <string>

#include "bench/measure.h"
#include "models/system.h"

namespace basin {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void run(benchmark::State& state, const SystemConfig& config) {
  std::int64_t messages = 0;
  for (auto _ : state) {
    messages += simulate(config, {.seed = 1}).counts.sent;
  }
  state.SetLabel(std::to_string(messages / state.iterations()) + " messages");
  report_rate(state, "messages", static_cast<double>(messages));
}

// --- One message in, one out, no timers: an M/M/c queue ---

// At a utilization of 0.9 (0.8 for one server); a million customers.
void queue_of_servers(benchmark::State& state) {
  const int servers = static_cast<int>(state.range(0));
  const double rate = servers == 1 ? 0.8 : 0.9 * servers;
  const double customers = static_cast<double>(sized(1'000'000, 10'000));
  SystemConfig config;
  config.arrivals = PoissonArrivals{rate};
  config.consumers.groups = {{.name = "", .count = servers, .service = Exponential{1}}};
  config.horizon = from_seconds(customers / rate);
  config.sample_interval = config.horizon / 100;
  config.outcome_interval = config.horizon / 100;
  run(state, config);
}
BENCHMARK(queue_of_servers)
    ->ArgName("servers")
    ->Arg(1)
    ->Arg(25)
    ->Arg(2500)
    ->Unit(benchmark::kMillisecond);

// --- A fleet with timers ---

// 10,000/s on 32 consumers of 400/s for 100 s, a million messages: leases and producers'
// timers of 30 s, three retries, a sample of the trajectory a second, an outage of 2 s.
SystemConfig fleet() {
  const Duration second = milliseconds{sized(1'000, 10)};
  SystemConfig config;
  config.arrivals = PoissonArrivals{10'000};
  config.producer.timeout = seconds{30};
  config.producer.max_attempts = 4;
  config.queue.visibility_timeout = seconds{30};
  config.consumers.groups = {
      {.name = "", .count = 32, .service = Exponential{1.0 / 400}}};
  config.incidents.push_back({.name = "outage",
                              .start = 10 * second,
                              .duration = Deterministic{to_seconds(2 * second)},
                              .effect = ConsumerOutage{}});
  config.success_within = seconds{30};
  config.horizon = 100 * second;
  config.sample_interval = second;
  config.outcome_interval = second;
  return config;
}

void no_leases(SystemConfig& config) {
  config.queue.visibility_timeout.reset();
}
void no_producer_timer(SystemConfig& config) {
  config.producer = {};
}
void no_retries(SystemConfig& config) {
  config.producer.max_attempts = 1;
}
void no_incident(SystemConfig& config) {
  config.incidents.clear();
}
void backoff_with_jitter(SystemConfig& config) {
  config.producer.backoff = {.kind = Backoff::Kind::exponential,
                             .base = seconds{1},
                             .cap = seconds{20},
                             .jitter = Backoff::Jitter::full};
}
void batches_of_10(SystemConfig& config) {
  config.queue.receive_batch = 10;
}
void heartbeat_of_10s(SystemConfig& config) {
  config.consumers.heartbeat = seconds{10};
}
void lifo(SystemConfig& config) {
  config.queue.order = QueueOrder::lifo;
}

// Each changes one thing of the fleet.
template <auto... change>
void fleet_with(benchmark::State& state) {
  SystemConfig config = fleet();
  (change(config), ...);
  run(state, config);
}
BENCHMARK(fleet_with<>)->Name("fleet")->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<no_leases>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<no_producer_timer>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<no_retries>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<no_incident>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<no_leases, no_producer_timer, no_incident>)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<backoff_with_jitter>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<batches_of_10>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<heartbeat_of_10s>)->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_with<lifo>)->Unit(benchmark::kMillisecond);

// --- Behind a deep backlog ---

// Ten million messages that nobody waits for: every request of the 180 s times out, and
// is sent again where there are retries.
template <auto... change>
void backlog(benchmark::State& state) {
  SystemConfig config = fleet();
  config.horizon = milliseconds{sized(180'000, 100)};
  config.incidents = {{.name = "backlog", .effect = Backlog{sized(10'000'000, 1'000)}}};
  (change(config), ...);
  run(state, config);
}
BENCHMARK(backlog<no_retries>)->Unit(benchmark::kMillisecond);
BENCHMARK(backlog<>)->Name("backlog<collapse>")->Unit(benchmark::kMillisecond);
BENCHMARK(backlog<backoff_with_jitter>)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace basin
