// One stage of the system: producers, queue and consumers together, event by event.
//
// This is where the parts meet: the course of a message (send, receive, process,
// acknowledge, reply) and of a request (create, time out, retry, answer, give up). What
// each part does by itself is in producer.h, queue.h, waiting_line.h, fleet.h,
// incidents.h; the rules in prose, with the order at one instant, in README.md beside
// this file.
//
// `Recorder` sees every happening; NoRecorder compiles to nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "engine/agenda.h"
#include "engine/random.h"
#include "engine/time.h"
#include "engine/timer_lane.h"
#include "models/base_arrivals.h"
#include "models/disturbance.h"
#include "models/event_log.h"
#include "models/fleet.h"
#include "models/incidents.h"
#include "models/interventions.h"
#include "models/message.h"
#include "models/meters.h"
#include "models/producer.h"
#include "models/queue.h"
#include "models/run_result.h"
#include "models/system_config.h"
#include "models/work.h"

namespace basin {

struct NoRecorder {
  void operator()(const LoggedEvent&) const {}
};
struct LogRecorder {
  EventLog* log;
  void operator()(const LoggedEvent& event) const { log->add(event); }
};

// Sources of events, in the order in which they go at one instant.
enum Source : std::size_t {
  incident_edges,  // then those of interventions
  processing_ends,
  heartbeats,
  lease_ends,
  producer_timeouts,
  base_arrivals,
  surge_arrivals,
  retries,
  redeliveries,
  hand_outs,
  observations,
  source_count
};
inline constexpr std::uint64_t frequent_sources =
    1U << processing_ends | 1U << base_arrivals | 1U << hand_outs;
using StageAgenda = Agenda<source_count, frequent_sources>;

template <class Recorder>
class Stage {
 public:
  // `config` must outlive the stage. A backlog stops short of `memory_limit` bytes.
  Stage(const SystemConfig& config,
        const RandomKey& key,
        std::size_t memory_limit,
        Recorder recorder);

  const StageAgenda& agenda() const { return agenda_; }
  SimTime now() const { return now_; }

  // Does what is next at `time`; `time` and `source` are the agenda's earliest.
  void handle(SimTime time, std::size_t source) {
    now_ = time;
    // What every message meets goes first: branches that history predicts.
    if (source == hand_outs) {
      hand_out();
      return;
    }
    if (source == processing_ends) {
      on_processing_end();
      return;
    }
    switch (static_cast<Source>(source)) {
      case incident_edges:
        on_incident_edge();
        break;
      case heartbeats:
        on_heartbeat();
        break;
      case lease_ends:
        on_lease_end();
        break;
      case producer_timeouts:
        on_producer_timeout();
        break;
      case base_arrivals:
        on_base_arrival();
        break;
      case surge_arrivals:
        on_surge_arrival();
        break;
      case retries:
        on_retry();
        break;
      case redeliveries:
        on_redelivery();
        break;
      case observations:
        on_observation();
        break;
      case processing_ends:
      case hand_outs:
      case source_count:
        break;
    }
  }

  // Boundaries of the measured part: before anything at that instant.
  void begin_measuring(SimTime at) {
    meters_.begin_measuring(areas(at));
    agenda_.set(hand_outs, at);  // the depth is looked at even if nothing happens then
  }
  void end_measuring(SimTime at) {
    meters_.end_measuring(at, areas(at), queue_.waiting().value());
    open_to_decide_ = open_requests_;
    horizon_passed_ = true;
  }
  // Requests created before the horizon that are not decided yet; counts from
  // end_measuring on.
  std::int64_t open_to_decide() const { return open_to_decide_; }

  // What waiting messages, requests and retries take.
  std::size_t memory_bytes() const {
    std::size_t bytes = queue_.memory_bytes() + retry_schedule_.memory_bytes();
    for (const RequestLog& log : requests_) {
      bytes += log.memory_bytes();
    }
    return bytes;
  }
  // A backlog that was being sent ran into the memory limit: the run has to stop.
  bool backlog_was_cut() const { return backlog_was_cut_; }
  RunResult result() const;

 private:
  // --- Incidents (stage_incidents.h) ---
  void on_incident_edge();
  void apply(const ConsumerOutage& outage, bool starts);
  void crash(int consumer);
  void send_backlog(std::uint32_t incident, std::int64_t messages);
  void release_held();

  // --- Interventions (stage_interventions.h) ---
  void on_intervention_edge();
  void bring_in(std::uint32_t intervention);
  void cancel_retries();
  void purge(double fraction);
  [[gnu::noinline]] void turn_away(RequestLog& log, RequestKey request);
  double mean_consumers() const;
  SimTime next_edge() const { return std::min(timeline_.next(), interventions_.next()); }

  // Flattened: what every message goes through. Its parts are called nowhere hotter, and
  // the calls were a tenth of a message's instructions.

  // --- Requests ---
  [[gnu::flatten]] void on_base_arrival();
  void on_surge_arrival();
  void create_request(std::uint32_t origin, Duration work);
  void send(RequestKey key,
            Request& request,
            std::uint32_t attempt,
            std::uint8_t generation,
            Duration work);
  Message* put(RequestKey key, std::uint32_t attempt);
  void refused(RequestKey key,
               Request& request,
               std::uint32_t attempt,
               std::uint8_t generation);
  void attempt_failed(RequestKey key,
                      Request& request,
                      std::uint32_t attempt,
                      std::uint8_t generation);
  void on_retry();
  void on_producer_timeout();
  void advance_timeouts();
  void arm_timeouts(SimTime end) {
    if (agenda_.time_of(producer_timeouts) == never) {
      agenda_.set(producer_timeouts, end);
    }
  }
  void reply(const Task& task, Message* awaited);
  void answer(RequestKey key, Request& request, std::uint32_t attempt);
  void give_up(RequestKey key, Request& request);
  void message_is_gone(RequestKey key, bool orphan);
  void close(RequestKey key, Request& request);
  Request* open_request(RequestKey key) {
    Request* request = requests_[key.origin()].find(key.place());
    return request != nullptr && request->open ? request : nullptr;
  }

