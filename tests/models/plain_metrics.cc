// Numbers from the plain model's record, each as run_result.h words it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/models/plain_model.h"

namespace basin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The levels that last: of each instant the last one.
std::vector<PlainLevels> lasting(const std::vector<PlainLevels>& levels) {
  std::vector<PlainLevels> last;
  for (const PlainLevels& level : levels) {
    if (!last.empty() && last.back().time == level.time) {
      last.back() = level;
    } else {
      last.push_back(level);
    }
  }
  return last;
}

// Time average of one level over [from, to); 0 before the first event.
double average(const std::vector<PlainLevels>& levels,
               std::int64_t PlainLevels::*member,
               SimTime from,
               SimTime to) {
  double area = 0;  // ns
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const SimTime begin = std::max(from, levels[i].time);
    const SimTime end = std::min(to, i + 1 < levels.size() ? levels[i + 1].time : to);
    if (begin < end) {
      area += static_cast<double>(levels[i].*member) *
              static_cast<double>((end - begin).count());
    }
  }
  return area / static_cast<double>((to - from).count());
}

// Nearest rank.
double quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) {
    return nan;
  }
  const auto rank =
      static_cast<std::size_t>(std::ceil(p * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

Metrics plain_metrics(const SystemConfig& config, const PlainResult& run) {
  const SimTime from{config.warmup};
  const SimTime to{config.horizon};
  const double span = to_seconds(to - from);
  const auto measured = [&](SimTime t) { return from <= t && t < to; };
  const auto happened = [&](Happening what) {
    return static_cast<double>(std::count_if(
        run.events.begin(), run.events.end(), [&](const LoggedEvent& event) {
          return event.what == what && measured(event.time);
        }));
  };
  const auto count = [&](const std::vector<SimTime>& instants) {
    return static_cast<double>(std::count_if(instants.begin(), instants.end(), measured));
  };

  Metrics m;
  std::vector<double> latencies;
  double successes = 0;
  for (const PlainRequest& request : run.requests) {
    if (measured(request.created)) {
      latencies.push_back(request.succeeded ? to_seconds(request.latency) : infinity);
      successes += request.succeeded ? 1 : 0;
    }
  }
  std::sort(latencies.begin(), latencies.end());
  const double created = static_cast<double>(latencies.size());
  m.base_rate = created / span;
  m.goodput_ratio = created > 0 ? successes / created : nan;
  m.goodput_lost = created - successes;
  double total = 0;
  for (const double latency : latencies) {
    total += latency;
  }
  m.mean_latency = created > 0 ? total / created : nan;
  m.latency_p50 = quantile(latencies, 0.5);
  m.latency_p95 = quantile(latencies, 0.95);
  m.latency_p99 = quantile(latencies, 0.99);
  m.latency_p999 = quantile(latencies, 0.999);

  m.redelivery_rate = count(run.redeliveries) / span;
  m.effective_rate = happened(Happening::sent) / span + m.redelivery_rate;
  m.rejected_rate = happened(Happening::refused) / span;
  m.offered_rate = m.effective_rate + m.rejected_rate;
  m.retry_rate = count(run.retries) / span;
  m.failed_rate = happened(Happening::given_up) / span;
  m.dead_letter_rate = happened(Happening::dead_lettered) / span;
  m.expired_rate = happened(Happening::expired) / span;
  m.throughput = happened(Happening::completed) / span;
  for (const PlainCompletion& completion : run.completions) {
    if (measured(completion.time)) {
      (completion.made_success ? m.goodput : m.wasted) += 1;
    }
  }
  m.goodput /= span;
  m.waste_rate = m.wasted / span;

  double waits = 0;
  double waited = 0;
  for (const auto& [time, wait] : run.waits) {
    if (measured(time)) {
      waits += 1;
      waited += to_seconds(wait);
    }
  }
  m.mean_wait = waits > 0 ? waited / waits : nan;

  const std::vector<PlainLevels> levels = lasting(run.levels);
  m.mean_depth = average(levels, &PlainLevels::waiting, from, to);
  m.mean_in_flight = average(levels, &PlainLevels::in_flight, from, to);
  double consumers = total_count(config.consumers);
  for (const Intervention& what : config.interventions) {
    if (const auto* added = std::get_if<AddConsumers>(&what.effect)) {
      consumers += added->count * to_seconds(to - SimTime{what.start}) / span;
    }
  }
  m.utilization = average(levels, &PlainLevels::at_work, from, to) / consumers;

  // The level at the warm-up's end may stem from before it.
  SimTime peak_time = from;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool reaches_in = i + 1 == levels.size() || levels[i + 1].time > from;
    if (reaches_in &&
        levels[i].time<to&& static_cast<double>(levels[i].waiting)> m.peak_depth) {
      m.peak_depth = static_cast<double>(levels[i].waiting);
      peak_time = std::max(from, levels[i].time);
    }
    if (levels[i].time < to) {
      m.final_depth = static_cast<double>(levels[i].waiting);
    }
  }
  m.time_to_peak =
      std::max(0.0, to_seconds(peak_time - run.first_incident_start.value_or(from)));

  for (std::size_t k = 1; k < run.trajectory.base_rate.size(); ++k) {
    const SimTime begin{config.sample_interval * (static_cast<std::int64_t>(k) - 1)};
    if (begin >= from && run.trajectory.base_rate[k] > 0) {
      m.peak_amplification =
          std::max(m.peak_amplification,
                   static_cast<double>(run.trajectory.effective_rate[k]) /
                       static_cast<double>(run.trajectory.base_rate[k]));
    }
  }
  return m;
}

std::optional<SimTime> plain_drained_at(const SystemConfig& config,
                                        const PlainResult& run) {
  if (!run.first_incident_start) {
    return std::nullopt;
  }
  const std::vector<PlainLevels> levels = lasting(run.levels);
  const SimTime from{config.warmup};
  const double before =
      *run.first_incident_start > from
          ? average(levels, &PlainLevels::waiting, from, *run.first_incident_start)
          : 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const SimTime end = i + 1 < levels.size() ? levels[i + 1].time : never;
    const SimTime at = std::max(levels[i].time, *run.last_incident_end);
    if (end > *run.last_incident_end && at <= SimTime{config.horizon} &&
        static_cast<double>(levels[i].waiting) <= std::ceil(before)) {
      return at;
    }
  }
  return std::nullopt;
}

}  // namespace basin
