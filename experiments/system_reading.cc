#include "experiments/system_reading.h"

#include <algorithm>
#include <cmath>

#include "experiments/arrivals_reading.h"
#include "experiments/distribution_reading.h"
#include "experiments/units.h"

namespace basin {
namespace {

Backoff read_backoff(const Section& table) {
  Backoff backoff;
  backoff.kind = table.choice<Backoff::Kind>("kind");
  if (backoff.kind == Backoff::Kind::none) {
    return backoff;
  }
  backoff.base = table.duration("base");
  backoff.jitter = table.choice<Backoff::Jitter>("jitter");
  if (backoff.kind == Backoff::Kind::exponential) {
    backoff.factor = table.number("factor");
    backoff.cap = table.optional_duration("cap").value_or(longest_duration);
    if (backoff.cap < backoff.base) {
      table.fail("cap",
                 "is shorter than base (expected at least " +
                     format_duration(backoff.base) + ")");
    }
  } else if (backoff.jitter == Backoff::Jitter::decorrelated) {
    table.fail("jitter",
               "decorrelated belongs to kind exponential, and this is constant");
  }
  return backoff;
}

// Messages that one request can come to: 1 + r + … + r^(N-1).
double most_attempts(const ProducerConfig& producer) {
  double total = 0;
  double generation = 1;
  for (int i = 0; i < producer.max_attempts; ++i) {
    total += generation;
    generation *= producer.retries_per_timeout;
  }
  return total;
}

ConsumerGroup read_group(const Section& consumers,
                         const Section& group,
                         DataFiles& files) {
  if (!group.has("service") && !consumers.has("service")) {
    group.fail("service", "is missing (expected here or as consumers.service)");
  }
  return {.name = std::string(group.has("name") ? group.text("name") : ""),
          .count = static_cast<int>(group.whole("count")),
          .service = read_distribution(
              group.has("service") ? group : consumers, "service", files)};
}

void check_names(const std::vector<const Section*>& entries) {
  std::vector<std::string_view> names;
  for (const Section* entry : entries) {
    if (!entry->has("name")) {
      continue;
    }
    const std::string_view name = entry->text("name");
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      entry->fail("name",
                  "\"" + std::string(name) +
                      "\" is taken by an earlier entry (expected names that differ)");
    }
    names.push_back(name);
  }
}

// Fine enough for the windows of the verdict (30 bins in the shorter of window and hold),
// and at most a million bins.
Duration outcome_interval_of(const Section& objective, Duration horizon) {
  const Duration window =
      std::min(objective.duration("window"), objective.duration("hold"));
  const Duration coarse{(horizon.count() + 999'999) / 1'000'000};
  return std::max({window / 30, coarse, Duration{std::chrono::milliseconds{1}}});
}

void read_simulation(const Section& whole, SystemConfig& system) {
  const Section& simulation = *whole.find_section("simulation");
  system.horizon = simulation.duration("horizon");
  system.warmup = simulation.duration("warmup");
  if (system.warmup >= system.horizon) {
    simulation.fail("warmup",
                    "leaves nothing to measure (expected less than the horizon, " +
                        format_duration(system.horizon) + ")");
  }
  constexpr std::int64_t usual_samples = 600;
  constexpr std::int64_t most_samples = 1'000'000;
  system.sample_interval =
      simulation.optional_duration("sample_interval")
          .value_or(
              Duration{(system.horizon.count() + usual_samples - 1) / usual_samples});
  if (system.horizon / system.sample_interval > most_samples) {
    simulation.fail("sample_interval",
                    "makes more than a million samples (expected a longer one)");
  }
  system.outcome_interval =
      outcome_interval_of(*whole.find_section("objective"), system.horizon);
}

}  // namespace

ProducerConfig read_producer(const Section& producer) {
  ProducerConfig result;
  result.timeout = producer.optional_duration("timeout");
  result.max_attempts = static_cast<int>(producer.whole("max_attempts"));
  result.retries_per_timeout = producer.number("retries_per_timeout");
  result.backoff = read_backoff(*producer.find_section("backoff"));
  result.late_reply = producer.choice<LateReply>("late_reply");
  result.on_reject = producer.choice<OnReject>("on_reject");
  if (!result.timeout && result.max_attempts > 1) {
    producer.fail("max_attempts",
                  "asks for retries without a timeout (a producer that never gives up "
                  "waiting never retries; expected producer.timeout)");
  }
  if (result.on_reject == OnReject::error && result.backoff.kind == Backoff::Kind::none) {
    producer.fail("on_reject",
                  "error needs a backoff (a retry at once meets the same full queue; "
                  "expected producer.backoff)");
  }
  if (result.backoff.jitter == Backoff::Jitter::decorrelated &&
      result.retries_per_timeout > 1) {
    producer.fail(
        "retries_per_timeout",
        "is more than 1 with decorrelated jitter, which goes from one delay of a "
        "request to its next (expected at most 1)");
  }
  if (!(most_attempts(result) <= 1e6)) {
    producer.fail(
        "retries_per_timeout",
        "makes more than a million attempts of one request (1 + r + … + r^(N-1) "
        "with N = max_attempts)");
  }
  return result;
}

QueueConfig read_queue(const Section& queue) {
  QueueConfig result;
  result.order = queue.choice<QueueOrder>("order");
  result.capacity = queue.optional_whole("capacity");
  result.visibility_timeout = queue.optional_duration("visibility_timeout");
  result.receive_batch = static_cast<int>(queue.whole("receive_batch"));
  result.stale_ack = queue.choice<StaleAck>("stale_ack");
  result.redeliver_at = queue.choice<RedeliverAt>("redeliver_at");
  if (const auto receives = queue.optional_whole("max_receives")) {
    result.max_receives = static_cast<int>(*receives);
  }
  result.message_ttl = queue.optional_duration("message_ttl");
  result.work = queue.choice<WorkBelongsTo>("work");
  return result;
}

ConsumersConfig read_consumers(const Section& consumers, DataFiles& files) {
  ConsumersConfig result;
  const auto groups = consumers.list("group");
  check_names(groups);
  for (const Section* group : groups) {
    result.groups.push_back(read_group(consumers, *group, files));
  }
  if (groups.empty()) {
    if (!consumers.has("service")) {
      consumers.fail("service",
                     "is missing (expected a distribution such as { distribution = "
                     "\"exponential\", mean = \"250ms\" })");
    }
    result.groups.push_back(
        {.name = "",
         .count = static_cast<int>(consumers.optional_whole("count").value_or(1)),
         .service = read_distribution(consumers, "service", files)});
  }
  double total = 0;
  for (const ConsumerGroup& group : result.groups) {
    total += group.count;
    if (!std::isfinite(mean_of(group.service))) {
      consumers.fail("service", "has an infinite mean (expected a finite one)");
    }
  }
  if (total > 1e6) {
    consumers.fail("group", "has more than a million consumers together");
  }
  result.processing = consumers.choice<Processing>("processing");
  result.acknowledge = consumers.choice<Acknowledge>("acknowledge");
  result.on_lease_end = consumers.choice<OnLeaseEnd>("on_lease_end");
  result.on_failure = consumers.choice<OnFailure>("on_failure");
  result.heartbeat = consumers.optional_duration("heartbeat");
  return result;
}

std::optional<Objective> read_objective(const Section& whole,
                                        const SystemConfig& system) {
  const Section& objective = *whole.find_section("objective");
  if (!objective.has("latency") && !system.producer.timeout) {
    return std::nullopt;
  }
  return Objective{.goodput = objective.number("goodput"),
                   .window = objective.seconds("window"),
                   .min_requests = objective.whole("min_requests"),
                   .hold = objective.seconds("hold"),
                   .tail = objective.number("tail"),
                   .recovery_time = objective.optional_number("recovery_time")};
}

SystemConfig read_system(const Section& whole, DataFiles& files) {
  SystemConfig system;
  read_simulation(whole, system);
  system.arrivals = read_arrivals(*whole.find_section("arrivals"), files);
  system.producer = read_producer(*whole.find_section("producer"));
  system.queue = read_queue(*whole.find_section("queue"));
  const Section& consumers = *whole.find_section("consumers");
  system.consumers = read_consumers(consumers, files);
  if (system.consumers.heartbeat) {
    if (!system.queue.visibility_timeout) {
      consumers.fail("heartbeat",
                     "has no lease to extend (expected with "
                     "queue.visibility_timeout)");
    }
    if (*system.consumers.heartbeat >= *system.queue.visibility_timeout) {
      consumers.fail("heartbeat",
                     "comes after the lease has ended (expected less than "
                     "queue.visibility_timeout, " +
                         format_duration(*system.queue.visibility_timeout) + ")");
    }
  }
  if (double{1} * total_count(system.consumers) * system.queue.receive_batch > 1e7) {
    whole.find_section("queue")->fail(
        "receive_batch",
        "gives all consumers together more than ten million places (expected less, or "
        "fewer consumers)");
  }
  const Section& objective = *whole.find_section("objective");
  const Setting* latency = objective.find("latency");
  system.success_within = latency == nullptr ? system.producer.timeout
                                             : objective.optional_duration("latency");
  if (const auto judged = read_objective(whole, system)) {
    const double needed =
        std::max(judged->hold, judged->tail * to_seconds(system.horizon));
    if (needed > to_seconds(system.horizon - system.warmup)) {
      objective.fail("hold",
                     "and objective.tail do not fit between simulation.warmup and "
                     "simulation.horizon (" +
                         format_duration(system.horizon - system.warmup) + ")");
    }
  }
  check_names(whole.list("incident"));
  system.incidents = read_incidents(whole, system, files);
  check_names(whole.list("intervention"));
  system.interventions = read_interventions(whole, system);
  return system;
}

}  // namespace basin
