#include "tests/models/plain_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "models/arrivals.h"
#include "models/distribution.h"

namespace basin {
namespace {

// The places of the table "Order at one instant".
enum Place {
  incident = 1,
  processing_end,
  lease_end,
  timeout,
  arrival,
  hand_out,
  observation
};
enum ArrivalKind { base, surge, retry, redelivery };

// (time, place, then two keys that the table gives, then the order of scheduling).
using EventKey = std::tuple<SimTime, int, std::int64_t, std::int64_t, std::int64_t>;

enum class Where { held, waiting, leased, returning, in_hands, gone };
enum class Placed { by_send, front, back };

struct Message {
  RequestKey key;
  std::uint32_t attempt = 1;
  int request = -1;  // -1: a backlog message
  SimTime sent{};
  std::int64_t send_order = 0;
  Where where = Where::held;
  Placed placed = Placed::by_send;
  int receive_count = 0;
};

enum class AttemptState { pending, waiting, over };

struct Attempt {
  std::uint32_t number = 1;
  int generation = 1;
  AttemptState state = AttemptState::pending;
  EventKey event;  // its timer, or its send while pending
};

struct Request {
  RequestKey key;
  SimTime created{};
  bool poison = false;
  bool open = true;
  std::vector<Attempt> attempts;
  double previous_delay = 0;  // decorrelated jitter
};

enum class ItemState { to_do, at_work, ended_well, left };

// One message of a batch, in its consumer's hands.
struct Item {
  int message = 0;
  int receipt = 1;
  SimTime lease_end{};
  ItemState state = ItemState::to_do;
  bool fails = false;
  double remaining = 0;         // ns of work at speed 1
  SimTime since{};              // remaining is as of then
  std::optional<EventKey> end;  // none while frozen
};

struct Batch {
  int consumer = 0;
  std::int64_t receive_order = 0;
  std::vector<Item> items;
};
using BatchPtr = std::shared_ptr<Batch>;

struct Consumer {
  const Distribution* service = nullptr;
  BatchPtr batch;  // none: idle
  int downs = 0;   // outages that hold it
  double speed = 1;
  std::int64_t idle_since = 0;
};

class PlainModel {
 public:
  PlainModel(const SystemConfig& config, const RandomKey& key)
      : config_{config}, key_{key} {
    for (const ConsumerGroup& group : config.consumers.groups) {
      for (int i = 0; i < group.count; ++i) {
        consumers_.push_back({.service = &group.service, .batch = nullptr});
        consumers_.back().idle_since = next_order_++;
      }
    }
    for (const Intervention& what : config.interventions) {
      first_added_.push_back(static_cast<int>(consumers_.size()));
      if (const auto* added = std::get_if<AddConsumers>(&what.effect)) {
        for (int i = 0; i < added->count; ++i) {
          consumers_.push_back({.service = &config.consumers.groups[added->group].service,
                                .batch = nullptr,
                                .downs = 1});
        }
      }
    }
    in_force_.assign(config.interventions.size(), false);
    active_.assign(config.incidents.size(), 0);
    backlog_sent_.assign(config.incidents.size(), 0);
    const std::int64_t bins = (config.horizon + config.outcome_interval - Duration{1}) /
                              config.outcome_interval;
    result_.outcomes.created.assign(static_cast<std::size_t>(bins), 0);
    result_.outcomes.succeeded.assign(static_cast<std::size_t>(bins), 0);
  }

  PlainResult run() {
    const SimTime horizon{config_.horizon};
    const SimTime limit = horizon + config_.success_within.value_or(config_.horizon);
    arrivals_ = std::make_unique<ArrivalStream>(config_.arrivals, key_, 0, SimTime{});
    schedule_base_arrival();
    schedule_incidents();
    schedule_interventions();
    for (SimTime t{}; t <= horizon; t += config_.sample_interval) {
      schedule(t, observation, 0, 0, [this] { sample_trajectories(); });
    }
    while (!events_.empty()) {
      const SimTime time = std::get<0>(events_.begin()->first);
      if (time > limit || (time > horizon && time > now_ && open_before_horizon_ == 0)) {
        break;
      }
      now_ = time;
      const std::function<void()> handler = events_.begin()->second;
      events_.erase(events_.begin());
      handler();
      look_for_hand_out();
      note_levels();
    }
    finish();
    return std::move(result_);
  }

 private:
  // --- calendar
  // ---------------------------------------------------------------------------

  EventKey schedule(SimTime time,
                    Place place,
                    std::int64_t first,
                    std::int64_t second,
                    std::function<void()> handler) {
    const EventKey event{time, place, first, second, next_order_++};
    events_[event] = std::move(handler);
    return event;
  }

  void log(Happening what, RequestKey request, std::uint32_t attempt, int consumer = -1) {
    result_.events.push_back({now_, what, request, attempt, consumer});
  }
  void log(Happening what, const Message& message, int consumer = -1) {
    log(what, message.key, message.attempt, consumer);
  }

  // --- arrivals
  // ---------------------------------------------------------------------------

  void schedule_base_arrival() {
    const SimTime next = arrivals_->next().time;
    if (next == never) {
      return;
    }
    schedule(next, arrival, base, 0, [this] {
      create_request(RequestKey::of(0, base_requests_++));
      schedule_base_arrival();
    });
  }

