// What one run of the system gives: numbers over the measured part (warm-up to horizon),
// trajectories, and for each creation time how many requests succeeded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/time.h"

namespace basin {

// Over [warm-up, horizon). Rates are per second; times are in seconds, infinite where
// failures count as never answered; NaN where there is nothing to average.
struct Metrics {
  double base_rate = 0;
  double effective_rate = 0;
  double offered_rate = 0;
  double retry_rate = 0;
  double redelivery_rate = 0;
  double throughput = 0;
  double goodput = 0;
  double goodput_ratio = 0;
  double waste_rate = 0;
  double failed_rate = 0;
  double dead_letter_rate = 0;
  double expired_rate = 0;
  double rejected_rate = 0;
  double mean_depth = 0;
  double peak_depth = 0;
  double final_depth = 0;
  double mean_in_flight = 0;
  double mean_wait = 0;
  double mean_latency = 0;
  double latency_p50 = 0;
  double latency_p95 = 0;
  double latency_p99 = 0;
  double latency_p999 = 0;
  double utilization = 0;
  double time_to_peak = 0;  // from the first incident (or warm-up) to the peak depth
  double peak_amplification =
      0;                    // greatest effective/base arrivals over a sample interval
  double goodput_lost = 0;  // requests of the measured part that did not succeed
  double wasted = 0;        // completions that were waste
};

struct MetricInfo {
  std::string_view name;
  std::string_view unit;  // HDF5 units: "1/s", "s", "1", "messages", "requests"
  std::string_view doc;
  double Metrics::*member;
};
// Every metric, in the order of the struct.
inline constexpr std::array<MetricInfo, 28> metric_table{{
    {"base_rate", "1/s", "requests created per second", &Metrics::base_rate},
    {"effective_rate",
     "1/s",
     "messages entering the queue per second, retries and redeliveries included",
     &Metrics::effective_rate},
    {"offered_rate",
     "1/s",
     "effective_rate and the refused messages",
     &Metrics::offered_rate},
    {"retry_rate",
     "1/s",
     "attempts after a request's first, per second",
     &Metrics::retry_rate},
    {"redelivery_rate",
     "1/s",
     "messages handed out again, per second",
     &Metrics::redelivery_rate},
    {"throughput", "1/s", "completions per second", &Metrics::throughput},
    {"goodput",
     "1/s",
     "completions that made a request succeed, per second",
     &Metrics::goodput},
    {"goodput_ratio",
     "1",
     "requests created in the measured part that succeeded / created",
     &Metrics::goodput_ratio},
    {"waste_rate",
     "1/s",
     "completions nobody was waiting for, per second",
     &Metrics::waste_rate},
    {"failed_rate",
     "1/s",
     "requests given up by their producer, per second",
     &Metrics::failed_rate},
    {"dead_letter_rate",
     "1/s",
     "messages moved to the dead-letter queue, per second",
     &Metrics::dead_letter_rate},
    {"expired_rate",
     "1/s",
     "messages dropped past their TTL, per second",
     &Metrics::expired_rate},
    {"rejected_rate", "1/s", "messages refused, per second", &Metrics::rejected_rate},
    {"mean_depth", "messages", "time average of waiting messages", &Metrics::mean_depth},
    {"peak_depth", "messages", "most waiting messages", &Metrics::peak_depth},
    {"final_depth", "messages", "waiting messages at the horizon", &Metrics::final_depth},
    {"mean_in_flight",
     "messages",
     "time average of messages in flight",
     &Metrics::mean_in_flight},
    {"mean_wait", "s", "mean time from send to first receive", &Metrics::mean_wait},
    {"mean_latency",
     "s",
     "mean time from creation to success, failures infinite",
     &Metrics::mean_latency},
    {"latency_p50", "s", "median latency, failures infinite", &Metrics::latency_p50},
    {"latency_p95",
     "s",
     "95th percentile of latency, failures infinite",
     &Metrics::latency_p95},
    {"latency_p99",
     "s",
     "99th percentile of latency, failures infinite",
     &Metrics::latency_p99},
    {"latency_p999",
     "s",
     "99.9th percentile of latency, failures infinite",
     &Metrics::latency_p999},
    {"utilization",
     "1",
     "share of all consumers' time spent on messages",
     &Metrics::utilization},
    {"time_to_peak",
     "s",
     "from the first incident (else the warm-up's end) to the peak depth",
     &Metrics::time_to_peak},
    {"peak_amplification",
     "1",
     "greatest effective/base arrivals over a sample interval",
     &Metrics::peak_amplification},
    {"goodput_lost", "requests", "requests that did not succeed", &Metrics::goodput_lost},
    {"wasted", "completions", "completions that were waste", &Metrics::wasted},
}};

// Sampled at 0, interval, 2*interval, … up to the horizon, after everything else at that
// instant. Levels are values at the instant; rates are means over the interval before it
// (0 at the first sample).
struct Trajectory {
  std::vector<float> depth;      // waiting messages
  std::vector<float> in_flight;  // messages leased or being processed
  std::vector<float>
      oldest_age;  // s since its send, of the oldest waiting message; 0 if none
  std::vector<float> retries_pending;  // retries waiting for their backoff
  std::vector<float> consumers;        // consumers that are not down
  std::vector<float> base_rate;        // 1/s, as in Metrics
  std::vector<float> effective_rate;
  std::vector<float> throughput;
  std::vector<float> goodput;
};

struct TrajectoryInfo {
  std::string_view name;
  std::string_view unit;
  std::string_view doc;
  std::vector<float> Trajectory::*member;
};
inline constexpr std::array<TrajectoryInfo, 9> trajectory_table{{
    {"depth", "messages", "waiting messages", &Trajectory::depth},
    {"in_flight",
     "messages",
     "messages leased or being processed",
     &Trajectory::in_flight},
    {"oldest_age",
     "s",
     "time since its send of the oldest waiting message",
     &Trajectory::oldest_age},
    {"retries_pending",
     "requests",
     "retries waiting for their backoff",
     &Trajectory::retries_pending},
    {"consumers", "consumers", "consumers that are not down", &Trajectory::consumers},
    {"base_rate", "1/s", "requests created per second", &Trajectory::base_rate},
    {"effective_rate",
     "1/s",
     "messages entering the queue per second",
     &Trajectory::effective_rate},
    {"throughput", "1/s", "completions per second", &Trajectory::throughput},
    {"goodput", "1/s", "completions that made a request succeed", &Trajectory::goodput},
}};

// Bin k holds the requests created in [k, k+1) * outcome_interval, up to the horizon.
struct OutcomeSeries {
  std::vector<std::uint32_t> created;
  std::vector<std::uint32_t> succeeded;
};

// Every message of the run up to its end, by what became of it: sent = completed +
// dead_lettered + expired + rejected + lost + purged + waiting + in_flight + held.
struct MessageCounts {
  std::int64_t sent = 0;       // refused ones included
  std::int64_t completed = 0;  // deleted after at least one completion, once each
  std::int64_t dead_lettered = 0;
  std::int64_t expired = 0;
  std::int64_t rejected = 0;
  std::int64_t lost = 0;    // crashed or failed where there is no lease
  std::int64_t purged = 0;  // by an intervention
  std::int64_t waiting = 0;
  std::int64_t in_flight = 0;
  std::int64_t held = 0;         // by a partition
  std::int64_t completions = 0;  // all of them, duplicates included
  std::int64_t redeliveries = 0;
};

// What interventions cost, from the start of the run to its end.
struct InterventionCounts {
  std::int64_t shed = 0;               // requests turned away
  std::int64_t purged = 0;             // messages
  std::int64_t expired = 0;            // messages dropped that message_ttl would not have
  std::int64_t retries_cancelled = 0;  // that waited for their backoff
  bool operator==(const InterventionCounts&) const = default;
};

struct RunResult {
  Metrics metrics;
  Trajectory trajectory;
  OutcomeSeries outcomes;
  MessageCounts counts;  // at the end of the run, which lies past the horizon
  InterventionCounts interventions;

  // Of the incidents as they fell out in this run; both absent without incidents.
  std::optional<SimTime> first_incident_start;
  std::optional<SimTime> last_incident_end;
  // First instant from last_incident_end on at which the waiting messages are back at
  // their mean before the first incident (rounded up); absent if not by the horizon.
  std::optional<SimTime> drained_at;

  // Stopped by the memory limit at this instant; series end there.
  std::optional<SimTime> truncated_at;
};

}  // namespace basin
