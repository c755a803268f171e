// The queue: what a broker does with a message between the send and the delete.
//
// A message waits until a consumer receives it. With a visibility timeout the receive is
// a lease: until it ends the message is hidden, and only a delete that carries this
// receipt removes it; when it ends the message comes back. Without one a message is
// removed as it is handed out. The semantics are those that AWS documents for SQS; where
// the documentation leaves two readings there is a setting (stale_ack, redeliver_at).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/level.h"
#include "engine/ring.h"
#include "engine/time.h"
#include "engine/timer_lane.h"
#include "models/message.h"
#include "models/system_config.h"
#include "models/waiting_line.h"

namespace basin {

// A message in a consumer's hands: where the consumer keeps it, and the receipt.
struct Lease {
  MessageId message = 0;
  std::uint32_t task = 0;  // the consumer's place for it
  std::uint16_t receipt = 0;
};

enum class AckOutcome : std::uint8_t { deleted, deleted_late, ignored };

class Queue {
 public:
  explicit Queue(const QueueConfig& config)
      : config_{config},
        has_leases_{config.visibility_timeout.has_value()},
        line_{config.order, config.redeliver_at},
        drop_age_{config.message_ttl} {}

  MessageLog& log() { return log_; }
  bool has_leases() const { return has_leases_; }
  const Level& waiting() const { return waiting_; }
  const Level& in_flight() const { return in_flight_; }
  std::int64_t held() const { return held_; }

  // --- Sending ---

  // Whether one more message may wait, when idle consumers are about to receive up to
  // `about_to_be_received` of those that wait.
  bool has_room(std::int64_t about_to_be_received) const {
    if (!config_.capacity) {
      return true;
    }
    const std::int64_t stay = waiting_.value() > about_to_be_received
                                  ? waiting_.value() - about_to_be_received
                                  : 0;
    // A message that an idle consumer takes at once does not wait.
    return stay < *config_.capacity || waiting_.value() < about_to_be_received;
  }

  // Writes a message down: waiting, held by a partition, or gone (refused, its timer
  // running all the same). The sender fills in the rest.
  Message& send(MessageState state, SimTime now) {
    const MessageId id = log_.end();
    Message& message = log_.append();
    message.sent = now;
    message.state = state;
    if (state == MessageState::waiting) {
      line_.enter(id);
      waiting_.add(1, now);
    } else if (state == MessageState::held) {
      ++held_;
      held_ids_.push_back(id);
    }
    return message;
  }

  // Messages held by a partition, oldest first: enter(id) or refuse(id) each when it
  // ends.
  std::optional<MessageId> next_held() {
    if (held_ids_.empty()) {
      return std::nullopt;
    }
    const MessageId id = held_ids_.front();
    held_ids_.pop_front();
    --held_;
    return id;
  }
  void enter(MessageId id, SimTime now) {
    log_.at(id).state = MessageState::waiting;
    line_.enter(id);
    waiting_.add(1, now);
  }

  // --- Receiving ---

  enum class Fate : std::uint8_t { received, expired, dead_lettered };
  struct Taken {
    MessageId id = 0;
    Message* message = nullptr;
    Fate fate = Fate::received;
    bool again = false;  // a redelivery
  };
  // Takes the next message from the line: hands it out, or drops it as past its TTL, or
  // moves it to the dead-letter queue because it was received often enough. No message
  // when none waits. After `received`, lease() or hand_over() says how it is held.
  Taken take(SimTime now) {
    if (waiting_.value() == 0) {
      return {};
    }
    const WaitingLine::Entry entry = line_.take(log_);
    if (entry.message == nullptr) {
      return {};
    }
    waiting_.add(-1, now);
    Message& message = *entry.message;
    const bool again = message.receives > 0;
    if (drop_age_ && now - message.sent > *drop_age_) {
      return {entry.id, &message, Fate::expired, again};
    }
    if (config_.max_receives && message.receives >= *config_.max_receives) {
      return {entry.id, &message, Fate::dead_lettered, again};
    }
    message.receives = static_cast<std::uint16_t>(
        message.receives == UINT16_MAX ? 1 : message.receives + 1);
    in_flight_.add(1, now);
    return {entry.id, &message, Fate::received, again};
  }

  // The lease of a received message runs from now, for the task that holds it.
  void lease(MessageId id, Message& message, std::uint32_t task, SimTime now) {
    message.state = MessageState::in_flight;
    leases_.set(now + *config_.visibility_timeout,
                {id, task, message.receives},
                [this](const auto& timer) { return !is_running(timer); });
  }

  // Without leases: the message leaves the queue; it counts as in flight until settled.
  void hand_over(MessageId id, Message& message) { remove(id, message); }
  void settle_handed_over(SimTime now) { in_flight_.add(-1, now); }

  // Messages older than the lesser of `age` and message_ttl are dropped from now on.
  void drop_older_than(std::optional<Duration> age) {
    drop_age_ = config_.message_ttl;
    if (age && (!drop_age_ || *age < *drop_age_)) {
      drop_age_ = age;
    }
  }
  bool is_past_ttl(const Message& message, SimTime now) const {
    return config_.message_ttl && now - message.sent > *config_.message_ttl;
  }

