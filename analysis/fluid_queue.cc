#include "analysis/fluid_queue.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/no_answer.h"
#include "engine/portable_math.h"

namespace basin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Follower {
 public:
  explicit Follower(const FluidQueue& queue) : queue_{queue} {
    check();
    step_ = queue.step;
    generations_ = static_cast<std::size_t>(queue.attempts);
    path_.step = step_;
    path_.steps_to_horizon =
        static_cast<std::size_t>(std::ceil(queue.horizon / step_ - 1e-9));
    offsets_.assign(generations_, 0);
    for (std::size_t k = 1; k < generations_; ++k) {
      offsets_[k] = offsets_[k - 1] + queue.timeout.value_or(0) + pause(k).mean();
    }
    steps_ = path_.steps_to_horizon + steps_beyond();
    constexpr double most = 2e7;
    if (static_cast<double>(steps_) * static_cast<double>(generations_) > most) {
      throw NoAnswer("the fluid limit would take more than 2e7 steps times attempts");
    }
    sent_.assign(steps_ * generations_, 0);
    asked_.assign(steps_ * generations_, 0);
    flow_changes_.assign(steps_ * generations_, {});
    flows_.assign(generations_, {});
    accepted_.assign(steps_, 0);
    entered_.assign(steps_, 0);
    taken_in_time_.assign(steps_, 0);
    start_series();
  }

  FluidPath run() {
    for (std::size_t now = 0; now < steps_; ++now) {
      time_out(now);
      send(now);
      admit(now);
      work(now);
      note(now);
    }
    return std::move(path_);
  }

 private:
  void check() const {
    above_zero(queue_.horizon, "the horizon");
    above_zero(queue_.step, "the step");
    above_zero(queue_.service, "the service");
    zero_or_more(queue_.retries_per_timeout, "the number of retries a timeout");
    if (queue_.timeout) {
      above_zero(*queue_.timeout, "the timeout");
    }
    if (queue_.waiting_room) {
      zero_or_more(*queue_.waiting_room, "the waiting room");
    }
    if (queue_.attempts < 1) {
      throw NoAnswer("the number of attempts is below 1");
    }
    if (queue_.attempts > 1 && !queue_.timeout) {
      throw NoAnswer("without a timeout nobody retries");
    }
  }

  FluidPause pause(std::size_t retry) const {  // before attempt retry + 1
    if (queue_.pauses.empty()) {
      return {};
    }
    return queue_.pauses[std::min(retry, queue_.pauses.size()) - 1];
  }

  // Until every request created before the horizon has had its last attempt answered or
  // timed out.
  std::size_t steps_beyond() const {
    double span = 0;
    if (queue_.timeout) {
      for (std::size_t k = 1; k < generations_; ++k) {
        span += *queue_.timeout + pause(k).high;
      }
      span += *queue_.timeout;
    } else {
      // Nobody gives up: what takes longer than a horizon is left undecided.
      span = std::min(queue_.success_within.value_or(queue_.horizon), queue_.horizon);
    }
    return static_cast<std::size_t>(std::ceil(span / step_)) + 2;
  }

  void start_series() {
    for (std::vector<double>* series : {&path_.depth,
                                        &path_.in_flight,
                                        &path_.oldest_age,
                                        &path_.retries_pending,
                                        &path_.consumers,
                                        &path_.created,
                                        &path_.succeeded,
                                        &path_.sent,
                                        &path_.retries,
                                        &path_.entered,
                                        &path_.handed_out,
                                        &path_.wait,
                                        &path_.completed,
                                        &path_.goodput,
                                        &path_.failed,
                                        &path_.refused,
                                        &path_.expired}) {
      series->assign(steps_, 0);
    }
  }

  double time_of(std::size_t step) const { return static_cast<double>(step) * step_; }
  double& sent(std::size_t step, std::size_t generation) {
    return sent_[step * generations_ + generation];
  }
  double& asked(std::size_t step, std::size_t generation) {
    return asked_[step * generations_ + generation];
  }

  // `attempts` of `requests` come back `delay` and a pause after `from`; those of the
  // last generation, and the requests that send none, fail.
  void retry(std::size_t from,
             double delay,
             std::size_t generation,
             double attempts,
             double requests) {
    const double r = queue_.retries_per_timeout;
    const double going_on = generation + 1 < generations_ ? std::min(r, 1.0) : 0.0;
    path_.failed[now_] += requests * (1 - going_on);
    if (going_on == 0) {
      return;
    }
    const double new_attempts = attempts * r;
    const double new_requests = requests * going_on;
    const FluidPause between = pause(generation + 1);
    const double first = time_of(from) + delay + between.low;
    const double last = time_of(from) + delay + between.high;
    // Spread over the steps that [first, last + step) meets, not before the next one:
    // parts of the first and the last, and a constant flow between them.
    const double begin = std::max(first / step_, static_cast<double>(now_ + 1));
    const double end = std::max(last / step_ + 1, begin + 1);
    const auto first_step = static_cast<std::size_t>(begin);
    const auto last_step = static_cast<std::size_t>(end);
    const double share = 1 / (end - begin);
    pending_ += new_attempts;
    const auto add = [&](std::size_t at, double part) {
      if (at < steps_) {
        sent(at, generation + 1) += new_attempts * part;
        asked(at, generation + 1) += new_requests * part;
      }
    };
    add(first_step, share * (static_cast<double>(first_step) + 1 - begin));
    add(last_step, share * (end - static_cast<double>(last_step)));
    if (last_step > first_step + 1) {
      change_flow(
          first_step + 1, generation + 1, new_attempts * share, new_requests * share);
      change_flow(
          last_step, generation + 1, -new_attempts * share, -new_requests * share);
    }
  }

