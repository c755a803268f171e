#include "tests/models/random_config.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/random.h"

namespace basin {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

class ConfigMaker {
 public:
  explicit ConfigMaker(std::uint64_t seed)
      : words_{RandomKey{.seed = seed}, RandomAddress{.purpose = 1000}},
        on_grid_{coin(0.5)} {}

  SystemConfig make() {
    SystemConfig config;
    config.horizon = std::chrono::seconds{whole(12, 24)};
    config.warmup = coin(0.5) ? Duration{0} : std::chrono::seconds{whole(1, 3)};
    config.sample_interval =
        coin(0.5) ? std::chrono::milliseconds{500} : std::chrono::seconds{2};
    config.outcome_interval = std::chrono::seconds{1};
    if (coin(0.7)) {
      config.success_within = time(0.5, 8);
    }
    config.arrivals = arrivals();
    config.producer = producer();
    config.queue = queue();
    config.consumers = consumers(config.queue);
    if (coin(0.8)) {
      const int count = whole(1, 4);
      for (int i = 0; i < count; ++i) {
        config.incidents.push_back(incident(config, i));
      }
    }
    if (coin(0.5)) {
      const int count = whole(1, 3);
      for (int i = 0; i < count; ++i) {
        config.interventions.push_back(intervention(config));
      }
    }
    return config;
  }

 private:
  bool coin(double probability) { return words_.unit() < probability; }
  int whole(int low, int high) {
    return low + static_cast<int>(words_() % static_cast<std::uint64_t>(high - low + 1));
  }
  double real(double low, double high) { return low + (high - low) * words_.unit(); }
  // Seconds; on the grid a positive multiple of 0.25.
  double seconds(double low, double high) {
    const double value = real(low, high);
    return on_grid_ ? std::max(0.25, std::floor(value * 4) / 4) : value;
  }
  Duration time(double low, double high) { return from_seconds(seconds(low, high)); }
  double probability() { return coin(0.4) ? 1.0 : real(0.1, 0.9); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + whole(0, static_cast<int>(values.size()) - 1));
  }

  Arrivals arrivals() {
    if (on_grid_) {
      return DeterministicArrivals{.rate = one_of({1.0, 2.0, 4.0})};
    }
    switch (whole(0, 3)) {
      case 0:
        return DeterministicArrivals{.rate = real(0.5, 4)};
      case 1:
        return BatchPoissonArrivals{.rate = real(0.5, 4),
                                    .batch_mean = 3,
                                    .size = BatchPoissonArrivals::Size::constant};
      default:
        return PoissonArrivals{.rate = real(0.5, 4)};
    }
  }

  Distribution service() {
    const double mean = seconds(0.2, 1.5);
    if (on_grid_) {
      return Deterministic{mean};
    }
    switch (whole(0, 4)) {
      case 0:
        return Deterministic{mean};
      case 1:
        return Uniform{0.5 * mean, 1.5 * mean};
      case 2:
        return Erlang{.shape = 2, .mean = mean};
      case 3:
        return Lognormal{.mean = mean, .scv = 2};
      default:
        return Exponential{mean};
    }
  }

  Backoff backoff() {
    Backoff rule;
    rule.kind = one_of(
        {Backoff::Kind::none, Backoff::Kind::constant, Backoff::Kind::exponential});
    if (rule.kind == Backoff::Kind::none) {
      return rule;
    }
    rule.base = time(0.1, 1.5);
    if (rule.kind == Backoff::Kind::exponential) {
      rule.factor = one_of({1.0, 1.5, 2.0, 3.0});
    }
    if (coin(0.7)) {
      rule.cap = rule.base + time(0.25, 4);
    }
    if (!on_grid_) {
      rule.jitter = one_of({Backoff::Jitter::none,
                            Backoff::Jitter::full,
                            Backoff::Jitter::equal,
                            Backoff::Jitter::decorrelated});
    }
    return rule;
  }