  void create_request(RequestKey key) {
    if (!is_admitted(key)) {
      log(Happening::shed, key, 0);
      ++result_.interventions.shed;
      return;
    }
    const int index = static_cast<int>(requests_.size());
    Request request{.key = key, .created = now_, .attempts = {}};
    for (std::size_t i = 0; i < config_.incidents.size(); ++i) {
      const auto* poison = std::get_if<Poison>(&config_.incidents[i].effect);
      if (poison != nullptr && active_[i] > 0) {
        const RandomAddress address{
            .purpose = static_cast<std::uint32_t>(Purpose::poison),
            .entity = key.bits,
            .part = 0,
            .block = static_cast<std::uint32_t>(i)};
        if (to_unit(random_block(key_, address)[0]) < poison->probability) {
          request.poison = true;
        }
      }
    }
    request.previous_delay = static_cast<double>(config_.producer.backoff.base.count());
    request.attempts.push_back({.number = 1, .generation = 1, .event = {}});
    requests_.push_back(request);
    result_.requests.push_back({.key = key, .created = now_});
    if (before_horizon(now_)) {
      ++open_before_horizon_;
      ++result_.outcomes.created[bin_of(now_)];
    }
    send(index, 1);
  }

  bool before_horizon(SimTime t) const { return t < SimTime{config_.horizon}; }
  std::size_t bin_of(SimTime t) const {
    return static_cast<std::size_t>(t.time_since_epoch() / config_.outcome_interval);
  }

  // --- producer
  // ---------------------------------------------------------------------------

  Attempt& attempt_of(int request, std::uint32_t number) {
    return requests_[static_cast<std::size_t>(request)].attempts[number - 1];
  }

  void send(int request, std::uint32_t number) {
    Attempt& attempt = attempt_of(request, number);
    attempt.state = AttemptState::waiting;
    if (number > 1) {
      result_.retries.push_back(now_);
    }
    const std::int64_t send_order = next_order_++;
    if (config_.producer.timeout) {
      attempt.event = schedule(now_ + *config_.producer.timeout,
                               timeout,
                               send_order,
                               0,
                               [this, request, number] { time_out(request, number); });
    }
    const int message = new_message(
        requests_[static_cast<std::size_t>(request)].key, number, request, send_order);
    enter_or_hold(message);
  }

  void enter_or_hold(int message) {
    if (any_partition(Partition::Side::messages)) {
      log(Happening::held, messages_[static_cast<std::size_t>(message)]);
      held_.push_back(message);
    } else {
      enter_queue(message);
    }
  }

  void time_out(int request, std::uint32_t number) {
    attempt_of(request, number).state = AttemptState::over;
    log(Happening::timed_out, requests_[static_cast<std::size_t>(request)].key, number);
    fail_attempt(request, number);
  }

  // Schedules the retries that the failure of an attempt causes.
  void fail_attempt(int index, std::uint32_t number) {
    Request& request = requests_[static_cast<std::size_t>(index)];
    const int generation = request.attempts[number - 1].generation;
    if (generation < config_.producer.max_attempts && !any_in_force<RetriesOff>()) {
      const double r = config_.producer.retries_per_timeout;
      const double coin = to_unit(random_block(
          key_, address_of(Purpose::attempt, request.key, number))[coin_word]);
      int retries = static_cast<int>(std::floor(r));
      if (coin < r - std::floor(r)) {
        ++retries;
      }
      for (int i = 0; i < retries; ++i) {
        const auto next = static_cast<std::uint32_t>(request.attempts.size() + 1);
        const Duration delay = backoff(request, next, generation + 1);
        log(Happening::retry_scheduled, request.key, next);
        request.attempts.push_back(
            {.number = next, .generation = generation + 1, .event = {}});
        request.attempts.back().event = schedule(
            now_ + delay, arrival, retry, 0, [this, index, next] { send(index, next); });
      }
    }
    give_up_if_nothing_left(index);
  }

  Duration backoff(Request& request, std::uint32_t number, int generation) const {
    const Backoff& rule = config_.producer.backoff;
    if (rule.kind == Backoff::Kind::none) {
      return Duration{0};
    }
    const double base_delay = static_cast<double>(rule.base.count());
    const double cap = static_cast<double>(rule.cap.count());
    double full = base_delay;
    if (rule.kind == Backoff::Kind::exponential) {
      for (int g = 2; g < generation; ++g) {
        full *= rule.factor;
      }
      full = std::min(cap, full);
    }
    const double u = to_unit(random_block(
        key_, address_of(Purpose::attempt, request.key, number))[jitter_word]);
    double delay = full;
    switch (rule.jitter) {
      case Backoff::Jitter::none:
        break;
      case Backoff::Jitter::full:
        delay = u * full;
        break;
      case Backoff::Jitter::equal:
        delay = full / 2 + u * full / 2;
        break;
      case Backoff::Jitter::decorrelated:
        delay = std::min(cap, base_delay + u * (3 * request.previous_delay - base_delay));
        request.previous_delay = delay;
        break;
    }
    return Duration{std::llround(delay)};
  }

  void give_up_if_nothing_left(int index) {
    const Request& request = requests_[static_cast<std::size_t>(index)];
    const bool left = std::any_of(
        request.attempts.begin(), request.attempts.end(), [](const Attempt& attempt) {
          return attempt.state != AttemptState::over;
        });
    if (!left) {
      give_up(index);
    }
  }

  void give_up(int index) {
    Request& request = requests_[static_cast<std::size_t>(index)];
    if (!request.open) {
      return;
    }
    log(Happening::given_up, request.key, 0);
    decide(request);
  }

  void decide(Request& request) {
    request.open = false;
    if (before_horizon(request.created)) {
      --open_before_horizon_;
    }
  }

  // A message of a fire-and-forget producer came to nothing.
  void message_failed(const Message& message) {
    if (message.request >= 0 && !config_.producer.timeout) {
      give_up(message.request);
    }
  }