  // --- Messages and consumers ---
  [[gnu::flatten]] void hand_out();
  std::size_t fill_batch(int consumer);
  void take_task(Task& task, MessageId id, Message& message);
  void drop(MessageId id, Message& message);
  void begin(Task& task);
  [[gnu::flatten]] void on_processing_end();
  void end_well(Task& task);
  void end_in_failure(Task& task);
  void go_on(Task& ended);
  void end_batch(int consumer);
  void acknowledge(const Task& task, Message* message);
  void on_lease_end();
  void on_heartbeat();
  void on_redelivery();
  // Waiting messages that idle consumers will receive at this instant.
  std::int64_t about_to_be_received() const {
    return fleet_.idle_count() * static_cast<std::int64_t>(fleet_.batch_limit());
  }
  void ask_for_hand_out() {
    if (fleet_.has_idle() && queue_.waiting().value() > 0) {
      agenda_.set(hand_outs, now_);
    }
  }
  void schedule_redelivery() {
    if (queue_.has_returning()) {
      agenda_.set(redeliveries, now_);
    }
  }
  void check_drained() {
    if (queue_.waiting().value() <= drain_level_ && now_ <= SimTime{config_.horizon}) {
      drained_at_ = now_;
      drain_level_ = no_drain_level;
    }
  }

  void on_observation();
  Areas areas(SimTime at) const {
    return {
        queue_.waiting().area(at), queue_.in_flight().area(at), fleet_.busy().area(at)};
  }

  void record(Happening what,
              RequestKey request,
              std::uint32_t attempt,
              int consumer = -1) {
    recorder_(LoggedEvent{now_, what, request, attempt, consumer});
  }

  static constexpr std::int64_t no_drain_level = -1;

  const SystemConfig& config_;
  RandomKey key_;
  std::size_t memory_limit_;
  Recorder recorder_;
  StageAgenda agenda_;
  SimTime now_{};

  WorkSampler work_;
  BaseArrivals base_arrivals_;
  std::vector<RequestLog> requests_;  // by origin
  std::int64_t open_requests_ = 0;
  std::int64_t retries_pending_ = 0;
  RetrySchedule retry_schedule_;
  MessageId timeout_cursor_ = 0;  // no producer's timer runs before it

  Queue queue_;
  Fleet fleet_;
  struct Beat {
    int consumer;
    std::uint32_t batch_number;
  };
  TimerLane<Beat> beats_;

  IncidentTimeline timeline_;
  Disturbance disturbance_;
  Surges surges_;
  std::vector<std::int64_t> backlog_sent_;  // by incident
  bool backlog_was_cut_ = false;

  Interventions interventions_;
  bool sheds_ = false;  // some requests may be turned away
  int most_attempts_;   // generations that an attempt may have
  InterventionCounts intervention_counts_;

  Meters meters_;
  MessageCounts counts_;  // those that the meters do not count
  std::int64_t open_to_decide_ = 0;
  bool horizon_passed_ = false;
  std::int64_t drain_level_ = no_drain_level;  // waiting messages to come back to
  std::int64_t level_before_ = 0;
  std::optional<SimTime> drained_at_;
};

template <class Recorder>
Stage<Recorder>::Stage(const SystemConfig& config,
                       const RandomKey& key,
                       std::size_t memory_limit,
                       Recorder recorder)
    : config_{config},
      key_{key},
      memory_limit_{memory_limit},
      recorder_{recorder},
      work_{config, key},
      base_arrivals_{config.arrivals, key, work_},
      requests_(config.incidents.size() + 1),
      retry_schedule_{config.producer.backoff},
      queue_{config.queue},
      fleet_{config.consumers, config.queue.receive_batch, reserves_of(config)},
      timeline_{config.incidents, key, SimTime{config.horizon}},
      disturbance_{config.incidents, key, total_count(config.consumers)},
      surges_{config.incidents, key},
      backlog_sent_(config.incidents.size(), 0),
      interventions_{config.interventions, key},
      most_attempts_{config.producer.max_attempts},
      meters_{config} {
  agenda_.set(incident_edges, next_edge());
  agenda_.set(base_arrivals, base_arrivals_.next());
  agenda_.set(observations, SimTime{});
}

template <class Recorder>
RunResult Stage<Recorder>::result() const {
  RunResult result;
  result.first_incident_start = timeline_.first_start();
  result.last_incident_end = timeline_.last_end();
  result.drained_at = drained_at_;
  meters_.report(result, mean_consumers());
  result.interventions = intervention_counts_;
  const Counters& counters = meters_.counters;
  result.counts = counts_;
  result.counts.dead_lettered = counters.dead_lettered;
  result.counts.expired = counters.expired;
  result.counts.rejected = counters.refused;
  result.counts.purged = intervention_counts_.purged;
  result.counts.completions = counters.completions;
  result.counts.redeliveries = counters.redelivered;
  result.counts.waiting = queue_.waiting().value();
  result.counts.in_flight = queue_.in_flight().value();
  result.counts.held = queue_.held();
  return result;
}

}  // namespace basin

#include "models/stage_incidents.h"
#include "models/stage_interventions.h"
#include "models/stage_messages.h"
#include "models/stage_requests.h"
