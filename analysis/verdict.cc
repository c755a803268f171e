#include "analysis/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "analysis/goodput_windows.h"

namespace basin {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

void expect_judgeable(const Objective& objective) {
  if (!(objective.goodput > 0 && objective.goodput <= 1) ||
      !(objective.tail > 0 && objective.tail < 1) || !(objective.window > 0) ||
      !(objective.hold >= 0)) {
    throw std::invalid_argument(
        "the objective needs goodput in (0, 1], tail in (0, 1), a window and a hold");
  }
}

// Where the measured part, or what follows the last incident, begins.
double after_incidents(const ArmView& arm) {
  return arm.last_incident_end.value_or(arm.warmup);
}

bool tail_is_healthy(const GoodputWindows& windows,
                     const ArmView& arm,
                     const Objective& objective) {
  const double until =
      arm.truncated_at ? std::min(*arm.truncated_at, arm.horizon) : arm.horizon;
  const std::size_t first = windows.edge_at(until - objective.tail * arm.horizon);
  // At low rates the tail grows to the left, but not into the last incident.
  const std::size_t left =
      std::min(first, windows.edge_at(std::max(arm.warmup, after_incidents(arm))));
  return windows.ratio(first,
                       windows.end(),
                       objective.min_requests,
                       {.left = left, .right = windows.end()}) >= objective.goodput;
}

// The first bin edge from the end of the last incident on from which the hold is healthy.
// The hold lies before the horizon; where it has too few requests it grows to the right
// up to the horizon, never to the left, and then counts with what it has.
double first_healthy_hold(const GoodputWindows& windows,
                          const ArmView& arm,
                          const Objective& objective) {
  const std::size_t hold = windows.bins_in(objective.hold);
  for (std::size_t first = windows.edge_at(after_incidents(arm));
       first + hold <= windows.end();
       ++first) {
    const double ratio = windows.ratio(first,
                                       first + hold,
                                       objective.min_requests,
                                       {.left = first, .right = windows.end()});
    if (ratio >= objective.goodput) {
      return static_cast<double>(first) * arm.bin;
    }
  }
  return never;
}

struct Samples {
  std::size_t first;
  std::size_t last;  // one past
};
// Samples of `arm.work` taken in [from, to).
Samples samples_between(const ArmView& arm, double from, double to) {
  if (!(arm.sample > 0)) {
    throw std::invalid_argument("samples of work need an interval");
  }
  const auto index = [&](double instant) {
    const double up = std::ceil(instant / arm.sample - 1e-9);
    return static_cast<std::size_t>(
        std::clamp(up, 0.0, static_cast<double>(arm.work.size())));
  };
  return {index(from), index(to)};
}

std::optional<double> mean_work(const ArmView& arm, double from, double to) {
  const Samples span = samples_between(arm, from, to);
  if (span.first >= span.last) {
    return std::nullopt;
  }
  double sum = 0;
  for (std::size_t k = span.first; k < span.last; ++k) {
    sum += static_cast<double>(arm.work[k]);
  }
  return sum / static_cast<double>(span.last - span.first);
}

// Work per second: the least-squares line through the samples. 0 with fewer than two.
double slope_of_work(const ArmView& arm, Samples span) {
  if (span.last < span.first + 2) {
    return 0;
  }
  const double middle =
      (static_cast<double>(span.first) + static_cast<double>(span.last - 1)) / 2;
  double moments = 0;
  double squares = 0;
  for (std::size_t k = span.first; k < span.last; ++k) {
    const double distance = static_cast<double>(k) - middle;
    moments += distance * static_cast<double>(arm.work[k]);
    squares += distance * distance;
  }
  return moments / squares / arm.sample;
}

// What the work comes to one horizon after the horizon; infinite where it does not fall.
double work_ahead(const ArmView& arm) {
  const double from = std::max(arm.horizon / 2, after_incidents(arm));
  const Samples span =
      samples_between(arm, from, never);  // with the sample at the horizon
  const double slope = slope_of_work(arm, span);
  if (!(slope < 0)) {
    return never;
  }
  return static_cast<double>(arm.work[span.last - 1]) + slope * arm.horizon;
}

std::string seconds(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text + " s";
}

Probability probability_of(std::int64_t count, std::int64_t of) {
  return {.count = count,
          .estimate = static_cast<double>(count) / static_cast<double>(of),
          .interval = jeffreys_interval(count, of)};
}

std::array<double, 3> quantiles_of(std::span<const double> values) {
  std::array<double, 3> result{};
  std::transform(reported_quantiles.begin(),
                 reported_quantiles.end(),
                 result.begin(),
                 [&](double p) { return censored_quantile(values, p); });
  return result;
}

}  // namespace

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::stable:
      return "stable";
    case Phase::draining:
      return "draining";
    case Phase::vulnerable:
      return "vulnerable";
    case Phase::spontaneous:
      return "spontaneous";
    case Phase::overloaded:
      return "overloaded";
  }
  throw std::invalid_argument("no such phase");
}

