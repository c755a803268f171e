// The consumers: who is idle, what each holds, how fast it works, and when its processing
// ends. What a message's end means for queue and producer is in stage.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/level.h"
#include "engine/time.h"
#include "engine/tournament_tree.h"
#include "models/message.h"
#include "models/system_config.h"

namespace basin {

// A received message in a consumer's hands.
struct Task {
  enum class State : std::uint8_t {
    over,     // not held any more
    queued,   // behind others of its batch
    working,  // being processed
    done,     // ended well, acknowledged at the end of the batch
  };

  RequestKey request;
  MessageId message = 0;
  SimTime sent;
  SimTime since;         // remaining is as of this instant
  double remaining = 0;  // nanoseconds of work left, at speed 1
  std::uint32_t attempt = 0;
  std::uint16_t receipt = 0;
  State state = State::over;
  bool lease_ended = false;
  bool poison = false;
  bool orphan = false;
  bool fails = false;  // its processing will end in a failure
};

class Fleet {
 public:
  Fleet(const ConsumersConfig& config, int receive_batch);

  int count() const { return static_cast<int>(consumers_.size()); }
  std::size_t batch_limit() const { return batch_limit_; }
  // Consumers at work on a batch and not down.
  const Level& busy() const { return busy_; }
  int down() const { return down_; }
  const Distribution& service_of(int consumer) const {
    return config_.groups[consumers_[index(consumer)].group].service;
  }

  // --- Idle consumers, the longest idle first ---

  bool has_idle() const { return idle_head_ >= 0; }
  std::int64_t idle_count() const { return idle_count_; }
  int longest_idle() const { return idle_head_; }

  // --- Batches ---

  Task& task(std::size_t slot) { return tasks_[slot]; }
  std::size_t slot_of(int consumer, std::size_t place) const {
    return index(consumer) * batch_limit_ + place;
  }
  int consumer_of(std::size_t slot) const {
    return static_cast<int>(slot / batch_limit_);
  }
  std::size_t batch_size(int consumer) const { return consumers_[index(consumer)].batch; }
  std::uint32_t batch_number(int consumer) const {
    return consumers_[index(consumer)].batch_number;
  }
  bool is_busy(int consumer) const { return consumers_[index(consumer)].batch > 0; }

  // The idle consumer now holds tasks 0 … size-1 of its slots.
  void begin_batch(int consumer, std::size_t size, SimTime now);
  // It holds nothing any more; idle if it is up.
  void end_batch(int consumer, SimTime now);

  // --- Processing ---

  // The task is being processed from now; `work` at speed 1.
  void begin_work(std::size_t slot, Duration work, SimTime now) {
    Task& task = tasks_[slot];
    task.state = Task::State::working;
    task.remaining = static_cast<double>(work.count());
    task.since = now;
    const Consumer& consumer = consumers_[index(consumer_of(slot))];
    if (consumer.outages == 0) {
      endings_.set(timer_of(slot),
                   consumer.speed == 1 ? now + work : end_of(task, consumer.speed, now));
    }
  }
  // It is not being processed any more: ended or abandoned.
  void stop_work(std::size_t slot) { endings_.set(timer_of(slot), never); }

  SimTime next_end() const { return endings_.next(); }
  // The slot whose processing ends next; among equals the lowest.
  std::size_t next_end_slot() const { return slot_at(endings_.next_slot()); }

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
    std::size_t batch = 0;  // messages in hand when the batch began; 0: idle or down
    std::uint32_t batch_number = 0;
    std::uint32_t group = 0;
    int outages = 0;
    int idle_before = -1;
    int idle_after = -1;
    bool in_idle_line = false;
  };

  static std::size_t index(int consumer) { return static_cast<std::size_t>(consumer); }
  // A serial consumer has one timer, a concurrent one a timer for each task.
  std::size_t timer_of(std::size_t slot) const {
    return concurrent_ || batch_limit_ == 1 ? slot : slot / batch_limit_;
  }
  std::size_t slot_at(std::size_t timer) const {
    return concurrent_ || batch_limit_ == 1 ? timer
                                            : timer * batch_limit_ + working_place(timer);
  }
  std::size_t working_place(std::size_t consumer) const;

  static SimTime end_of(const Task& task, double speed, SimTime now);
  void freeze(int consumer, SimTime now);
  void resume(int consumer, SimTime now);
  void join_idle(int consumer);
  void leave_idle(int consumer);

  ConsumersConfig config_;
  std::size_t batch_limit_;
  bool concurrent_;
  std::vector<Consumer> consumers_;
  std::vector<Task> tasks_;  // batch_limit_ for each consumer
  TournamentTree endings_;
  Level busy_;
  int down_ = 0;
  int idle_head_ = -1;
  int idle_tail_ = -1;
  std::int64_t idle_count_ = 0;
};

}  // namespace basin
