#include "models/fleet.h"

#include <algorithm>
#include <cmath>

namespace basin {

namespace {

std::size_t total_with(const std::vector<Fleet::Reserve>& reserves,
                       const ConsumersConfig& config) {
  auto count = static_cast<std::size_t>(total_count(config));
  for (const Fleet::Reserve& reserve : reserves) {
    count += static_cast<std::size_t>(reserve.count);
  }
  return count;
}

}  // namespace

Fleet::Fleet(const ConsumersConfig& config,
             int receive_batch,
             const std::vector<Reserve>& reserves)
    : config_{config},
      batch_limit_{static_cast<std::size_t>(receive_batch)},
      one_timer_a_place_{config.processing == Processing::concurrent ||
                         batch_limit_ == 1},
      consumers_(total_with(reserves, config)),
      tasks_(consumers_.size() * batch_limit_),
      endings_{one_timer_a_place_ ? tasks_.size() : consumers_.size()} {
  int consumer = 0;
  for (const ConsumerGroup& group : config_.groups) {
    for (int i = 0; i < group.count; ++i) {
      of(consumer).service = &group.service;
      join_idle(consumer);
      ++consumer;
    }
  }
  for (const Reserve& reserve : reserves) {
    for (int i = 0; i < reserve.count; ++i) {
      Consumer& self = of(consumer++);
      self.service = &config_.groups[reserve.group].service;
      self.outages = 1;
      self.idle_before = not_in_line;
      ++down_;
    }
  }
  for (std::size_t slot = 0; slot < tasks_.size(); ++slot) {
    const std::size_t owner = slot / batch_limit_;
    tasks_[slot].slot = static_cast<std::uint32_t>(slot);
    tasks_[slot].consumer = static_cast<std::int32_t>(owner);
    tasks_[slot].timer = static_cast<std::uint32_t>(one_timer_a_place_ ? slot : owner);
  }
}

Task& Fleet::working_task(int consumer) {
  Task* task = places(consumer);
  while (task->state != Task::State::working) {
    ++task;
  }
  return *task;
}

void Fleet::take_down(int consumer, SimTime now) {
  Consumer& self = of(consumer);
  if (++self.outages > 1) {
    return;
  }
  ++down_;
  if (self.batch == 0) {
    leave_idle(consumer);
  } else {
    busy_.add(-1, now);
    freeze(consumer, now);
  }
}

void Fleet::bring_up(int consumer, SimTime now) {
  Consumer& self = of(consumer);
  if (--self.outages > 0) {
    return;
  }
  --down_;
  if (self.batch == 0) {
    join_idle(consumer);
  } else {
    busy_.add(1, now);
    resume(consumer, now);
  }
}

void Fleet::set_speed(int consumer, double speed, SimTime now) {
  Consumer& self = of(consumer);
  if (speed == self.speed) {
    return;
  }
  if (self.outages == 0) {
    freeze(consumer, now);
  }
  self.speed = speed;
  if (self.outages == 0) {
    resume(consumer, now);
  }
}

SimTime Fleet::end_of(const Task& task, double speed, SimTime now) {
  const double nanoseconds = task.remaining / speed;
  if (nanoseconds >= static_cast<double>(longest_duration.count())) {
    return now + longest_duration;
  }
  return now + Duration{std::llround(nanoseconds)};
}

void Fleet::freeze(int consumer, SimTime now) {
  const Consumer& self = of(consumer);
  for (Task& task : batch(consumer)) {
    if (task.state == Task::State::working) {
      const double elapsed = static_cast<double>((now - task.since).count());
      task.remaining = std::max(0.0, task.remaining - elapsed * self.speed);
      task.since = now;
      endings_.set(task.timer, never);
    }
  }
}

void Fleet::resume(int consumer, SimTime now) {
  const Consumer& self = of(consumer);
  for (Task& task : batch(consumer)) {
    if (task.state == Task::State::working) {
      task.since = now;
      endings_.set(task.timer, end_of(task, self.speed, now));
    }
  }
}

}  // namespace basin
