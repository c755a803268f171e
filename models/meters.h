// What is measured in a run: counts, time averages, latencies, outcomes by creation time,
// and the trajectories. Everything is a whole number until the report, so results do not
// depend on the order of additions.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/histogram.h"
#include "engine/level.h"
#include "engine/time.h"
#include "models/run_result.h"
#include "models/system_config.h"

namespace basin {

// Counts since the start of the run.
struct Counters {
  std::int64_t created = 0;  // requests
  std::int64_t entered = 0;  // messages that entered the queue, redeliveries aside
  std::int64_t refused = 0;
  std::int64_t retries = 0;      // attempts after a request's first
  std::int64_t redelivered = 0;  // hand-outs after a message's first
  std::int64_t completions = 0;
  std::int64_t successes = 0;  // completions that made a request succeed
  std::int64_t given_up = 0;
  std::int64_t dead_lettered = 0;
  std::int64_t expired = 0;
  std::int64_t first_receives = 0;
  LevelArea waited = 0;  // ns from send to first receive
};

// The time integrals of what the parts of the system hold.
struct Areas {
  LevelArea waiting = 0;
  LevelArea in_flight = 0;
  LevelArea busy = 0;
};

// Values at an instant, for a sample of the trajectories.
struct Levels {
  std::int64_t waiting = 0;
  std::int64_t in_flight = 0;
  std::int64_t retries_pending = 0;
  std::int64_t consumers = 0;
  Duration oldest_age{0};
};

class Meters {
 public:
  explicit Meters(const SystemConfig& config);

  Counters counters;

  // --- Requests ---

  void created(SimTime now) {
    ++counters.created;
    if (now < horizon_) {
      if (now >= bin_end_) {
        next_bin(now);
      }
      ++outcomes_.created[bin_];
    }
  }
  // A request created then was answered in time.
  void succeeded(SimTime created, SimTime now) {
    ++counters.successes;
    if (created < horizon_) {
      ++outcomes_.succeeded[bin_of(created)];
      if (created >= warmup_) {
        latencies_.add(now - created);
        latency_sum_ += (now - created).count();
      }
    }
  }

  // --- Depth ---

  // Messages that wait although every consumer that could has received. The run goes on
  // past the horizon, the measured part does not.
  void saw_depth(std::int64_t depth, SimTime now) {
    if (depth > peak_depth_ && now < horizon_) {
      peak_depth_ = depth;
      peak_at_ = now;
    }
  }

  LevelArea waiting_at_warmup() const { return areas_at_warmup_.waiting; }

  // --- Instants ---

  void begin_measuring(const Areas& areas);
  void end_measuring(SimTime now, const Areas& areas, std::int64_t depth);
  void sample(const Levels& levels);

  // After the run.
  // `consumers` is the mean number of them over the measured part.
  void report(RunResult& result, double consumers) const;
  SimTime measured_until() const { return measured_until_; }

 private:
  void next_bin(SimTime now);
  std::size_t bin_of(SimTime created) const {
    // Mostly the bin of the latest creation, found without a division.
    return created >= bin_end_ - bin_width_
               ? bin_
               : static_cast<std::size_t>(created.time_since_epoch() / bin_width_);
  }

  SimTime warmup_;
  SimTime horizon_;
  Duration bin_width_;
  Duration sample_interval_;

  OutcomeSeries outcomes_;
  std::size_t bin_ = 0;
  SimTime bin_end_;

  Histogram latencies_;  // of successes
  LevelArea latency_sum_ = 0;

  std::int64_t peak_depth_ = 0;
  SimTime peak_at_;

  Counters at_warmup_;
  Areas areas_at_warmup_;
  Counters at_end_;
  Areas areas_at_end_;
  SimTime measured_until_;
  std::int64_t final_depth_ = 0;

  Trajectory trajectory_;
  Counters at_sample_;
  double peak_amplification_ = 0;
};

}  // namespace basin