  // Returns whether the reply made the request succeed.
  bool reply(const Message& message) {
    if (message.request < 0) {
      return false;
    }
    Request& request = requests_[static_cast<std::size_t>(message.request)];
    if (!request.open) {
      return false;
    }
    if (config_.producer.timeout) {
      const bool in_time =
          request.attempts[message.attempt - 1].state == AttemptState::waiting;
      const bool taken = in_time || config_.producer.late_reply == LateReply::accepted;
      if (any_partition(Partition::Side::replies) || !taken) {
        return false;
      }
    }
    log(Happening::answered, request.key, message.attempt);
    for (Attempt& attempt : request.attempts) {
      if (attempt.state == AttemptState::pending) {
        log(Happening::retry_cancelled, request.key, 0);
      }
      if (attempt.state != AttemptState::over) {
        events_.erase(attempt.event);
        attempt.state = AttemptState::over;
      }
    }
    decide(request);
    const Duration latency = now_ - request.created;
    if (config_.success_within && latency > *config_.success_within) {
      return false;
    }
    PlainRequest& record = result_.requests[static_cast<std::size_t>(message.request)];
    record.succeeded = true;
    record.latency = latency;
    if (before_horizon(request.created)) {
      ++result_.outcomes.succeeded[bin_of(request.created)];
    }
    return true;
  }

  // --- queue
  // ------------------------------------------------------------------------------

  bool leases() const { return config_.queue.visibility_timeout.has_value(); }

  int new_message(RequestKey key,
                  std::uint32_t attempt,
                  int request,
                  std::int64_t send_order) {
    ++result_.counts.sent;
    messages_.push_back({.key = key,
                         .attempt = attempt,
                         .request = request,
                         .sent = now_,
                         .send_order = send_order});
    return static_cast<int>(messages_.size()) - 1;
  }

  std::int64_t idle_and_up() const {
    return std::count_if(
        consumers_.begin(), consumers_.end(), [](const Consumer& consumer) {
          return consumer.batch == nullptr && consumer.downs == 0;
        });
  }

  void enter_queue(int index) {
    Message& message = messages_[static_cast<std::size_t>(index)];
    const auto waiting = static_cast<std::int64_t>(line_.size());
    if (config_.queue.capacity && waiting - idle_and_up() * config_.queue.receive_batch >=
                                      *config_.queue.capacity) {
      refuse(message);
      return;
    }
    log(Happening::sent, message);
    ++effective_since_sample_;
    message.where = Where::waiting;
    insert_by_send(index);
  }

  void refuse(Message& message) {
    log(Happening::refused, message);
    ++result_.counts.rejected;
    message.where = Where::gone;
    if (message.request < 0) {
      return;
    }
    if (!config_.producer.timeout) {
      give_up(message.request);
      return;
    }
    Attempt& attempt = attempt_of(message.request, message.attempt);
    if (attempt.state != AttemptState::waiting) {
      return;  // held by a partition past its timeout
    }
    switch (config_.producer.on_reject) {
      case OnReject::timeout:
        break;
      case OnReject::error:
        events_.erase(attempt.event);
        attempt.state = AttemptState::over;
        fail_attempt(message.request, message.attempt);
        break;
      case OnReject::silent:
        events_.erase(attempt.event);
        attempt.state = AttemptState::over;
        give_up_if_nothing_left(message.request);
        break;
    }
  }

  // line_ is in the order of hand-out.
  void insert_by_send(int index) {
    Message& message = messages_[static_cast<std::size_t>(index)];
    message.placed = Placed::by_send;
    const auto at = [this](std::size_t i) -> const Message& {
      return messages_[static_cast<std::size_t>(line_[i])];
    };
    std::size_t place = 0;
    if (config_.queue.order == QueueOrder::fifo) {
      place = line_.size();
      while (place > 0 && at(place - 1).placed == Placed::by_send &&
             at(place - 1).send_order > message.send_order) {
        --place;
      }
    } else {
      while (place < line_.size() && at(place).placed != Placed::back &&
             (at(place).placed == Placed::front ||
              at(place).send_order > message.send_order)) {
        ++place;
      }
    }
    line_.insert(line_.begin() + static_cast<std::ptrdiff_t>(place), index);
  }

  void return_to_queue(int index) {
    messages_[static_cast<std::size_t>(index)].where = Where::returning;
    schedule(now_, arrival, redelivery, 0, [this, index] {
      Message& message = messages_[static_cast<std::size_t>(index)];
      if (message.where != Where::returning) {
        return;  // deleted at this very instant
      }
      message.where = Where::waiting;
      switch (config_.queue.redeliver_at) {
        case RedeliverAt::front:
          message.placed = Placed::front;
          line_.insert(line_.begin(), index);
          break;
        case RedeliverAt::back:
          message.placed = Placed::back;
          line_.push_back(index);
          break;
        case RedeliverAt::original:
          insert_by_send(index);
          break;
      }
    });
  }

  void look_for_hand_out() {
    if (!hand_out_due_ && !line_.empty() && idle_and_up() > 0) {
      hand_out_due_ = true;
      schedule(now_, hand_out, 0, 0, [this] {
        hand_out_due_ = false;
        hand_out_to_longest_idle();
      });
    }
  }

