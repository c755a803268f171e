#include "models/system.h"

#include <algorithm>
#include <string>

#include "engine/contract.h"
#include "engine/run_loop.h"
#include "models/stage.h"

namespace basin {

namespace {

// Looks up from the work now and then.
class Watch {
 public:
  static constexpr int events_between_looks = 1024;

  explicit Watch(const RunLimits& limits) : limits_{limits} {}

  // False when the run has to stop for want of memory. Throws RunStopped when asked to,
  // and std::runtime_error when time no longer advances.
  template <class Stage>
  bool lets_go_on(const Stage& stage) {
    if (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) {
      throw RunStopped{};
    }
    if (++looks_ % looks_at_one_instant == 0) {
      if (stage.now() == last_seen_) {
        throw std::runtime_error(
            "no progress: " +
            std::to_string(looks_at_one_instant * events_between_looks) + " events at " +
            std::to_string(to_seconds(stage.now())) + " s without an advance in time");
      }
      last_seen_ = stage.now();
    }
    return !stage.backlog_was_cut() &&
           stage.memory_bytes() <= static_cast<std::size_t>(limits_.memory_bytes);
  }

 private:
  static constexpr std::uint64_t looks_at_one_instant = std::uint64_t{1} << 18;

  RunLimits limits_;
  std::uint64_t looks_ = 0;
  SimTime last_seen_ = SimTime::min();
};

template <class Recorder>
RunResult run(const SystemConfig& config,
              const RandomKey& key,
              const RunLimits& limits,
              Recorder recorder) {
  Stage<Recorder> stage{
      config, key, static_cast<std::size_t>(limits.memory_bytes), recorder};
  Watch watch{limits};
  bool enough_memory = true;
  const auto run_while_watched = [&](auto&& go_on) {
    bool at_end = false;
    while (!at_end && enough_memory) {
      int left = Watch::events_between_looks;
      run_while(
          stage.agenda(),
          [&](SimTime next) {
            at_end = !go_on(next);
            return !at_end && left-- > 0;
          },
          [&](SimTime time, std::size_t source) {
            stage.handle(time, source);
            if (source == incident_edges && stage.backlog_was_cut()) {
              left = 0;
            }
          });
      enough_memory = watch.lets_go_on(stage);
    }
  };
  const auto run_to = [&](SimTime end) {
    run_while_watched([end](SimTime next) { return next < end; });
  };

  const SimTime warmup{config.warmup};
  const SimTime horizon{config.horizon};
  run_to(warmup);
  stage.begin_measuring(enough_memory ? warmup : stage.now());
  run_to(horizon);
  stage.end_measuring(enough_memory ? horizon : stage.now());
  if (!enough_memory) {
    RunResult result = stage.result();
    result.truncated_at = stage.now();
    return result;
  }

  // Past the horizon, to the end of the instant at which the last request created before
  // it is decided: a message on its way back to the queue must arrive.
  const SimTime last = horizon + config.success_within.value_or(config.horizon);
  run_while_watched([&](SimTime next) {
    return next <= horizon ||
           (next <= last && (stage.open_to_decide() > 0 || next == stage.now()));
  });
  return stage.result();
}

}  // namespace

RunResult simulate(const SystemConfig& config,
                   const RandomKey& key,
                   const RunLimits& limits,
                   EventLog* log) {
  BASIN_EXPECT(config.horizon > Duration{0});
  BASIN_EXPECT(config.horizon <= longest_duration / 2);
  BASIN_EXPECT(config.warmup >= Duration{0} && config.warmup < config.horizon);
  BASIN_EXPECT(config.sample_interval > Duration{0});
  BASIN_EXPECT(config.outcome_interval > Duration{0});
  BASIN_EXPECT(total_count(config.consumers) > 0);
  BASIN_EXPECT(config.queue.receive_batch > 0);
  if (log != nullptr) {
    return run(config, key, limits, LogRecorder{log});
  }
  return run(config, key, limits, NoRecorder{});
}

}  // namespace basin