  // The oldest waiting message, by its send; nullopt if none waits. It is found again
  // until it is removed.
  std::optional<MessageId> oldest_waiting();
  // A waiting message leaves the line, for remove() to follow.
  void take_out_waiting(SimTime now) { waiting_.add(-1, now); }

  // --- Ending ---

  // A delete that carries `receipt`; `message` is the record, null if that is gone.
  AckOutcome acknowledge(MessageId id,
                         Message* message,
                         std::uint16_t receipt,
                         SimTime now) {
    if (message == nullptr || message->receives != receipt) {
      return AckOutcome::ignored;  // deleted already, or received again since
    }
    if (message->state == MessageState::in_flight) {
      in_flight_.add(-1, now);
      forget_extension(id);
      remove(id, *message);
      return AckOutcome::deleted;
    }
    const bool lease_has_ended = message->state == MessageState::waiting ||
                                 message->state == MessageState::returning;
    if (lease_has_ended && config_.stale_ack == StaleAck::accept) {
      if (message->state == MessageState::waiting) {
        waiting_.add(-1, now);
      }
      remove(id, *message);
      return AckOutcome::deleted_late;
    }
    return AckOutcome::ignored;
  }

  // A message in flight under `receipt` is put back at once (a nack): false if its lease
  // has ended already.
  bool put_back(MessageId id, std::uint16_t receipt, SimTime now) {
    Message* message = log_.find(id);
    if (message == nullptr || message->receives != receipt ||
        message->state != MessageState::in_flight) {
      return false;
    }
    forget_extension(id);
    begin_return(id, *message, now);
    return true;
  }

  // --- Leases ---

  SimTime next_lease_end() const { return leases_.next(); }

  // Ends the oldest lease in the lane if it ends now and still runs; nullopt if its
  // message was deleted, returned or extended meanwhile.
  std::optional<Lease> end_lease(SimTime now) {
    if (leases_.next() != now) {
      return std::nullopt;
    }
    const auto timer = leases_.pop();
    std::optional<Lease> ended;
    if (is_running(timer)) {
      ended = timer.payload;
      forget_extension(timer.payload.message);
      begin_return(timer.payload.message, log_.at(timer.payload.message), now);
    }
    leases_.skip_while([this](const auto& next) { return !is_running(next); });
    return ended;
  }

  // A heartbeat: the running lease lasts a full visibility timeout from now.
  void extend(const Lease& lease, SimTime now) {
    const Message* message = log_.find(lease.message);
    if (message == nullptr || message->state != MessageState::in_flight ||
        message->receives != lease.receipt) {
      return;
    }
    const SimTime end = now + *config_.visibility_timeout;
    extended_to_[lease.message] = end;
    leases_.set(end, lease);
  }

  // --- Redelivery ---

  bool has_returning() const { return !returning_.empty(); }
  // Makes what came back at this instant visible, in the order of return.
  void admit_returning(SimTime now) {
    while (!returning_.empty()) {
      const MessageId id = returning_.front();
      returning_.pop_front();
      Message* message = log_.find(id);
      if (message != nullptr && message->state == MessageState::returning) {
        message->state = MessageState::waiting;
        line_.come_back(id);
        waiting_.add(1, now);
      }
    }
  }

  // The queue has done with the message: expired, dead-lettered, refused, lost.
  void remove(MessageId id, Message& message) {
    message.state = MessageState::gone;
    if (!message.timer) {
      log_.release(id);
    }
  }
  // The producer's timer for the message no longer runs.
  void stop_timer(MessageId id, Message& message) {
    message.timer = false;
    if (message.state == MessageState::gone) {
      log_.release(id);
    }
  }

  // Age of the oldest waiting message; zero if none waits.
  Duration oldest_age(SimTime now);

  std::size_t memory_bytes() const {
    return log_.memory_bytes() + line_.memory_bytes() + leases_.memory_bytes() +
           held_ids_.memory_bytes();
  }

 private:
  void begin_return(MessageId id, Message& message, SimTime now) {
    in_flight_.add(-1, now);
    message.state = MessageState::returning;
    returning_.push_back(id);
    oldest_from_ = id < oldest_from_ ? id : oldest_from_;
  }

  bool is_running(const TimerLane<Lease>::Timer& timer) {
    const Message* message = log_.find(timer.payload.message);
    if (message == nullptr || message->state != MessageState::in_flight ||
        message->receives != timer.payload.receipt) {
      return false;
    }
    if (extended_to_.empty()) {
      return true;
    }
    const auto extension = extended_to_.find(timer.payload.message);
    return extension == extended_to_.end() || extension->second == timer.end;
  }
  void forget_extension(MessageId id) {
    if (!extended_to_.empty()) {
      extended_to_.erase(id);
    }
  }

  QueueConfig config_;
  bool has_leases_;
  MessageLog log_;
  WaitingLine line_;
  std::optional<Duration> drop_age_;
  Level waiting_;
  Level in_flight_;
  TimerLane<Lease> leases_;
  std::unordered_map<MessageId, SimTime> extended_to_;  // by heartbeats; looked up only
  Ring<MessageId> returning_;
  Ring<MessageId> held_ids_;
  std::int64_t held_ = 0;
  MessageId oldest_from_ = 0;  // no message waits before it
};

}  // namespace basin