  void hand_out_to_longest_idle() {
    int chosen = -1;
    for (int c = 0; c < static_cast<int>(consumers_.size()); ++c) {
      const Consumer& consumer = consumers_[static_cast<std::size_t>(c)];
      if (consumer.batch == nullptr && consumer.downs == 0 &&
          (chosen < 0 || consumer.idle_since <
                             consumers_[static_cast<std::size_t>(chosen)].idle_since)) {
        chosen = c;
      }
    }
    if (chosen < 0) {
      return;
    }
    const auto batch = std::make_shared<Batch>(
        Batch{.consumer = chosen, .receive_order = next_order_++, .items = {}});
    while (!line_.empty() &&
           static_cast<int>(batch->items.size()) < config_.queue.receive_batch) {
      const int index = line_.front();
      line_.erase(line_.begin());
      receive(index, *batch);
    }
    if (batch->items.empty()) {
      return;
    }
    consumers_[static_cast<std::size_t>(chosen)].batch = batch;
    if (leases()) {
      const SimTime end = now_ + *config_.queue.visibility_timeout;
      for (std::size_t i = 0; i < batch->items.size(); ++i) {
        set_lease(batch, i, end);
      }
      schedule_heartbeat(batch);
    }
    if (config_.consumers.processing == Processing::concurrent) {
      for (std::size_t i = 0; i < batch->items.size(); ++i) {
        begin_processing(batch, i);
      }
    } else {
      begin_processing(batch, 0);
    }
  }

  void receive(int index, Batch& batch) {
    Message& message = messages_[static_cast<std::size_t>(index)];
    const bool past_ttl =
        config_.queue.message_ttl && now_ - message.sent > *config_.queue.message_ttl;
    if (past_ttl || is_past_drop_age(message)) {
      message.where = Where::gone;
      ++result_.counts.expired;
      result_.interventions.expired += past_ttl ? 0 : 1;
      log(Happening::expired, message);
      message_failed(message);
      return;
    }
    if (config_.queue.max_receives &&
        message.receive_count >= *config_.queue.max_receives) {
      message.where = Where::gone;
      ++result_.counts.dead_lettered;
      log(Happening::dead_lettered, message);
      message_failed(message);
      return;
    }
    ++message.receive_count;
    message.where = leases() ? Where::leased : Where::in_hands;
    log(Happening::received, message, batch.consumer);
    if (message.receive_count == 1) {
      result_.waits.emplace_back(now_, now_ - message.sent);
    } else {
      ++result_.counts.redeliveries;
      ++effective_since_sample_;
      result_.redeliveries.push_back(now_);
    }
    batch.items.push_back(
        {.message = index, .receipt = message.receive_count, .end = {}});
  }

  // Whether the lease that this item stands for still runs.
  bool lease_runs(const Item& item) const {
    const Message& message = messages_[static_cast<std::size_t>(item.message)];
    return message.where == Where::leased && message.receive_count == item.receipt;
  }

  bool holds(const BatchPtr& batch) const {
    return consumers_[static_cast<std::size_t>(batch->consumer)].batch == batch;
  }

  void set_lease(const BatchPtr& batch, std::size_t i, SimTime end) {
    batch->items[i].lease_end = end;
    schedule(end, lease_end, 1, batch->receive_order, [this, batch, i] {
      end_lease(batch, i);
    });
  }

  void end_lease(const BatchPtr& batch, std::size_t i) {
    Item& item = batch->items[i];
    if (!lease_runs(item) || item.lease_end != now_) {
      return;  // deleted, returned or extended meanwhile
    }
    log(Happening::lease_ended, messages_[static_cast<std::size_t>(item.message)]);
    return_to_queue(item.message);
    if (holds(batch) && item.state == ItemState::at_work &&
        config_.consumers.on_lease_end == OnLeaseEnd::abandon) {
      log(Happening::abandoned,
          messages_[static_cast<std::size_t>(item.message)],
          batch->consumer);
      stop(item);
      item.state = ItemState::left;
      go_on_with(batch);
    }
  }

  void schedule_heartbeat(const BatchPtr& batch) {
    if (!config_.consumers.heartbeat) {
      return;
    }
    schedule(now_ + *config_.consumers.heartbeat,
             lease_end,
             0,
             batch->receive_order,
             [this, batch] {
               if (!holds(batch)) {
                 return;
               }
               if (consumers_[static_cast<std::size_t>(batch->consumer)].downs == 0) {
                 const SimTime end = now_ + *config_.queue.visibility_timeout;
                 for (std::size_t i = 0; i < batch->items.size(); ++i) {
                   if (batch->items[i].state != ItemState::left &&
                       lease_runs(batch->items[i])) {
                     set_lease(batch, i, end);
                   }
                 }
               }
               schedule_heartbeat(batch);
             });
  }

  void acknowledge(const Item& item, int consumer) {
    Message& message = messages_[static_cast<std::size_t>(item.message)];
    bool reaches = true;
    for (std::size_t i = 0; i < config_.incidents.size(); ++i) {
      const auto* loss = std::get_if<AckLoss>(&config_.incidents[i].effect);
      if (loss != nullptr && active_[i] > 0 &&
          receipt_draw(Purpose::ack_loss, message, item.receipt, i) < loss->probability) {
        reaches = false;
      }
    }
    const bool not_received_again = message.receive_count == item.receipt;
    const bool visible =
        message.where == Where::waiting || message.where == Where::returning;
    const bool deletes = reaches && not_received_again &&
                         (message.where == Where::leased ||
                          (visible && config_.queue.stale_ack == StaleAck::accept));
    if (!deletes) {
      log(Happening::ack_ignored, message, consumer);
      return;
    }
    if (message.where == Where::waiting) {
      line_.erase(std::find(line_.begin(), line_.end(), item.message));
    }
    message.where = Where::gone;
    ++result_.counts.completed;
    log(Happening::acknowledged, message, consumer);
  }