  ProducerConfig producer() {
    ProducerConfig producer;
    if (coin(0.25)) {
      return producer;
    }
    producer.timeout = time(0.5, 4);
    producer.max_attempts = whole(1, 4);
    producer.retries_per_timeout = one_of({1.0, 1.0, 0.5, 1.3, 2.0});
    producer.backoff = backoff();
    if (producer.backoff.jitter == Backoff::Jitter::decorrelated) {
      producer.retries_per_timeout = std::min(1.0, producer.retries_per_timeout);
    }
    producer.late_reply = one_of({LateReply::ignored, LateReply::accepted});
    producer.on_reject = one_of({OnReject::timeout, OnReject::silent, OnReject::error});
    if (producer.on_reject == OnReject::error &&
        producer.backoff.kind == Backoff::Kind::none) {
      producer.on_reject = OnReject::timeout;
    }
    return producer;
  }

  QueueConfig queue() {
    QueueConfig queue;
    queue.order = one_of({QueueOrder::fifo, QueueOrder::lifo});
    if (coin(0.35)) {
      queue.capacity = whole(0, 6);
    }
    if (coin(0.75)) {
      queue.visibility_timeout = time(0.5, 4);
    }
    queue.receive_batch = one_of({1, 1, 2, 3});
    queue.stale_ack = one_of({StaleAck::accept, StaleAck::ignore});
    queue.redeliver_at =
        one_of({RedeliverAt::front, RedeliverAt::back, RedeliverAt::original});
    if (coin(0.5)) {
      queue.max_receives = whole(1, 3);
    }
    if (coin(0.3)) {
      queue.message_ttl = time(0.5, 5);
    }
    queue.work = one_of({WorkBelongsTo::per_message,
                         WorkBelongsTo::per_request,
                         WorkBelongsTo::per_delivery});
    return queue;
  }

  ConsumersConfig consumers(const QueueConfig& queue) {
    ConsumersConfig consumers;
    const int groups = one_of({1, 1, 2});
    for (int i = 0; i < groups; ++i) {
      consumers.groups.push_back(
          {.name = "", .count = whole(1, 2), .service = service()});
    }
    consumers.processing = one_of({Processing::serial, Processing::concurrent});
    consumers.acknowledge = one_of({Acknowledge::each, Acknowledge::batch});
    consumers.on_lease_end = one_of({OnLeaseEnd::work_on, OnLeaseEnd::abandon});
    consumers.on_failure = one_of({OnFailure::lease, OnFailure::nack});
    if (queue.visibility_timeout && coin(0.35)) {
      const Duration beat = on_grid_ ? Duration{std::chrono::milliseconds{250}}
                                     : *queue.visibility_timeout / whole(2, 4);
      if (beat < *queue.visibility_timeout) {
        consumers.heartbeat = beat;
      }
    }
    return consumers;
  }

  Share share() {
    if (coin(0.5)) {
      return one_of({0.3, 0.5, 1.0});
    }
    return std::int64_t{whole(1, 3)};
  }

  IncidentEffect effect(const SystemConfig& config) {
    switch (whole(0, 10)) {
      case 0:
      case 1:
        return ConsumerOutage{
            .share = share(),
            .mode = one_of({ConsumerOutage::Mode::pause, ConsumerOutage::Mode::crash})};
      case 2:
        return Slowdown{.speed = one_of({0.25, 0.5, 2.0}), .share = share()};
      case 3:
        return ArrivalSurge{.extra_rate = real(0.5, 4)};
      case 4: {
        DownstreamFailure failure{.probability = probability(), .fails_after = {}};
        if (coin(0.5)) {
          failure.fails_after = time(0.1, 0.5);
        }
        return failure;
      }
      case 5:
        if (config.queue.visibility_timeout) {
          return AckLoss{.probability = probability()};
        }
        return Backlog{.messages = whole(1, 6)};
      case 6:
        return Backlog{.messages = whole(1, 6)};
      case 7:
        return Saturated{.delay = time(0.5, 3)};
      case 8:
        return Partition{
            .side = one_of({Partition::Side::replies, Partition::Side::messages})};
      case 9:
        return Poison{.probability = probability()};
      default:
        return BlackHole{.share = share(), .fails_after = time(0.05, 0.5)};
    }
  }