double goodput_ratio(const ArmView& arm,
                     double from,
                     double to,
                     std::int64_t min_requests) {
  const GoodputWindows windows{arm};
  return windows.ratio(windows.edge_at(from),
                       windows.edge_at(to),
                       min_requests,
                       {.left = 0, .right = windows.end()});
}

bool tail_is_healthy(const ArmView& arm, const Objective& objective) {
  expect_judgeable(objective);
  return tail_is_healthy(GoodputWindows{arm}, arm, objective);
}

bool ever_healthy(const ArmView& arm, const Objective& objective) {
  expect_judgeable(objective);
  const GoodputWindows windows{arm};
  const std::size_t begin = std::min(windows.edge_at(arm.warmup), windows.end() - 1);
  const std::size_t width = windows.bins_in(objective.window);
  // A measured part shorter than the window is one window.
  std::size_t first = begin;
  do {
    const double ratio = windows.ratio(first,
                                       first + width,
                                       objective.min_requests,
                                       {.left = begin, .right = windows.end()});
    if (ratio >= objective.goodput) {
      return true;
    }
    ++first;
  } while (first + width <= windows.end());
  return false;
}

ArmAssessment assess_arm(const ArmView& arm, const Objective& objective) {
  expect_judgeable(objective);
  const GoodputWindows windows{arm};
  const bool healthy = tail_is_healthy(windows, arm, objective);
  ArmAssessment assessment{
      .ever_healthy = ever_healthy(arm, objective),
      .recovered = healthy,
      .truncated = arm.truncated_at.has_value(),
      .recovery_time = never,
      .mean_work = mean_work(arm, arm.warmup, arm.horizon).value_or(0),
      .work_before =
          mean_work(arm, arm.warmup, arm.first_incident_start.value_or(arm.horizon))
              .value_or(std::numeric_limits<double>::quiet_NaN()),
      .work_ahead = never};
  if (arm.truncated_at) {
    if (healthy) {
      throw std::invalid_argument(
          "the run cannot be judged: the memory limit stopped it at " +
          seconds(*arm.truncated_at) + " of " + seconds(arm.horizon) +
          ", and it was healthy until then (raise the limit)");
    }
    return assessment;
  }
  const double tail_begin = arm.horizon - objective.tail * arm.horizon;
  if (after_incidents(arm) > std::min(tail_begin, arm.horizon - objective.hold)) {
    throw std::invalid_argument("the run cannot be judged: its last incident ended at " +
                                seconds(after_incidents(arm)) +
                                ", which leaves no hold and tail before the horizon at " +
                                seconds(arm.horizon));
  }
  if (healthy) {
    assessment.recovery_time =
        first_healthy_hold(windows, arm, objective) - after_incidents(arm);
  } else {
    assessment.work_ahead = work_ahead(arm);
  }
  return assessment;
}

ArmVerdict judge_arm(const ArmAssessment& arm, double level_before) {
  if (arm.recovered) {
    return {.outcome = Outcome::recovered, .recovery_time = arm.recovery_time};
  }
  const bool is_draining = !arm.truncated && arm.work_ahead <= level_before;
  return {.outcome = is_draining ? Outcome::draining : Outcome::stuck,
          .recovery_time = never};
}

ArmVerdict judge_arm(const ArmView& arm,
                     const Objective& objective,
                     double level_before) {
  return judge_arm(assess_arm(arm, objective), level_before);
}