  double receipt_draw(Purpose purpose,
                      const Message& message,
                      int receipt,
                      std::size_t incident_index) const {
    const RandomAddress address{.purpose = static_cast<std::uint32_t>(purpose),
                                .entity = message.key.bits,
                                .part = message.attempt,
                                .block = (static_cast<std::uint32_t>(receipt) << 8) |
                                         static_cast<std::uint32_t>(incident_index)};
    return to_unit(random_block(key_, address)[0]);
  }

  // --- consumers
  // --------------------------------------------------------------------------

  double work_of(const Message& message, int receipt, const Distribution& service) const {
    double seconds = 0;
    switch (config_.queue.work) {
      case WorkBelongsTo::per_message:
      case WorkBelongsTo::per_request: {
        const std::uint32_t attempt =
            config_.queue.work == WorkBelongsTo::per_request ? 1 : message.attempt;
        seconds = sample(
            service,
            random_block(key_,
                         address_of(Purpose::attempt, message.key, attempt))[work_word],
            RandomStream{key_, address_of(Purpose::work, message.key, attempt)});
        break;
      }
      case WorkBelongsTo::per_delivery: {
        RandomAddress address =
            address_of(Purpose::delivery, message.key, message.attempt);
        address.block = static_cast<std::uint32_t>(receipt) << 16;
        const std::uint64_t word = random_block(key_, address)[0];
        ++address.block;
        seconds = sample(service, word, RandomStream{key_, address});
        break;
      }
    }
    return static_cast<double>(from_seconds(seconds).count());
  }

  void begin_processing(const BatchPtr& batch, std::size_t i) {
    Item& item = batch->items[i];
    const Consumer& consumer = consumers_[static_cast<std::size_t>(batch->consumer)];
    const Message& message = messages_[static_cast<std::size_t>(item.message)];
    item.state = ItemState::at_work;
    item.remaining = work_of(message, item.receipt, *consumer.service);
    // Of several failures the one that shows first.
    const double work = item.remaining;
    const auto fail_after = [&](double nanoseconds) {
      item.remaining = item.fails ? std::min(item.remaining, nanoseconds) : nanoseconds;
      item.fails = true;
    };
    if (message.request >= 0 &&
        requests_[static_cast<std::size_t>(message.request)].poison) {
      fail_after(work);
    }
    for (std::size_t n = 0; n < config_.incidents.size(); ++n) {
      if (active_[n] == 0) {
        continue;
      }
      const IncidentEffect& effect = config_.incidents[n].effect;
      if (const auto* down = std::get_if<DownstreamFailure>(&effect)) {
        if (receipt_draw(Purpose::failure, message, item.receipt, n) <
            down->probability) {
          fail_after(down->fails_after ? static_cast<double>(down->fails_after->count())
                                       : work);
        }
      } else if (const auto* hole = std::get_if<BlackHole>(&effect)) {
        if (batch->consumer < touched(hole->share)) {
          fail_after(static_cast<double>(hole->fails_after.count()));
        }
      }
    }
    item.since = now_;
    if (consumer.downs == 0) {
      run_item(batch, i);
    }
  }

  // Schedules the end of processing as the speed is now.
  void run_item(const BatchPtr& batch, std::size_t i) {
    Item& item = batch->items[i];
    const double speed = consumers_[static_cast<std::size_t>(batch->consumer)].speed;
    const double nanoseconds = std::min(
        item.remaining / speed, static_cast<double>(longest_duration.count() / 2));
    item.since = now_;
    item.end = schedule(now_ + Duration{std::llround(nanoseconds)},
                        processing_end,
                        batch->consumer,
                        static_cast<std::int64_t>(i),
                        [this, batch, i] { end_processing(batch, i); });
  }

  void stop(Item& item) {
    if (item.end) {
      events_.erase(*item.end);
      item.end.reset();
    }
  }

  // Takes the work done so far off what remains, and stops.
  void freeze(Item& item, double speed) {
    if (item.end) {
      const double elapsed = static_cast<double>((now_ - item.since).count());
      item.remaining = std::max(0.0, item.remaining - elapsed * speed);
      stop(item);
    }
  }

  void end_processing(const BatchPtr& batch, std::size_t i) {
    Item& item = batch->items[i];
    Message& message = messages_[static_cast<std::size_t>(item.message)];
    item.end.reset();
    if (item.fails) {
      item.state = ItemState::left;
      log(Happening::failed, message, batch->consumer);
      if (!leases()) {
        lose(message, batch->consumer);
      } else if (config_.consumers.on_failure == OnFailure::nack && lease_runs(item)) {
        log(Happening::returned, message);
        return_to_queue(item.message);
      }
    } else {
      item.state = ItemState::ended_well;
      log(Happening::completed, message, batch->consumer);
      ++result_.counts.completions;
      ++completions_since_sample_;
      if (!leases()) {
        message.where = Where::gone;
        ++result_.counts.completed;
      } else if (config_.consumers.acknowledge == Acknowledge::each) {
        acknowledge(item, batch->consumer);
        item.state = ItemState::left;
      }
      const bool success = reply(message);
      goodput_since_sample_ += success ? 1 : 0;
      result_.completions.push_back({now_, success});
    }
    go_on_with(batch);
  }

  void lose(Message& message, int consumer) {
    message.where = Where::gone;
    ++result_.counts.lost;
    log(Happening::lost, message, consumer);
    message_failed(message);
  }