  Incident incident(const SystemConfig& config, int number) {
    Incident incident;
    incident.name = "incident" + std::to_string(number);
    incident.effect = effect(config);
    const double warmup = to_seconds(config.warmup);
    incident.start = config.warmup + time(0, 4);
    if (std::holds_alternative<Backlog>(incident.effect) ||
        std::holds_alternative<Saturated>(incident.effect)) {
      incident.duration = Deterministic{0};
    } else if (!on_grid_ && coin(0.3)) {
      incident.duration = Uniform{0.2, to_seconds(config.horizon) - warmup - 4.5};
      return incident;
    } else {
      incident.duration = Deterministic{seconds(0.25, 2)};
    }
    if (coin(0.3)) {
      incident.occurrences = 2;
      incident.every = time(0.25, 2);  // may overlap itself
    }
    return incident;
  }

  InterventionEffect intervention_effect(const SystemConfig& config) {
    switch (whole(0, 5)) {
      case 0:
        return Shed{.admitted = one_of({0.0, 0.3, 0.7})};
      case 1:
        return AddConsumers{
            .count = whole(0, 3),
            .group = static_cast<std::size_t>(
                whole(0, static_cast<int>(config.consumers.groups.size()) - 1))};
      case 2:
        return RetriesOff{};
      case 3:
        return DropExpired{.age = time(0.25, 3)};
      default:
        return Purge{.fraction = one_of({0.3, 0.5, 1.0})};
    }
  }

  Intervention intervention(const SystemConfig& config) {
    Intervention intervention;
    intervention.effect = intervention_effect(config);
    intervention.start = config.warmup + (coin(0.2) ? Duration{0} : time(0, 6));
    const bool lasts = !std::holds_alternative<AddConsumers>(intervention.effect) &&
                       !std::holds_alternative<Purge>(intervention.effect);
    if (lasts && coin(0.5)) {
      intervention.duration = time(0.25, 5);
    }
    return intervention;
  }

  RandomStream words_;
  bool on_grid_;
};

std::string text(Duration d) {
  std::ostringstream out;
  out.precision(12);
  out << to_seconds(d) << "s";
  return out.str();
}

std::string text(const Distribution& distribution) {
  std::ostringstream out;
  out.precision(12);
  std::visit(
      Overloaded{
          [&](const Exponential& d) { out << "exponential " << d.mean; },
          [&](const Deterministic& d) { out << "deterministic " << d.mean; },
          [&](const Uniform& d) { out << "uniform " << d.low << " " << d.high; },
          [&](const Erlang& d) { out << "erlang " << d.shape << " " << d.mean; },
          [&](const Lognormal& d) { out << "lognormal " << d.mean << " " << d.scv; },
          [&](const auto&) { out << "other"; }},
      distribution);
  return out.str();
}

std::string text(const Arrivals& arrivals) {
  std::ostringstream out;
  out.precision(12);
  std::visit(Overloaded{[&](const PoissonArrivals& a) { out << "poisson " << a.rate; },
                        [&](const DeterministicArrivals& a) {
                          out << "deterministic " << a.rate;
                        },
                        [&](const BatchPoissonArrivals& a) {
                          out << "batches of " << a.batch_mean << ", " << a.rate;
                        },
                        [&](const TraceArrivals& a) {
                          out << "trace";
                          for (const double t : *a.times) {
                            out << " " << t;
                          }
                        },
                        [&](const auto&) { out << "other"; }},
             arrivals);
  return out.str();
}

std::string text(const Share& share) {
  return std::holds_alternative<double>(share)
             ? "fraction " + std::to_string(std::get<double>(share))
             : "count " + std::to_string(std::get<std::int64_t>(share));
}

std::string text(const IncidentEffect& effect) {
  return std::visit(
      Overloaded{
          [](const ConsumerOutage& e) {
            return (e.mode == ConsumerOutage::Mode::pause ? "pause " : "crash ") +
                   text(e.share);
          },
          [](const Slowdown& e) {
            return "slowdown " + std::to_string(e.speed) + " " + text(e.share);
          },
          [](const ArrivalSurge& e) { return "surge " + std::to_string(e.extra_rate); },
          [](const DownstreamFailure& e) {
            return "downstream_failure " + std::to_string(e.probability) +
                   (e.fails_after ? " fast " + text(*e.fails_after) : " slow");
          },
          [](const AckLoss& e) { return "ack_loss " + std::to_string(e.probability); },
          [](const Backlog& e) { return "backlog " + std::to_string(e.messages); },
          [](const Saturated& e) { return "saturated " + text(e.delay); },
          [](const Partition& e) {
            return std::string{"partition of "} +
                   (e.side == Partition::Side::replies ? "replies" : "messages");
          },
          [](const Poison& e) { return "poison " + std::to_string(e.probability); },
          [](const BlackHole& e) {
            return "black_hole " + text(e.share) + " after " + text(e.fails_after);
          }},
      effect);
}

