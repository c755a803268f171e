// The consumers: who is idle, what each holds, how fast it works, and when its processing
// ends. What a message's end means for queue and producer is in stage.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/level.h"
#include "engine/slot_timers.h"
#include "engine/time.h"
#include "models/message.h"
#include "models/system_config.h"

namespace basin {

// A received message in a consumer's hands: one of the places for its batch.
struct alignas(64) Task {
  enum class State : std::uint8_t {
    over,     // not held any more
    queued,   // behind others of its batch
    working,  // being processed
    done,     // ended well, acknowledged at the end of the batch
  };

  RequestKey request;
  MessageId message = 0;
  Duration work = work_not_known;  // as in Message
  SimTime since;                   // remaining is as of this instant
  double remaining = 0;            // nanoseconds of work left, at speed 1
  std::uint32_t attempt = 0;
  std::int32_t consumer = 0;  // whose place it is
  std::uint32_t slot = 0;     // number of the place in the fleet
  std::uint32_t timer = 0;    // the timer that ends its processing
  std::uint16_t receipt = 0;
  State state = State::over;
  bool lease_ended = false;
  bool poison = false;
  bool orphan = false;
  bool fails = false;  // its processing will end in a failure
};

class Fleet {
 public:
  // More consumers of ConsumersConfig::groups[group], that are not there yet.
  struct Reserve {
    int count = 0;
    std::size_t group = 0;
  };
  // Those in reserve are numbered after all others, in their order, and down until
  // brought up once.
  Fleet(const ConsumersConfig& config,
        int receive_batch,
        const std::vector<Reserve>& reserves = {});
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // Those in reserve included.
  int count() const { return static_cast<int>(consumers_.size()); }
  std::size_t batch_limit() const { return batch_limit_; }
  // Consumers at work on a batch and not down.
  const Level& busy() const { return busy_; }
  int down() const { return down_; }
  const Distribution& service_of(int consumer) const { return *of(consumer).service; }

  // --- Idle consumers, the longest idle first ---

  bool has_idle() const { return idle_head_ >= 0; }
  std::int64_t idle_count() const { return idle_count_; }
  int longest_idle() const { return idle_head_; }

  // --- Batches ---

  Task& task(std::size_t slot) { return tasks_[slot]; }
  // Where the consumer keeps its batch, batch_limit() places.
  Task* places(int consumer) { return &tasks_[index(consumer) * batch_limit_]; }
  // The places of the batch in hand, ended ones included; empty when there is none.
  std::span<Task> batch(int consumer) { return {places(consumer), of(consumer).batch}; }
  std::uint32_t batch_number(int consumer) const { return of(consumer).batch_number; }
  bool is_busy(int consumer) const { return of(consumer).batch > 0; }

  // The idle consumer now holds the first `size` of its places.
  void begin_batch(int consumer, std::size_t size, SimTime now);
  // It holds nothing any more; idle if it is up.
  void end_batch(int consumer, SimTime now);

  // --- Processing ---

  // The task is being processed from now; `work` at speed 1.
  void begin_work(Task& task, Duration work, SimTime now) {
    task.state = Task::State::working;
    task.remaining = static_cast<double>(work.count());
    task.since = now;
    const Consumer& consumer = of(task.consumer);
    if (consumer.outages == 0) {
      endings_.set(task.timer,
                   consumer.speed == 1 ? now + work : end_of(task, consumer.speed, now));
    }
  }
  // It is not being processed any more: ended or abandoned.
  void stop_work(const Task& task) { endings_.set(task.timer, never); }

  SimTime next_end() const { return endings_.next(); }
  // The task whose processing ends next; among equals the lowest consumer and place.
  Task& next_to_end() {
    const std::size_t timer = endings_.next_slot();
    return one_timer_a_place_ ? tasks_[timer] : working_task(static_cast<int>(timer));
  }

  // --- Disturbance ---

  // One more (one less) outage holds the consumer. A paused one keeps its work.
  void take_down(int consumer, SimTime now);
  void bring_up(int consumer, SimTime now);
  bool is_up(int consumer) const { return consumers_[index(consumer)].outages == 0; }
  // Factor on the speed from now on, > 0, for work in progress too.
  void set_speed(int consumer, double speed, SimTime now);

 private:
  struct Consumer {
    double speed = 1;
    const Distribution* service = nullptr;
    std::uint32_t batch = 0;  // messages in hand when the batch began; 0: none
    std::uint32_t batch_number = 0;
    int outages = 0;
    int idle_before = none;
    int idle_after = none;
  };
  static constexpr int none = -1;
  static constexpr int not_in_line = -2;  // as idle_before

  static std::size_t index(int consumer) { return static_cast<std::size_t>(consumer); }
  Consumer& of(int consumer) { return consumers_[index(consumer)]; }
  const Consumer& of(int consumer) const { return consumers_[index(consumer)]; }
  Task& working_task(int consumer);

  static SimTime end_of(const Task& task, double speed, SimTime now);
  void freeze(int consumer, SimTime now);
  void resume(int consumer, SimTime now);
  void join_idle(int consumer);
  void leave_idle(int consumer);

  ConsumersConfig config_;
  std::size_t batch_limit_;
  bool one_timer_a_place_;  // else one a consumer, which works on one message at a time
  std::vector<Consumer> consumers_;
  std::vector<Task> tasks_;  // batch_limit_ for each consumer
  SlotTimers endings_;
  Level busy_;
  int down_ = 0;
  int idle_head_ = none;
  int idle_tail_ = none;
  std::int64_t idle_count_ = 0;
};

inline void Fleet::begin_batch(int consumer, std::size_t size, SimTime now) {
  leave_idle(consumer);
  Consumer& self = of(consumer);
  self.batch = static_cast<std::uint32_t>(size);
  ++self.batch_number;
  busy_.add(1, now);
  if (idle_head_ >= 0) {
    // Whoever receives next has not been looked at for the longest.
    __builtin_prefetch(&of(idle_head_));
    __builtin_prefetch(places(idle_head_));
  }
}

inline void Fleet::end_batch(int consumer, SimTime now) {
  Consumer& self = of(consumer);
  self.batch = 0;
  if (self.outages == 0) {
    busy_.add(-1, now);
    join_idle(consumer);
  }
}

inline void Fleet::join_idle(int consumer) {
  Consumer& self = of(consumer);
  self.idle_before = idle_tail_;
  self.idle_after = none;
  (idle_tail_ >= 0 ? of(idle_tail_).idle_after : idle_head_) = consumer;
  idle_tail_ = consumer;
  ++idle_count_;
}

inline void Fleet::leave_idle(int consumer) {
  Consumer& self = of(consumer);
  if (self.idle_before == not_in_line) {
    return;
  }
  (self.idle_before >= 0 ? of(self.idle_before).idle_after : idle_head_) =
      self.idle_after;
  (self.idle_after >= 0 ? of(self.idle_after).idle_before : idle_tail_) =
      self.idle_before;
  self.idle_before = not_in_line;
  --idle_count_;
}

}  // namespace basin