  // After a message of the batch has ended or was left: the next one, or the end of the
  // batch.
  void go_on_with(const BatchPtr& batch) {
    for (std::size_t i = 0; i < batch->items.size(); ++i) {
      Item& item = batch->items[i];
      if (item.state == ItemState::at_work) {
        return;
      }
      if (item.state == ItemState::to_do) {
        if (config_.consumers.on_lease_end == OnLeaseEnd::abandon && leases() &&
            !lease_runs(item)) {
          item.state = ItemState::left;  // skipped
        } else {
          begin_processing(batch, i);
          return;
        }
      }
    }
    if (leases() && config_.consumers.acknowledge == Acknowledge::batch) {
      for (const Item& item : batch->items) {
        if (item.state == ItemState::ended_well) {
          acknowledge(item, batch->consumer);
        }
      }
    }
    Consumer& consumer = consumers_[static_cast<std::size_t>(batch->consumer)];
    consumer.batch = nullptr;
    consumer.idle_since = next_order_++;
  }

  // --- incidents
  // --------------------------------------------------------------------------

  int touched(const Share& share) const {
    const auto count = std::int64_t{total_count(config_.consumers)};
    const std::int64_t number =
        std::holds_alternative<double>(share)
            ? std::llround(std::get<double>(share) * static_cast<double>(count))
            : std::get<std::int64_t>(share);
    return static_cast<int>(std::min(number, count));
  }

  bool any_partition(Partition::Side side) const {
    for (std::size_t i = 0; i < config_.incidents.size(); ++i) {
      const auto* partition = std::get_if<Partition>(&config_.incidents[i].effect);
      if (partition != nullptr && partition->side == side && active_[i] > 0) {
        return true;
      }
    }
    return false;
  }

  void schedule_incidents() {
    for (std::size_t i = 0; i < config_.incidents.size(); ++i) {
      const Incident& what = config_.incidents[i];
      surge_arrivals_.emplace_back(PoissonArrivals{.rate = 0});
      if (const auto* extra = std::get_if<ArrivalSurge>(&what.effect)) {
        surge_arrivals_.back() = PoissonArrivals{.rate = extra->extra_rate};
      }
      surges_.emplace_back();
      for (int k = 0; k < what.occurrences; ++k) {
        const auto key = RequestKey::of(static_cast<std::uint32_t>(i) + 1,
                                        static_cast<std::uint64_t>(k));
        RandomAddress address = address_of(Purpose::incident_schedule, key, 0);
        const std::uint64_t word = random_block(key_, address)[0];
        address.block = 1;
        const Duration duration =
            from_seconds(sample(what.duration, word, RandomStream{key_, address}));
        const SimTime start{what.start + k * what.every};
        const SimTime end = start + duration;
        if (end > SimTime{config_.horizon}) {
          throw std::runtime_error("an incident's drawn duration passes the horizon");
        }
        result_.first_incident_start =
            std::min(result_.first_incident_start.value_or(start), start);
        result_.last_incident_end =
            std::max(result_.last_incident_end.value_or(end), end);
        schedule(start, incident, 1, static_cast<std::int64_t>(i), [this, i, key, end] {
          log(Happening::incident_started, key, 0);
          // Ends go before starts, but not before their own.
          schedule(end, incident, 0, static_cast<std::int64_t>(i), [this, i, key] {
            log(Happening::incident_ended, key, 0);
            --active_[i];
            apply(i, false);
          });
          ++active_[i];
          apply(i, true);
        });
      }
    }
    for (std::size_t i = 0; i < config_.incidents.size(); ++i) {
      if (std::holds_alternative<ArrivalSurge>(config_.incidents[i].effect)) {
        surges_[i].stream = std::make_unique<ArrivalStream>(
            surge_arrivals_[i], key_, static_cast<std::uint32_t>(i) + 1, SimTime{});
        surges_[i].next = surges_[i].stream->next().time;
      }
    }
  }

  void apply(std::size_t i, bool starts) {
    const IncidentEffect& effect = config_.incidents[i].effect;
    if (const auto* outage = std::get_if<ConsumerOutage>(&effect)) {
      for (int c = 0; c < touched(outage->share); ++c) {
        starts ? take_down(c, outage->mode) : bring_back(c);
      }
    } else if (std::holds_alternative<Slowdown>(effect)) {
      change_speeds();
    } else if (std::holds_alternative<ArrivalSurge>(effect)) {
      turn_surge(i, starts);
    } else if (const auto* messages = std::get_if<Backlog>(&effect)) {
      if (starts) {
        send_backlog(i, messages->messages);
      }
    } else if (const auto* saturated = std::get_if<Saturated>(&effect)) {
      if (starts) {
        send_backlog(i,
                     std::llround(to_seconds(saturated->delay) *
                                  total_service_rate(config_.consumers)));
      }
    } else if (const auto* partition = std::get_if<Partition>(&effect)) {
      if (!starts && partition->side == Partition::Side::messages &&
          !any_partition(Partition::Side::messages)) {
        const std::vector<int> released = std::move(held_);
        held_.clear();
        for (const int message : released) {
          enter_queue(message);
        }
      }
    }
  }

  void take_down(int c, ConsumerOutage::Mode mode) {
    Consumer& consumer = consumers_[static_cast<std::size_t>(c)];
    if (consumer.batch != nullptr) {
      for (Item& item : consumer.batch->items) {
        freeze(item, consumer.speed);
      }
    }
    ++consumer.downs;
    if (mode == ConsumerOutage::Mode::crash && consumer.batch != nullptr) {
      const BatchPtr dropped = consumer.batch;
      consumer.batch = nullptr;
      for (const Item& item : dropped->items) {
        if (!leases() &&
            (item.state == ItemState::to_do || item.state == ItemState::at_work)) {
          lose(messages_[static_cast<std::size_t>(item.message)], c);
        }
      }
    }
  }

