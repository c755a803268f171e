// What a scenario says of the system under test, as values: built by the scenario reader,
// never changed after construction, compared with ==. The semantics are those of the
// classes that take them (producer.h, queue.h, fleet.h, incidents.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/time.h"
#include "models/arrivals.h"
#include "models/distribution.h"

namespace basin {

// --- Producer
// -----------------------------------------------------------------------------

struct Backoff {
  enum class Kind : std::uint8_t { none, constant, exponential };
  enum class Jitter : std::uint8_t { none, full, equal, decorrelated };
  Kind kind = Kind::none;
  Duration base{0};                 // > 0 unless kind is none
  double factor = 2;                // >= 1, exponential only
  Duration cap = longest_duration;  // >= base
  Jitter jitter = Jitter::none;
  bool operator==(const Backoff&) const = default;
};

enum class LateReply : std::uint8_t { ignored, accepted };
enum class OnReject : std::uint8_t { timeout, error, silent };

struct ProducerConfig {
  std::optional<Duration> timeout;  // none: fire and forget
  int max_attempts = 1;             // counts the original; 1 to 200
  double retries_per_timeout = 1;   // mean number of new attempts a timeout, >= 0
  Backoff backoff;
  LateReply late_reply = LateReply::ignored;
  OnReject on_reject = OnReject::timeout;
  bool operator==(const ProducerConfig&) const = default;
};

// --- Queue
// --------------------------------------------------------------------------------

enum class QueueOrder : std::uint8_t { fifo, lifo };
enum class StaleAck : std::uint8_t { accept, ignore };
enum class RedeliverAt : std::uint8_t { front, back, original };
enum class WorkBelongsTo : std::uint8_t { per_message, per_request, per_delivery };

struct QueueConfig {
  QueueOrder order = QueueOrder::fifo;
  std::optional<std::int64_t> capacity;        // waiting messages, >= 0; none: unbounded
  std::optional<Duration> visibility_timeout;  // none: no leases
  int receive_batch = 1;                       // 1 to 10,000
  StaleAck stale_ack = StaleAck::accept;
  RedeliverAt redeliver_at = RedeliverAt::original;
  std::optional<int> max_receives;  // none: never dead-lettered
  std::optional<Duration> message_ttl;
  WorkBelongsTo work = WorkBelongsTo::per_message;
  bool operator==(const QueueConfig&) const = default;
};

// --- Consumers
// ----------------------------------------------------------------------------

enum class Processing : std::uint8_t { serial, concurrent };
enum class Acknowledge : std::uint8_t { each, batch };
enum class OnLeaseEnd : std::uint8_t { work_on, abandon };
enum class OnFailure : std::uint8_t { lease, nack };

struct ConsumerGroup {
  std::string name;  // may be empty
  int count = 1;     // >= 1
  Distribution service;
  bool operator==(const ConsumerGroup&) const = default;
};

struct ConsumersConfig {
  std::vector<ConsumerGroup> groups;  // at least one
  Processing processing = Processing::serial;
  Acknowledge acknowledge = Acknowledge::each;
  OnLeaseEnd on_lease_end = OnLeaseEnd::work_on;
  OnFailure on_failure = OnFailure::lease;
  // Each such span after the receive, a consumer at work extends the leases of what it
  // holds to a full visibility timeout from then. Less than the visibility timeout.
  std::optional<Duration> heartbeat;
  bool operator==(const ConsumersConfig&) const = default;
};

int total_count(const ConsumersConfig& consumers);
// Messages per second of all consumers at work: sum of count / mean service.
double total_service_rate(const ConsumersConfig& consumers);

// --- Incidents
// ----------------------------------------------------------------------------

// Which consumers an incident touches: the first ones, as a fraction (rounded to the
// nearest whole number of consumers) or a number.
using Share = std::variant<double, std::int64_t>;

struct ConsumerOutage {
  enum class Mode : std::uint8_t { pause, crash };
  Share share = 1.0;
  Mode mode = Mode::pause;
  bool operator==(const ConsumerOutage&) const = default;
};
struct Slowdown {
  double speed = 1;  // factor on the speed, > 0: 0.5 doubles the time
  Share share = 1.0;
  bool operator==(const Slowdown&) const = default;
};
// Extra requests beside the base arrivals, of a stream of their own.
struct ArrivalSurge {
  double extra_rate = 0;  // Poisson, requests per second
  bool operator==(const ArrivalSurge&) const = default;
};
// Processing fails with a probability: after the whole work (slow), or after
// `fails_after` (fast).
struct DownstreamFailure {
  double probability = 1;
  std::optional<Duration> fails_after;  // none: slow
  bool operator==(const DownstreamFailure&) const = default;
};
// A consumer's acknowledgement does not reach the queue, with a probability.
struct AckLoss {
  double probability = 1;
  bool operator==(const AckLoss&) const = default;
};
// Messages that nobody waits for, all at once. The duration is zero.
struct Backlog {
  std::int64_t messages = 0;
  bool operator==(const Backlog&) const = default;
};
// As many such messages as all consumers need `delay` for, at the start of the incident.
struct Saturated {
  Duration delay{0};
  bool operator==(const Saturated&) const = default;
};
struct Partition {
  // replies: replies are lost on their way to the producer. messages: what producers send
  // is held, and enters the queue at the end, in the order in which it was sent.
  enum class Side : std::uint8_t { replies, messages };
  Side side = Side::replies;
  bool operator==(const Partition&) const = default;
};
// Requests created meanwhile are, with a probability, such that their processing always
// fails.
struct Poison {
  double probability = 1;
  bool operator==(const Poison&) const = default;
};
// Consumers that fail each message after `fails_after` and so take ever more.
struct BlackHole {
  Share share = std::int64_t{1};
  Duration fails_after = std::chrono::milliseconds{1};  // > 0
  bool operator==(const BlackHole&) const = default;
};

using IncidentEffect = std::variant<ConsumerOutage,
                                    Slowdown,
                                    ArrivalSurge,
                                    DownstreamFailure,
                                    AckLoss,
                                    Backlog,
                                    Saturated,
                                    Partition,
                                    Poison,
                                    BlackHole>;

struct Incident {
  std::string name;
  Duration start{0};  // since the start of the run, not before the warm-up's end
  Distribution duration = Deterministic{0};  // drawn once for each occurrence
  int occurrences = 1;                       // >= 1
  Duration every{0};  // from start to start; > 0 with several occurrences
  IncidentEffect effect;
  bool operator==(const Incident&) const = default;
};

// --- Interventions
// ------------------------------------------------------------------------

// What operators do to a stuck system. A request is admitted with a probability.
struct Shed {
  double admitted = 1;
  bool operator==(const Shed&) const = default;
};
// More consumers with the service of ConsumersConfig::groups[group], from the start on.
struct AddConsumers {
  int count = 1;  // >= 0
  std::size_t group = 0;
  bool operator==(const AddConsumers&) const = default;
};
// Pending retries are cancelled, and failed attempts cause no new ones.
struct RetriesOff {
  bool operator==(const RetriesOff&) const = default;
};
// Messages older than `age` are dropped when they would be handed out.
struct DropExpired {
  Duration age{0};  // > 0
  bool operator==(const DropExpired&) const = default;
};
// Waiting messages are removed, once, the oldest first.
struct Purge {
  double fraction = 1;
  bool operator==(const Purge&) const = default;
};

using InterventionEffect =
    std::variant<Shed, AddConsumers, RetriesOff, DropExpired, Purge>;

struct Intervention {
  std::string name;
  Duration start{0};  // since the start of the run, not before the warm-up's end
  // > 0. None: to the end of the run. Consumers stay, and a purge is over at once.
  std::optional<Duration> duration;
  InterventionEffect effect;
  bool operator==(const Intervention&) const = default;
};

// --- The whole
// ----------------------------------------------------------------------------

struct SystemConfig {
  Arrivals arrivals;
  ProducerConfig producer;
  QueueConfig queue;
  ConsumersConfig consumers;
  std::vector<Incident> incidents;
  std::vector<Intervention> interventions;

  // A request succeeds when its producer has an answer within this span of its creation.
  // none: any time will do.
  std::optional<Duration> success_within;

  Duration horizon = std::chrono::hours{1};
  Duration warmup{0};                                   // < horizon
  Duration sample_interval = std::chrono::seconds{6};   // of trajectories
  Duration outcome_interval = std::chrono::seconds{1};  // of OutcomeSeries
  bool operator==(const SystemConfig&) const = default;
};

// Whether anything happens to the system: incidents or interventions.
bool is_disturbed(const SystemConfig& system);

}  // namespace basin