ReplicationVerdict judge_replication(const ArmAssessment& control,
                                     const std::optional<ArmAssessment>& triggered) {
  ReplicationVerdict verdict;
  verdict.control = judge_arm(control, control.mean_work);
  verdict.triggered = verdict.control;
  if (triggered) {
    verdict.triggered = judge_arm(
        *triggered,
        std::isnan(triggered->work_before) ? control.mean_work : triggered->work_before);
  }
  if (!control.ever_healthy) {
    verdict.phase = Phase::overloaded;
  } else if (verdict.control.outcome != Outcome::recovered) {
    verdict.phase = Phase::spontaneous;
  } else if (verdict.triggered.outcome == Outcome::stuck) {
    verdict.phase = Phase::vulnerable;
  } else if (verdict.triggered.outcome == Outcome::draining) {
    verdict.phase = Phase::draining;
  } else {
    verdict.phase = Phase::stable;
  }
  return verdict;
}

ReplicationVerdict judge_replication(const ArmView& control,
                                     const std::optional<ArmView>& triggered,
                                     const Objective& objective) {
  const ArmAssessment of_control = assess_arm(control, objective);
  return judge_replication(
      of_control,
      triggered ? std::optional{assess_arm(*triggered, objective)} : std::nullopt);
}

CellVerdict judge_cell(std::span<const ReplicationVerdict> replications,
                       std::span<const double> drain_times,
                       const Objective& objective) {
  if (replications.empty()) {
    throw std::invalid_argument("a cell without replications has no verdict");
  }
  std::array<std::int64_t, phase_count> counts{};
  std::vector<double> recovery_times;
  recovery_times.reserve(replications.size());
  for (const ReplicationVerdict& replication : replications) {
    ++counts[static_cast<std::size_t>(replication.phase)];
    recovery_times.push_back(replication.triggered.recovery_time);
  }

  CellVerdict cell;
  cell.replications = static_cast<std::int64_t>(replications.size());
  std::size_t largest = 0;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    cell.phases[phase] = probability_of(counts[phase], cell.replications);
    if (counts[phase] >= counts[largest]) {
      largest = phase;
    }
  }
  cell.phase = static_cast<Phase>(largest);
  cell.decided = cell.phases[largest].interval.low > 0.5;
  if (objective.recovery_time) {
    const auto within = std::count_if(
        recovery_times.begin(), recovery_times.end(), [&](double recovery_time) {
          return recovery_time <= *objective.recovery_time;
        });
    cell.within_rto = probability_of(within, cell.replications);
  }
  cell.recovery_time = quantiles_of(recovery_times);
  cell.drain_time = quantiles_of(drain_times);
  return cell;
}

Explanation explain(std::span<const ArmVerdict> triggered,
                    std::span<const ArmVerdict> unamplified) {
  if (triggered.empty() || triggered.size() != unamplified.size()) {
    throw std::invalid_argument("to explain takes the same replications of both arms");
  }
  std::int64_t amplified = 0;
  std::int64_t no_surplus = 0;
  for (std::size_t k = 0; k < triggered.size(); ++k) {
    if (triggered[k].outcome == Outcome::stuck) {
      ++(unamplified[k].outcome == Outcome::stuck ? no_surplus : amplified);
    }
  }
  const auto replications = static_cast<std::int64_t>(triggered.size());
  return {.amplified = probability_of(amplified, replications),
          .no_surplus = probability_of(no_surplus, replications)};
}

double variance_reduction_factor(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size()) {
    throw std::invalid_argument("variance reduction takes paired values");
  }
  // Sums of squares about the means; the common n - 1 cancels. Pairs with a value that is
  // not finite (a latency of a failed replication) say nothing of a variance.
  double n = 0;
  double sum_x = 0;
  double sum_y = 0;
  const auto counts = [&](std::size_t k) {
    return std::isfinite(x[k]) && std::isfinite(y[k]);
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (counts(k)) {
      n += 1;
      sum_x += x[k];
      sum_y += y[k];
    }
  }
  if (n < 2) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double of_x = 0;
  double of_y = 0;
  double of_difference = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (counts(k)) {
      const double from_x = x[k] - sum_x / n;
      const double from_y = y[k] - sum_y / n;
      of_x += from_x * from_x;
      of_y += from_y * from_y;
      of_difference += (from_x - from_y) * (from_x - from_y);
    }
  }
  return (of_x + of_y) / of_difference;
}

}  // namespace basin