  void bring_back(int c) {
    Consumer& consumer = consumers_[static_cast<std::size_t>(c)];
    if (--consumer.downs > 0) {
      return;
    }
    consumer.idle_since = next_order_++;
    if (consumer.batch != nullptr) {
      for (std::size_t i = 0; i < consumer.batch->items.size(); ++i) {
        if (consumer.batch->items[i].state == ItemState::at_work) {
          run_item(consumer.batch, i);
        }
      }
    }
  }

  void change_speeds() {
    for (int c = 0; c < static_cast<int>(consumers_.size()); ++c) {
      double speed = 1;
      for (std::size_t i = 0; i < config_.incidents.size(); ++i) {
        const auto* slowdown = std::get_if<Slowdown>(&config_.incidents[i].effect);
        if (slowdown != nullptr && c < touched(slowdown->share)) {
          for (int n = 0; n < active_[i]; ++n) {
            speed *= slowdown->speed;
          }
        }
      }
      Consumer& consumer = consumers_[static_cast<std::size_t>(c)];
      const double before = consumer.speed;
      consumer.speed = speed;
      if (speed == before || consumer.batch == nullptr) {
        continue;
      }
      for (std::size_t i = 0; i < consumer.batch->items.size(); ++i) {
        if (consumer.batch->items[i].end) {  // at work and not frozen
          freeze(consumer.batch->items[i], before);
          run_item(consumer.batch, i);
        }
      }
    }
  }

  // The surge's stream runs on a clock of its own, which stands while no occurrence is
  // on.
  void turn_surge(std::size_t i, bool starts) {
    Surge& state = surges_[i];
    if (starts && active_[i] == 1) {
      state.resumed = now_;
      schedule_surge_arrival(i);
    } else if (!starts && active_[i] == 0) {
      state.clock += now_ - state.resumed;
      if (state.event) {
        events_.erase(*state.event);
        state.event.reset();
      }
    }
  }

  void schedule_surge_arrival(std::size_t i) {
    Surge& state = surges_[i];
    if (state.next == never) {
      return;
    }
    state.event = schedule(
        state.resumed + (state.next - state.clock),
        arrival,
        surge,
        static_cast<std::int64_t>(i),
        [this, i] {
          Surge& s = surges_[i];
          s.event.reset();
          create_request(RequestKey::of(static_cast<std::uint32_t>(i) + 1, s.requests++));
          s.next = s.stream->next().time;
          schedule_surge_arrival(i);
        });
  }

  void send_backlog(std::size_t i, std::int64_t count) {
    for (std::int64_t n = 0; n < count; ++n) {
      const auto key =
          RequestKey::of(static_cast<std::uint32_t>(i) + 1, backlog_sent_[i]++);
      const std::int64_t send_order = next_order_++;
      enter_or_hold(new_message(key, 1, -1, send_order));
    }
  }

  // --- interventions
  // ----------------------------------------------------------------------

  void schedule_interventions() {
    for (std::size_t i = 0; i < config_.interventions.size(); ++i) {
      const Intervention& what = config_.interventions[i];
      const auto key = RequestKey::of(static_cast<std::uint32_t>(i) + 1, 0);
      const SimTime start{what.start};
      // After the incidents of the instant.
      schedule(start, incident, 3, static_cast<std::int64_t>(i), [this, i, key] {
        log(Happening::intervention_started, key, 0);
        in_force_[i] = true;
        intervene(i);
      });
      if (what.duration) {
        schedule(start + *what.duration,
                 incident,
                 2,
                 static_cast<std::int64_t>(i),
                 [this, i, key] {
                   log(Happening::intervention_ended, key, 0);
                   in_force_[i] = false;
                 });
      }
    }
  }

  void intervene(std::size_t i) {
    const InterventionEffect& effect = config_.interventions[i].effect;
    if (const auto* added = std::get_if<AddConsumers>(&effect)) {
      for (int n = 0; n < added->count; ++n) {
        bring_back(first_added_[i] + n);
      }
    } else if (std::holds_alternative<RetriesOff>(effect)) {
      cancel_pending_retries();
    } else if (const auto* what = std::get_if<Purge>(&effect)) {
      const auto size = static_cast<double>(line_.size());
      for (auto n = std::llround(what->fraction * size); n > 0; --n) {
        // Messages are numbered in the order of their sends.
        const auto oldest = std::min_element(line_.begin(), line_.end());
        Message& message = messages_[static_cast<std::size_t>(*oldest)];
        line_.erase(oldest);
        message.where = Where::gone;
        ++result_.counts.purged;
        ++result_.interventions.purged;
        log(Happening::purged, message);
        message_failed(message);
      }
    }
  }

  void cancel_pending_retries() {
    for (std::size_t index = 0; index < requests_.size(); ++index) {
      bool cancelled = false;
      for (Attempt& attempt : requests_[index].attempts) {
        if (attempt.state == AttemptState::pending) {
          events_.erase(attempt.event);
          attempt.state = AttemptState::over;
          log(Happening::retry_cancelled, requests_[index].key, 0);
          ++result_.interventions.retries_cancelled;
          cancelled = true;
        }
      }
      if (cancelled) {
        give_up_if_nothing_left(static_cast<int>(index));
      }
    }
  }

  template <class Effect>
  bool any_in_force() const {
    for (std::size_t i = 0; i < in_force_.size(); ++i) {
      if (in_force_[i] &&
          std::holds_alternative<Effect>(config_.interventions[i].effect)) {
        return true;
      }
    }
    return false;
  }