  // From step `at` on so much more is sent in each step.
  void change_flow(std::size_t at,
                   std::size_t generation,
                   double attempts,
                   double requests) {
    if (at < steps_) {
      flow_changes_[at * generations_ + generation].attempts += attempts;
      flow_changes_[at * generations_ + generation].requests += requests;
    }
  }

  // Attempts whose timeout ends in this step.
  void time_out(std::size_t now) {
    now_ = now;
    if (!queue_.timeout) {
      return;
    }
    const double delay = *queue_.timeout / step_;
    const double due = static_cast<double>(now) - delay;
    for (; static_cast<double>(next_timeout_) <= due; ++next_timeout_) {
      const std::size_t from = next_timeout_;
      const double accepted = accepted_[from];
      double late =
          accepted *
          (1 - (entered_[from] > 0 ? std::min(1.0, taken_in_time_[from] / entered_[from])
                                   : 1.0));
      if (queue_.learns_of_refusal == FluidQueue::Refused::at_timeout) {
        late += 1 - accepted;
      }
      if (late <= 0) {
        continue;
      }
      for (std::size_t k = 0; k < generations_; ++k) {
        if (asked(from, k) > 0) {
          retry(from, *queue_.timeout, k, sent(from, k) * late, asked(from, k) * late);
        }
      }
    }
  }

  void send(std::size_t now) {
    const double from = time_of(now);
    const double created = queue_.arrivals(from, from + step_);
    path_.created[now] = created;
    sent(now, 0) = created;
    asked(now, 0) = created;
    double all = 0;
    for (std::size_t k = 0; k < generations_; ++k) {
      const Flow& change = flow_changes_[now * generations_ + k];
      flows_[k].attempts += change.attempts;
      flows_[k].requests += change.requests;
      // What differences of flows leave behind is rounding.
      sent(now, k) += std::max(0.0, flows_[k].attempts);
      asked(now, k) += std::max(0.0, flows_[k].requests);
      all += sent(now, k);
    }
    path_.sent[now] = all;
    path_.retries[now] = all - created;
    pending_ = std::max(0.0, pending_ - (all - created));
  }

  void admit(std::size_t now) {
    double burst = 0;
    for (; next_burst_ < queue_.bursts.size() &&
           queue_.bursts[next_burst_].at < time_of(now + 1);
         ++next_burst_) {
      burst += queue_.bursts[next_burst_].messages;
    }
    const double wants = path_.sent[now];
    double room = infinity;
    if (queue_.waiting_room) {
      // What consumers will take in this step makes room.
      room = std::max(0.0, *queue_.waiting_room - waiting_ - burst) + room_at_work(now);
    }
    const double enters = std::min(wants, room);
    accepted_[now] = wants > 0 ? enters / wants : 1;
    entered_[now] = enters;
    burst_steps_.push_back(burst);
    path_.entered[now] = enters + burst;
    waiting_ += enters + burst;
    const double refused = wants - enters;
    path_.refused[now] = refused;
    if (refused > 0 && queue_.learns_of_refusal != FluidQueue::Refused::at_timeout) {
      for (std::size_t k = 0; k < generations_; ++k) {
        const double share = refused / wants;
        if (queue_.learns_of_refusal == FluidQueue::Refused::at_once) {
          retry(now, 0, k, sent(now, k) * share, asked(now, k) * share);
        } else {
          path_.failed[now] += asked(now, k) * share;
        }
      }
    }
  }

  // Messages that consumers can take during the step: free ones at once, the others as
  // they finish.
  double room_at_work(std::size_t now) const {
    const double from = time_of(now);
    const double at_work = queue_.consumers(from, from + step_);
    const double rate = queue_.speed(from, from + step_) / queue_.service;
    return std::max(0.0, at_work - in_flight_) + at_work * rate * step_;
  }

  void work(std::size_t now) {
    const double from = time_of(now);
    const double at_work = queue_.consumers(from, from + step_);
    const double rate = queue_.speed(from, from + step_) / queue_.service;
    freeze(at_work);
    drop_expired(now);
    const double takes = std::min(waiting_, room_at_work(now));
    hand_out(now, takes, rate > 0 ? 1 / rate : infinity);
    // d(in flight) = handed out - rate * in flight, with a constant inflow over the step.
    const double decay = rate * step_;
    const double fills = decay > 0 ? takes * -portable::expm1(-decay) / decay : takes;
    const double stays = std::min(at_work, in_flight_ * portable::exp(-decay) + fills);
    path_.completed[now] = std::max(0.0, in_flight_ + takes - stays);
    in_flight_ = in_flight_ + takes - path_.completed[now];
    path_.consumers[now] = at_work;
  }

