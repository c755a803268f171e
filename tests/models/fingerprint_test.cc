// The same bits everywhere: fingerprints of whole runs that between them use every
// arrival process, every distribution, every backoff and jitter, leases and every
// incident. The same constants hold for gcc and clang, for every maker's processor, and
// for a libm that does without FMA (CMakeLists.txt runs this program a second time so).
//
// A fingerprint that moves says that results moved, not which are right: theory is
// compared in oracles_test.cc, the rules one by one in the tests of the model. Where a
// change of results is meant, the failure message has the new number.
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"

namespace basin {
namespace {

// FNV-1a over 64-bit words; every not-a-number counts as the same.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3;
    }
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(double number) {
    add(std::isnan(number) ? std::uint64_t{0x7ff8} << 48
                           : std::bit_cast<std::uint64_t>(number));
  }
  void add(const std::optional<SimTime>& time) {
    add(time ? time->time_since_epoch().count() : std::int64_t{-1});
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

void add(Fingerprint& print, const RunResult& result) {
  for (const MetricInfo& metric : metric_table) {
    print.add(result.metrics.*metric.member);
  }
  for (const TrajectoryInfo& series : trajectory_table) {
    for (const float sample : result.trajectory.*series.member) {
      print.add(static_cast<double>(sample));
    }
  }
  for (const auto* counts : {&result.outcomes.created, &result.outcomes.succeeded}) {
    for (const std::uint32_t count : *counts) {
      print.add(std::uint64_t{count});
    }
  }
  const MessageCounts& counts = result.counts;
  for (const std::int64_t count : {counts.sent,
                                   counts.completed,
                                   counts.dead_lettered,
                                   counts.expired,
                                   counts.rejected,
                                   counts.lost,
                                   counts.waiting,
                                   counts.in_flight,
                                   counts.held,
                                   counts.completions,
                                   counts.redeliveries}) {
    print.add(count);
  }
  if (result.interventions != InterventionCounts{}) {
    for (const std::int64_t count : {result.interventions.shed,
                                     result.interventions.purged,
                                     result.interventions.expired,
                                     result.interventions.retries_cancelled}) {
      print.add(count);
    }
  }
  for (const auto& time : {result.first_incident_start,
                           result.last_incident_end,
                           result.drained_at,
                           result.truncated_at}) {
    print.add(time);
  }
}

// Every bit of many draws, of which a run shows the nanoseconds only: where libm differs
// with and without FMA, it does so once in a thousand draws or less.
void add_draws(Fingerprint& print, const SystemConfig& config, const RandomKey& key) {
  const Distribution& service = config.consumers.groups[0].service;
  for (std::uint64_t entity = 0; entity < 200'000; ++entity) {
    const RandomStream more{key, {.purpose = 1, .entity = entity}};
    RandomStream words{key, {.purpose = 0, .entity = entity}};
    print.add(sample(service, words(), more));
  }
  ArrivalStream arrivals{config.arrivals, key, 0, SimTime{}};
  for (int request = 0; request < 50'000; ++request) {
    print.add(arrivals.next().time.time_since_epoch().count());
  }
}

struct Pinned {
  std::string name;
  std::uint64_t fingerprint;
  SystemConfig config;
};
void PrintTo(const Pinned& pinned, std::ostream* stream) {
  *stream << pinned.name;
}

// Times are so long that the last bit of a double reaches the nanosecond: a service takes
// 1e15 of them, and the horizon is half of the longest that a run may have.
constexpr double unit = 2e6;  // s
Duration span(double units) {
  return from_seconds(units * unit);
}

Incident incident(const std::string& name,
                  const Distribution& duration,
                  const IncidentEffect& effect) {
  return {.name = name, .start = span(120), .duration = duration, .effect = effect};
}

// About 0.8 of what 20 consumers with a mean service of half a unit can do.
SystemConfig base(const Arrivals& arrivals, const Distribution& service) {
  SystemConfig config;
  config.arrivals = arrivals;
  config.consumers.groups = {{.name = "", .count = 20, .service = service}};
  config.success_within = span(20);
  config.horizon = span(600);
  config.warmup = span(60);
  config.sample_interval = span(6);
  config.outcome_interval = span(1);
  return config;
}

Pinned poisson_exponential() {
  SystemConfig config = base(PoissonArrivals{32 / unit}, Exponential{0.5 * unit});
  config.producer = {.timeout = span(10),
                     .max_attempts = 4,
                     .backoff = {.kind = Backoff::Kind::exponential,
                                 .base = span(1),
                                 .cap = span(20),
                                 .jitter = Backoff::Jitter::full}};
  config.incidents = {
      incident("outage", Deterministic{60 * unit}, ConsumerOutage{.share = 0.9})};
  return {"poisson_exponential", 0xd685942bd26e0e62, config};
}

Pinned deterministic_deterministic() {
  SystemConfig config = base(DeterministicArrivals{32 / unit}, Deterministic{0.5 * unit});
  config.queue.visibility_timeout = span(4);
  config.queue.receive_batch = 10;
  config.queue.max_receives = 4;
  config.incidents = {incident("crash",
                               Uniform{.low = 10 * unit, .high = 30 * unit},
                               ConsumerOutage{.share = std::int64_t{12},
                                              .mode = ConsumerOutage::Mode::crash}),
                      {.name = "acks",
                       .start = span(200),
                       .duration = Deterministic{20 * unit},
                       .occurrences = 3,
                       .every = span(60),
                       .effect = AckLoss{0.2}}};
  return {"deterministic_deterministic", 0xa6d1fc6a523bd2eb, config};
}

Pinned renewal_lognormal() {
  SystemConfig config = base(RenewalArrivals{Lognormal{.mean = unit / 32, .scv = 9}},
                             Lognormal{.mean = 0.5 * unit, .scv = 4});
  config.producer = {.timeout = span(5),
                     .max_attempts = 3,
                     .backoff = {.kind = Backoff::Kind::constant,
                                 .base = span(2),
                                 .jitter = Backoff::Jitter::equal}};
  config.queue.work = WorkBelongsTo::per_request;
  config.incidents = {
      incident("surge", Deterministic{40 * unit}, ArrivalSurge{60 / unit})};
  return {"renewal_lognormal", 0x508b42aeb390cc0c, config};
}

Pinned batches_uniform() {
  SystemConfig config =
      base(BatchPoissonArrivals{.rate = 32 / unit,
                                .batch_mean = 5,
                                .size = BatchPoissonArrivals::Size::geometric},
           Uniform{.low = 0.1 * unit, .high = 0.9 * unit});
  config.queue.order = QueueOrder::lifo;
  config.queue.message_ttl = span(15);
  config.incidents = {incident("backlog", Deterministic{0}, Backlog{2'000})};
  return {"batches_uniform", 0xefff2ae46db95d11, config};
}

Pinned mmpp_erlang() {
  SystemConfig config =
      base(MmppArrivals{.rates = {16 / unit, 64 / unit},
                        .transitions = {{0, 0.05 / unit}, {0.1 / unit, 0}},
                        .initial_state = {}},
           Erlang{.shape = 5, .mean = 0.5 * unit});
  config.producer = {.timeout = span(9),
                     .max_attempts = 5,
                     .backoff = {.kind = Backoff::Kind::exponential,
                                 .base = span(0.5),
                                 .cap = span(30),
                                 .jitter = Backoff::Jitter::decorrelated},
                     .late_reply = LateReply::accepted};
  config.incidents = {
      incident("slow", Gamma{.shape = 2.5, .mean = 40 * unit}, Slowdown{.speed = 0.3})};
  return {"mmpp_erlang", 0xecb86ea400bd61cb, config};
}

Pinned on_off_gamma() {
  SystemConfig config =
      base(OnOffArrivals{.on_rate = 60 / unit,
                         .off_rate = 4 / unit,
                         .on = Pareto{.shape = 1.5, .scale = 2 * unit},
                         .off = Weibull{.shape = 0.7, .scale = 5 * unit}},
           Gamma{.shape = 0.6, .mean = 0.5 * unit});
  config.queue.visibility_timeout = span(3);
  config.queue.receive_batch = 4;
  config.queue.stale_ack = StaleAck::ignore;
  config.queue.redeliver_at = RedeliverAt::back;
  config.consumers.processing = Processing::concurrent;
  config.consumers.acknowledge = Acknowledge::batch;
  config.consumers.heartbeat = span(1);
  config.incidents = {
      incident("pause", Deterministic{15 * unit}, ConsumerOutage{.share = 0.5})};
  return {"on_off_gamma", 0x7d30f5fd0f94f86e, config};
}

Pinned hawkes_hyperexponential() {
  SystemConfig config =
      base(HawkesArrivals{.rate = 30 / unit, .branching = 0.6, .decay = 0.5 / unit},
           balanced_means(0.5 * unit, 6));
  config.queue.visibility_timeout = span(5);
  config.queue.work = WorkBelongsTo::per_delivery;
  config.queue.redeliver_at = RedeliverAt::front;
  config.queue.max_receives = 3;
  config.consumers.on_failure = OnFailure::nack;
  config.consumers.on_lease_end = OnLeaseEnd::abandon;
  config.incidents = {
      incident("failing",
               Deterministic{60 * unit},
               DownstreamFailure{.probability = 0.4, .fails_after = span(0.05)})};
  return {"hawkes_hyperexponential", 0xff6c12db3361a1ca, config};
}

Pinned schedule_weibull() {
  SystemConfig config = base(ScheduleArrivals{.steps = {{0, 20 / unit, 0},
                                                        {60 * unit, 40 / unit, 30 * unit},
                                                        {100 * unit, 25 / unit, 0}},
                                              .period = 150 * unit,
                                              .factor = 1.1},
                             Weibull{.shape = 1.7, .scale = 0.5 * unit});
  config.producer = {.timeout = span(3),
                     .max_attempts = 3,
                     .retries_per_timeout = 1.5,
                     .backoff = {.kind = Backoff::Kind::constant, .base = span(1)}};
  config.incidents = {incident("no replies", Deterministic{30 * unit}, Partition{})};
  return {"schedule_weibull", 0xb308c07dbc7e4d7a, config};
}

Pinned trace_pareto() {
  auto times = std::make_shared<std::vector<double>>();
  for (int i = 0; i < 500; ++i) {
    times->push_back((i * 0.03125 + (i % 7) * 0.001) * unit);
  }
  SystemConfig config =
      base(TraceArrivals{.times = times,
                         .length = 16 * unit,
                         .time_scale = 1.25,
                         .rate_scale = 1.3,
                         .loop = true},
           Pareto{.shape = 1.6, .scale = 0.2 * unit, .upper = 20 * unit});
  config.producer = {.timeout = span(6),
                     .max_attempts = 4,
                     .backoff = {.kind = Backoff::Kind::exponential,
                                 .base = span(0.25),
                                 .factor = 3,
                                 .cap = span(5),
                                 .jitter = Backoff::Jitter::none},
                     .on_reject = OnReject::error};
  config.queue.capacity = 50;
  config.incidents = {
      incident(
          "black hole", Deterministic{60 * unit}, BlackHole{.fails_after = span(0.001)}),
      incident("poison", Deterministic{30 * unit}, Poison{0.3})};
  return {"trace_pareto", 0x75a96e0da13cb1a7, config};
}

Pinned counts_empirical() {
  auto counts = std::make_shared<std::vector<double>>();
  for (int i = 0; i < 20; ++i) {
    counts->push_back(200 + 37 * (i % 5) + 0.25 * i);
  }
  auto values = std::make_shared<std::vector<double>>();
  for (int i = 1; i <= 30; ++i) {
    values->push_back(i * i / 630.0 * unit);
  }
  SystemConfig config = base(CountTraceArrivals{.counts = counts,
                                                .interval = 10 * unit,
                                                .time_scale = 1.1,
                                                .rate_scale = 0.9,
                                                .loop = true},
                             Empirical{.values = values, .factor = 0.9});
  config.producer = {.timeout = span(8), .max_attempts = 2, .backoff = {}};
  config.incidents = {incident("behind", Deterministic{0}, Saturated{span(20)}),
                      {.name = "cut off",
                       .start = span(300),
                       .duration = Exponential{10 * unit},
                       .effect = Partition{Partition::Side::messages}}};
  return {"counts_empirical", 0x9d7733187074d49e, config};
}

// The storm that retries keep up, and everything that operators can do about it.
Pinned interventions() {
  Pinned pinned = poisson_exponential();
  pinned.name = "interventions";
  pinned.fingerprint = 0xc329cc0e2ac36e98;
  const auto intervention = [](double start,
                               std::optional<Duration> duration,
                               const InterventionEffect& effect) {
    return Intervention{
        .name = "", .start = span(start), .duration = duration, .effect = effect};
  };
  pinned.config.interventions = {intervention(200, span(100), Shed{.admitted = 0.7}),
                                 intervention(220, {}, AddConsumers{.count = 3}),
                                 intervention(230, span(50), RetriesOff{}),
                                 intervention(240, {}, DropExpired{.age = span(9)}),
                                 intervention(260, {}, Purge{.fraction = 0.3})};
  return pinned;
}

std::vector<Pinned> all_pinned() {
  return {poisson_exponential(),
          deterministic_deterministic(),
          renewal_lognormal(),
          batches_uniform(),
          mmpp_erlang(),
          on_off_gamma(),
          hawkes_hyperexponential(),
          schedule_weibull(),
          trace_pareto(),
          counts_empirical(),
          interventions()};
}

std::string name_of_case(const ::testing::TestParamInfo<Pinned>& info) {
  return info.param.name;
}

class Fingerprints : public ::testing::TestWithParam<Pinned> {};

TEST_P(Fingerprints, are_the_same_in_every_build) {
  const RandomKey key{.seed = 42, .replication = 3};
  const RunResult result = simulate(GetParam().config, key);
  Fingerprint print;
  add(print, result);
  add_draws(print, GetParam().config, key);
  EXPECT_EQ(print.value(), GetParam().fingerprint)
      << "now 0x" << std::hex << print.value();

  // A law beside it: every message is accounted for, and there were enough of them.
  const MessageCounts& counts = result.counts;
  EXPECT_EQ(counts.sent,
            counts.completed + counts.dead_lettered + counts.expired + counts.rejected +
                counts.lost + counts.purged + counts.waiting + counts.in_flight +
                counts.held);
  EXPECT_GT(counts.sent, 8'000);
}

INSTANTIATE_TEST_SUITE_P(, Fingerprints, ::testing::ValuesIn(all_pinned()), name_of_case);

}  // namespace
}  // namespace basin
