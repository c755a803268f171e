#include "models/fleet.h"

#include <algorithm>
#include <cmath>

namespace basin {

Fleet::Fleet(const ConsumersConfig& config, int receive_batch)
    : config_{config},
      batch_limit_{static_cast<std::size_t>(receive_batch)},
      concurrent_{config.processing == Processing::concurrent},
      consumers_(index(total_count(config))),
      tasks_(consumers_.size() * batch_limit_),
      endings_{concurrent_ ? tasks_.size() : consumers_.size()} {
  int consumer = 0;
  for (std::uint32_t group = 0; group < config.groups.size(); ++group) {
    for (int i = 0; i < config.groups[group].count; ++i) {
      consumers_[index(consumer)].group = group;
      join_idle(consumer);
      ++consumer;
    }
  }
}

std::size_t Fleet::working_place(std::size_t consumer) const {
  std::size_t place = 0;
  while (tasks_[consumer * batch_limit_ + place].state != Task::State::working) {
    ++place;
  }
  return place;
}

void Fleet::begin_batch(int consumer, std::size_t size, SimTime now) {
  leave_idle(consumer);
  Consumer& self = consumers_[index(consumer)];
  self.batch = size;
  ++self.batch_number;
  busy_.add(1, now);
}

void Fleet::end_batch(int consumer, SimTime now) {
  Consumer& self = consumers_[index(consumer)];
  self.batch = 0;
  if (self.outages == 0) {
    busy_.add(-1, now);
    join_idle(consumer);
  }
}

void Fleet::take_down(int consumer, SimTime now) {
  Consumer& self = consumers_[index(consumer)];
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
  Consumer& self = consumers_[index(consumer)];
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
  Consumer& self = consumers_[index(consumer)];
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
  const Consumer& self = consumers_[index(consumer)];
  for (std::size_t place = 0; place < self.batch; ++place) {
    const std::size_t slot = slot_of(consumer, place);
    Task& task = tasks_[slot];
    if (task.state == Task::State::working) {
      const double elapsed = static_cast<double>((now - task.since).count());
      task.remaining = std::max(0.0, task.remaining - elapsed * self.speed);
      task.since = now;
      endings_.set(timer_of(slot), never);
    }
  }
}

void Fleet::resume(int consumer, SimTime now) {
  const Consumer& self = consumers_[index(consumer)];
  for (std::size_t place = 0; place < self.batch; ++place) {
    const std::size_t slot = slot_of(consumer, place);
    Task& task = tasks_[slot];
    if (task.state == Task::State::working) {
      task.since = now;
      endings_.set(timer_of(slot), end_of(task, self.speed, now));
    }
  }
}

void Fleet::join_idle(int consumer) {
  Consumer& self = consumers_[index(consumer)];
  self.in_idle_line = true;
  self.idle_before = idle_tail_;
  self.idle_after = -1;
  if (idle_tail_ >= 0) {
    consumers_[index(idle_tail_)].idle_after = consumer;
  } else {
    idle_head_ = consumer;
  }
  idle_tail_ = consumer;
  ++idle_count_;
}

void Fleet::leave_idle(int consumer) {
  Consumer& self = consumers_[index(consumer)];
  if (!self.in_idle_line) {
    return;
  }
  self.in_idle_line = false;
  if (self.idle_before >= 0) {
    consumers_[index(self.idle_before)].idle_after = self.idle_after;
  } else {
    idle_head_ = self.idle_after;
  }
  if (self.idle_after >= 0) {
    consumers_[index(self.idle_after)].idle_before = self.idle_before;
  } else {
    idle_tail_ = self.idle_before;
  }
  --idle_count_;
}

}  // namespace basin
