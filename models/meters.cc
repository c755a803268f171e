#include "models/meters.h"

#include <algorithm>
#include <limits>

namespace basin {

Meters::Meters(const SystemConfig& config)
    : warmup_{config.warmup},
      horizon_{config.horizon},
      bin_width_{config.outcome_interval},
      sample_interval_{config.sample_interval},
      bin_end_{config.outcome_interval},
      measured_until_{config.horizon} {
  const auto bins = static_cast<std::size_t>(
      (config.horizon + config.outcome_interval - Duration{1}) / config.outcome_interval);
  outcomes_.created.resize(bins);
  outcomes_.succeeded.resize(bins);
}

void Meters::next_bin(SimTime now) {
  bin_ = static_cast<std::size_t>(now.time_since_epoch() / bin_width_);
  bin_end_ = SimTime{bin_width_ * (static_cast<std::int64_t>(bin_) + 1)};
}

void Meters::begin_measuring(const Areas& areas) {
  at_warmup_ = counters;
  areas_at_warmup_ = areas;
  peak_depth_ = 0;
  peak_at_ = warmup_;
}

void Meters::end_measuring(SimTime now, const Areas& areas, std::int64_t depth) {
  measured_until_ = now;
  at_end_ = counters;
  areas_at_end_ = areas;
  final_depth_ = depth;
}

void Meters::sample(const Levels& levels) {
  const auto push = [](std::vector<float>& series, double value) {
    series.push_back(static_cast<float>(value));
  };
  const bool first = trajectory_.depth.empty();
  const auto rate = [&](std::int64_t Counters::*counter) {
    const auto events = static_cast<double>(counters.*counter - at_sample_.*counter);
    return first ? 0.0 : events / to_seconds(sample_interval_);
  };
  const double base = rate(&Counters::created);
  const double effective = rate(&Counters::entered) + rate(&Counters::redelivered);
  push(trajectory_.depth, static_cast<double>(levels.waiting));
  push(trajectory_.in_flight, static_cast<double>(levels.in_flight));
  push(trajectory_.oldest_age, to_seconds(levels.oldest_age));
  push(trajectory_.retries_pending, static_cast<double>(levels.retries_pending));
  push(trajectory_.consumers, static_cast<double>(levels.consumers));
  push(trajectory_.base_rate, base);
  push(trajectory_.effective_rate, effective);
  push(trajectory_.throughput, rate(&Counters::completions));
  push(trajectory_.goodput, rate(&Counters::successes));
  const Duration interval_start =
      sample_interval_ * (static_cast<std::int64_t>(trajectory_.depth.size()) - 2);
  if (base > 0 && SimTime{interval_start} >= warmup_) {
    peak_amplification_ = std::max(peak_amplification_, effective / base);
  }
  at_sample_ = counters;
}

void Meters::report(RunResult& result, double consumers) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  const double seconds = to_seconds(measured_until_ - warmup_);
  const auto count = [&](std::int64_t Counters::*counter) {
    return static_cast<double>(at_end_.*counter - at_warmup_.*counter);
  };
  const auto rate = [&](std::int64_t Counters::*counter) {
    return count(counter) / seconds;
  };
  const auto mean = [&](LevelArea Areas::*area) {
    return static_cast<double>(areas_at_end_.*area - areas_at_warmup_.*area) * 1e-9 /
           seconds;
  };

  Metrics& metrics = result.metrics;
  metrics.base_rate = rate(&Counters::created);
  metrics.effective_rate = rate(&Counters::entered) + rate(&Counters::redelivered);
  metrics.offered_rate = metrics.effective_rate + rate(&Counters::refused);
  metrics.retry_rate = rate(&Counters::retries);
  metrics.redelivery_rate = rate(&Counters::redelivered);
  metrics.throughput = rate(&Counters::completions);
  metrics.goodput = rate(&Counters::successes);
  metrics.wasted = count(&Counters::completions) - count(&Counters::successes);
  metrics.waste_rate = metrics.wasted / seconds;
  metrics.failed_rate = rate(&Counters::given_up);
  metrics.dead_letter_rate = rate(&Counters::dead_lettered);
  metrics.expired_rate = rate(&Counters::expired);
  metrics.rejected_rate = rate(&Counters::refused);
  metrics.mean_depth = mean(&Areas::waiting);
  metrics.peak_depth = static_cast<double>(peak_depth_);
  metrics.time_to_peak = to_seconds(
      peak_at_ - std::min(result.first_incident_start.value_or(warmup_), peak_at_));
  metrics.final_depth = static_cast<double>(final_depth_);
  metrics.mean_in_flight = mean(&Areas::in_flight);
  metrics.utilization = mean(&Areas::busy) / consumers;
  metrics.peak_amplification = peak_amplification_;

  const double receives = count(&Counters::first_receives);
  metrics.mean_wait =
      receives > 0
          ? static_cast<double>(at_end_.waited - at_warmup_.waited) * 1e-9 / receives
          : undefined;

  const double created = count(&Counters::created);
  const auto succeeded = static_cast<double>(latencies_.count());
  metrics.goodput_ratio = created > 0 ? succeeded / created : undefined;
  metrics.goodput_lost = created - succeeded;
  Histogram latencies = latencies_;
  latencies.add_infinite(static_cast<std::uint64_t>(created - succeeded));
  metrics.latency_p50 = latencies.quantile(0.5) * 1e-9;
  metrics.latency_p95 = latencies.quantile(0.95) * 1e-9;
  metrics.latency_p99 = latencies.quantile(0.99) * 1e-9;
  metrics.latency_p999 = latencies.quantile(0.999) * 1e-9;
  metrics.mean_latency = created > succeeded ? infinity
                         : created > 0
                             ? static_cast<double>(latency_sum_) * 1e-9 / succeeded
                             : undefined;
  result.trajectory = trajectory_;
  result.outcomes = outcomes_;
}

}  // namespace basin
