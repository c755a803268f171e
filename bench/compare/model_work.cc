// The whole model at work.
#include <algorithm>
#include <chrono>

#include "bench/compare/basin_work.h"
#include "models/system.h"

namespace basin {
namespace {

using std::chrono::seconds;

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

}  // namespace

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

Outcome run_outage(std::int64_t messages, const RandomKey& key) {
  SystemConfig config = fleet(messages, 4);
  add_outage(config);
  return run_fleet(config, key);
}

// Without the outage; a short run is repeated, since its time alone is too short to read.
Outcome run_quiet(std::int64_t messages, const RandomKey& key) {
  constexpr std::int64_t enough = 2'000'000;
  const SystemConfig config = fleet(messages, 4);
  Outcome total = run_fleet(config, key);
  std::uint64_t runs = 1;
  for (; total.count < enough; ++runs) {
    RandomKey next = key;
    next.replication += runs;
    const Outcome outcome = run_fleet(config, next);
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

}  // namespace basin