  bool is_past_drop_age(const Message& message) const {
    for (std::size_t i = 0; i < in_force_.size(); ++i) {
      const auto* drop = std::get_if<DropExpired>(&config_.interventions[i].effect);
      if (drop != nullptr && in_force_[i] && now_ - message.sent > drop->age) {
        return true;
      }
    }
    return false;
  }

  bool is_admitted(RequestKey key) const {
    bool admitted = true;
    for (std::size_t i = 0; i < in_force_.size(); ++i) {
      const auto* shed = std::get_if<Shed>(&config_.interventions[i].effect);
      if (shed != nullptr && in_force_[i]) {
        const RandomAddress address{.purpose = static_cast<std::uint32_t>(Purpose::shed),
                                    .entity = key.bits,
                                    .part = 0,
                                    .block = static_cast<std::uint32_t>(i)};
        if (to_unit(random_block(key_, address)[0]) >= shed->admitted) {
          admitted = false;
        }
      }
    }
    return admitted;
  }

  // --- observation
  // ------------------------------------------------------------------------

  std::int64_t in_flight() const {
    return std::count_if(messages_.begin(), messages_.end(), [](const Message& message) {
      return message.where == Where::leased || message.where == Where::in_hands;
    });
  }

  void note_levels() {
    PlainLevels levels{.time = now_,
                       .waiting = static_cast<std::int64_t>(line_.size()),
                       .in_flight = in_flight()};
    for (const Consumer& consumer : consumers_) {
      levels.with_a_batch += consumer.batch != nullptr ? 1 : 0;
      levels.at_work += consumer.batch != nullptr && consumer.downs == 0 ? 1 : 0;
    }
    result_.levels.push_back(levels);
  }

  void sample_trajectories() {
    Trajectory& trajectory = result_.trajectory;
    const auto add = [](std::vector<float>& series, double value) {
      series.push_back(static_cast<float>(value));
    };
    const double interval = to_seconds(config_.sample_interval);
    const bool first = trajectory.depth.empty();
    const auto rate = [&](std::int64_t count) {
      return first ? 0.0 : static_cast<double>(count) / interval;
    };
    add(trajectory.depth, static_cast<double>(line_.size()));
    add(trajectory.in_flight, static_cast<double>(in_flight()));
    SimTime oldest = now_;
    for (const int message : line_) {
      oldest = std::min(oldest, messages_[static_cast<std::size_t>(message)].sent);
    }
    add(trajectory.oldest_age, to_seconds(now_ - oldest));
    std::int64_t pending = 0;
    for (const Request& request : requests_) {
      pending += std::count_if(
          request.attempts.begin(), request.attempts.end(), [](const Attempt& attempt) {
            return attempt.state == AttemptState::pending;
          });
    }
    add(trajectory.retries_pending, static_cast<double>(pending));
    add(trajectory.consumers,
        static_cast<double>(std::count_if(
            consumers_.begin(), consumers_.end(), [](const Consumer& consumer) {
              return consumer.downs == 0;
            })));
    const auto requests = static_cast<std::int64_t>(requests_.size());
    add(trajectory.base_rate, rate(requests - requests_at_sample_));
    add(trajectory.effective_rate, rate(effective_since_sample_));
    add(trajectory.throughput, rate(completions_since_sample_));
    add(trajectory.goodput, rate(goodput_since_sample_));
    requests_at_sample_ = requests;
    effective_since_sample_ = 0;
    completions_since_sample_ = 0;
    goodput_since_sample_ = 0;
  }

  void finish() {
    result_.ended = now_;
    for (const Message& message : messages_) {
      switch (message.where) {
        case Where::held:
          ++result_.counts.held;
          break;
        case Where::waiting:
        case Where::returning:
          ++result_.counts.waiting;
          break;
        case Where::leased:
        case Where::in_hands:
          ++result_.counts.in_flight;
          break;
        case Where::gone:
          break;
      }
    }
  }

  struct Surge {
    std::unique_ptr<ArrivalStream> stream;
    SimTime next = never;  // by the surge's own clock
    SimTime clock{};       // its own clock when it last stopped
    SimTime resumed{};
    std::uint64_t requests = 0;
    std::optional<EventKey> event;
  };

  const SystemConfig& config_;
  const RandomKey key_;
  std::map<EventKey, std::function<void()>> events_;
  SimTime now_{};
  std::int64_t next_order_ = 0;

  std::unique_ptr<ArrivalStream> arrivals_;
  std::uint64_t base_requests_ = 0;
  std::vector<Request> requests_;
  std::int64_t open_before_horizon_ = 0;

  std::vector<Message> messages_;
  std::vector<int> line_;
  std::vector<int> held_;
  bool hand_out_due_ = false;
  std::vector<Consumer> consumers_;

  std::vector<int> active_;  // occurrences that are on, of each incident
  std::vector<std::uint64_t> backlog_sent_;
  std::vector<Arrivals> surge_arrivals_;
  std::vector<Surge> surges_;
  std::vector<bool> in_force_;    // of each intervention
  std::vector<int> first_added_;  // consumer, of each intervention

  PlainResult result_;
  std::int64_t requests_at_sample_ = 0;
  std::int64_t effective_since_sample_ = 0;
  std::int64_t completions_since_sample_ = 0;
  std::int64_t goodput_since_sample_ = 0;
};

}  // namespace

PlainResult plain_run(const SystemConfig& config, const RandomKey& key) {
  return PlainModel{config, key}.run();
}

}  // namespace basin