  // Work in progress stops with the consumers that are gone and goes on with those that
  // come back.
  void freeze(double at_work) {
    if (at_work < at_work_before_ && at_work_before_ > 0) {
      const double lost = in_flight_ * (1 - at_work / at_work_before_);
      frozen_ += lost;
      in_flight_ -= lost;
      gone_ += at_work_before_ - at_work;
    } else if (at_work > at_work_before_ && gone_ > 0) {
      const double share = std::min(1.0, (at_work - at_work_before_) / gone_);
      in_flight_ += frozen_ * share;
      frozen_ *= 1 - share;
      gone_ *= 1 - share;
    }
    at_work_before_ = at_work;
  }

  double left_in(std::size_t step) const {
    return entered_[step] + burst_steps_[step] - head_taken_;
  }

  void drop_expired(std::size_t now) {
    // Found too old when a consumer would take them; nobody looks while all are gone.
    if (!queue_.time_to_live || room_at_work(now) <= 0) {
      return;
    }
    while (head_ < now && time_of(now - head_) > *queue_.time_to_live) {
      const double left = std::min(left_in(head_), waiting_);
      path_.expired[now] += left;
      waiting_ -= left;
      ++head_;
      head_taken_ = 0;
    }
  }

  // From the oldest step on, first its burst, then its attempts.
  void hand_out(std::size_t now, double takes, double service) {
    path_.handed_out[now] = takes;
    waiting_ = std::max(0.0, waiting_ - takes);
    while (takes > 0 && head_ <= now) {
      const double left = left_in(head_);
      const double part = std::min(left, takes);
      const double burst_left = std::max(0.0, burst_steps_[head_] - head_taken_);
      const double of_burst = std::min(part, burst_left);
      const double of_attempts = part - of_burst;
      const double wait = time_of(now - head_);
      path_.wait[now] += wait * part;
      if (of_attempts > 0) {
        serve(now, head_, of_attempts, wait + service);
      }
      takes -= part;
      head_taken_ += part;
      if (head_taken_ >= entered_[head_] + burst_steps_[head_]) {
        if (head_ == now) {
          break;
        }
        ++head_;
        head_taken_ = 0;
      }
    }
  }

  // `mass` of the attempts sent in step `from` completes `sojourn` after its send.
  void serve(std::size_t now, std::size_t from, double mass, double sojourn) {
    const double longest = queue_.timeout.value_or(infinity);
    if (sojourn > longest) {
      return;
    }
    taken_in_time_[from] += mass;
    const double share = mass / path_.sent[from];
    const double within = queue_.success_within.value_or(infinity);
    for (std::size_t k = 0; k < generations_; ++k) {
      const double requests = asked(from, k) * share;
      const double latency = offsets_[k] + sojourn;
      if (requests <= 0 || latency > within) {
        continue;
      }
      const auto back = static_cast<std::size_t>(std::lround(offsets_[k] / step_));
      const std::size_t created = from - std::min(back, from);
      path_.succeeded[created] += requests;
      path_.answered.push_back(
          {.created = created, .latency = latency, .requests = requests});
      const auto completes =
          now +
          static_cast<std::size_t>(std::lround((sojourn - time_of(now - from)) / step_));
      if (completes < steps_) {
        path_.goodput[completes] += requests;
      }
    }
  }

  void note(std::size_t now) {
    path_.depth[now] = waiting_;
    path_.in_flight[now] = in_flight_ + frozen_;
    path_.retries_pending[now] = pending_;
    path_.oldest_age[now] = waiting_ > 1e-9 ? time_of(now - std::min(head_, now)) : 0;
  }

  const FluidQueue& queue_;
  double step_ = 0;
  std::size_t generations_ = 1;
  std::size_t steps_ = 0;
  std::vector<double> offsets_;  // mean time from the creation to attempt k + 1
  FluidPath path_;

  // By step and generation: attempts sent, and the requests that they are of (fewer,
  // where a timeout sends several).
  std::vector<double> sent_;
  std::vector<double> asked_;
  // Retries that are spread over many steps: by how much their flow changes at each, and
  // what it is now, by generation.
  struct Flow {
    double attempts = 0;
    double requests = 0;
  };
  std::vector<Flow> flow_changes_;
  std::vector<Flow> flows_;
  // By step of sending: share let in, mass let in, and what of it was taken in time.
  std::vector<double> accepted_;
  std::vector<double> entered_;
  std::vector<double> taken_in_time_;
  std::vector<double> burst_steps_;

  std::size_t now_ = 0;
  std::size_t next_timeout_ = 0;
  std::size_t next_burst_ = 0;
  double pending_ = 0;
  double waiting_ = 0;
  std::size_t head_ = 0;  // oldest step with waiting messages, and what of it is taken
  double head_taken_ = 0;
  double in_flight_ = 0;
  double frozen_ = 0;
  double gone_ = 0;
  double at_work_before_ = 0;
};

}  // namespace

FluidPath follow(const FluidQueue& queue) {
  return Follower{queue}.run();
}

}  // namespace basin