std::string text(const InterventionEffect& effect) {
  return std::visit(
      Overloaded{
          [](const Shed& e) { return "shed, admitted " + std::to_string(e.admitted); },
          [](const AddConsumers& e) {
            return "add_consumers " + std::to_string(e.count) + " of group " +
                   std::to_string(e.group);
          },
          [](const RetriesOff&) { return std::string{"retries_off"}; },
          [](const DropExpired& e) { return "drop_expired " + text(e.age); },
          [](const Purge& e) { return "purge " + std::to_string(e.fraction); }},
      effect);
}

template <class Enum>
const char* name_of(Enum value, std::initializer_list<const char*> names) {
  return *(names.begin() + static_cast<int>(value));
}

}  // namespace

SystemConfig random_config(std::uint64_t seed) {
  return ConfigMaker{seed}.make();
}

std::string describe(const SystemConfig& c) {
  std::ostringstream out;
  out << "horizon " << text(c.horizon) << ", warmup " << text(c.warmup) << ", sample "
      << text(c.sample_interval) << ", success_within "
      << (c.success_within ? text(*c.success_within) : "any") << "\narrivals "
      << text(c.arrivals) << "\nproducer: ";
  if (!c.producer.timeout) {
    out << "fire and forget";
  } else {
    const Backoff& b = c.producer.backoff;
    out << "timeout " << text(*c.producer.timeout) << ", max_attempts "
        << c.producer.max_attempts << ", retries_per_timeout "
        << c.producer.retries_per_timeout << ", backoff "
        << name_of(b.kind, {"none", "constant", "exponential"}) << " base "
        << text(b.base) << " factor " << b.factor << " cap "
        << (b.cap == longest_duration ? "none" : text(b.cap)) << " jitter "
        << name_of(b.jitter, {"none", "full", "equal", "decorrelated"}) << ", late_reply "
        << name_of(c.producer.late_reply, {"ignored", "accepted"}) << ", on_reject "
        << name_of(c.producer.on_reject, {"timeout", "error", "silent"});
  }
  const QueueConfig& q = c.queue;
  out << "\nqueue: " << name_of(q.order, {"fifo", "lifo"}) << ", capacity "
      << (q.capacity ? std::to_string(*q.capacity) : "none") << ", visibility "
      << (q.visibility_timeout ? text(*q.visibility_timeout) : "none") << ", batch "
      << q.receive_batch << ", stale_ack " << name_of(q.stale_ack, {"accept", "ignore"})
      << ", redeliver_at " << name_of(q.redeliver_at, {"front", "back", "original"})
      << ", max_receives " << (q.max_receives ? std::to_string(*q.max_receives) : "none")
      << ", ttl " << (q.message_ttl ? text(*q.message_ttl) : "none") << ", work "
      << name_of(q.work, {"per_message", "per_request", "per_delivery"})
      << "\nconsumers: ";
  for (const ConsumerGroup& group : c.consumers.groups) {
    out << group.count << " x " << text(group.service) << "; ";
  }
  out << name_of(c.consumers.processing, {"serial", "concurrent"}) << ", acknowledge "
      << name_of(c.consumers.acknowledge, {"each", "batch"}) << ", on_lease_end "
      << name_of(c.consumers.on_lease_end, {"work_on", "abandon"}) << ", on_failure "
      << name_of(c.consumers.on_failure, {"lease", "nack"}) << ", heartbeat "
      << (c.consumers.heartbeat ? text(*c.consumers.heartbeat) : "none");
  for (const Incident& incident : c.incidents) {
    out << "\nincident: " << text(incident.effect) << ", start " << text(incident.start)
        << ", duration " << text(incident.duration) << ", " << incident.occurrences
        << " times every " << text(incident.every);
  }
  for (const Intervention& intervention : c.interventions) {
    out << "\nintervention: " << text(intervention.effect) << ", start "
        << text(intervention.start) << ", duration "
        << (intervention.duration ? text(*intervention.duration) : "none");
  }
  return out.str();
}

}  // namespace basin
