#include "experiments/fluid_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "analysis/fluid_queue.h"
#include "analysis/no_answer.h"
#include "engine/portable_math.h"
#include "engine/time.h"
#include "experiments/theory_facts.h"
#include "experiments/units.h"
#include "models/incidents.h"

namespace basin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// --- Requests created up to an instant
// ---------------------------------------------------

// The integral of a schedule's rate over [0, until), within one period.
double scheduled(const ScheduleArrivals& schedule, double until) {
  double sum = 0;
  double rate = schedule.period ? schedule.steps.back().rate : 0;
  for (std::size_t k = 0; k < schedule.steps.size(); ++k) {
    const ScheduleArrivals::Step& step = schedule.steps[k];
    if (step.at >= until) {
      break;
    }
    const double end =
        std::min(until, k + 1 < schedule.steps.size() ? schedule.steps[k + 1].at : until);
    const double ramp = std::min(step.ramp, end - step.at);
    if (ramp > 0) {
      const double reached = rate + (step.rate - rate) * (ramp / step.ramp);
      sum += (rate + reached) / 2 * ramp;
    }
    sum += step.rate * std::max(0.0, end - step.at - step.ramp);
    rate = step.rate;
  }
  return sum * schedule.factor;
}

// `whole` of a period and what `part` of the next one adds.
template <class Part>
double repeated(double at, double period, double whole, const Part& part) {
  const double periods = std::floor(at / period);
  return periods * whole + part(at - periods * period);
}

double created_by(const Arrivals& arrivals, double at) {
  return std::visit(
      Overloaded{
          [&](const ScheduleArrivals& schedule) {
            return schedule.period
                       ? repeated(at,
                                  *schedule.period,
                                  scheduled(schedule, *schedule.period),
                                  [&](double part) { return scheduled(schedule, part); })
                       : scheduled(schedule, at);
          },
          [&](const TraceArrivals& trace) {
            const std::vector<double>& times = *trace.times;
            const auto recorded = [&](double until) {
              return static_cast<double>(
                  std::lower_bound(times.begin(), times.end(), until) - times.begin());
            };
            const double own = at / trace.time_scale;
            return trace.rate_scale * (trace.loop
                                           ? repeated(own,
                                                      trace.length,
                                                      static_cast<double>(times.size()),
                                                      recorded)
                                           : recorded(own));
          },
          [&](const CountTraceArrivals& trace) {
            const std::vector<double>& counts = *trace.counts;
            const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
            const auto recorded = [&](double until) {
              const double intervals = until / trace.interval;
              const auto whole = static_cast<std::size_t>(
                  std::min(intervals, static_cast<double>(counts.size())));
              const double part =
                  whole < counts.size()
                      ? counts[whole] * (intervals - static_cast<double>(whole))
                      : 0;
              return std::accumulate(counts.begin(),
                                     counts.begin() + static_cast<std::ptrdiff_t>(whole),
                                     0.0) +
                     part;
            };
            const double own = at / trace.time_scale;
            const double length = trace.interval * static_cast<double>(counts.size());
            return trace.rate_scale *
                   (trace.loop ? repeated(own, length, all, recorded) : recorded(own));
          },
          [&](const auto& others) { return mean_rate(Arrivals{others}) * at; }},
      arrivals);
}

// --- Incidents as pieces of constant conditions
// ------------------------------------------

struct Conditions {
  double consumers = 0;  // at work
  double speed = 1;      // mean factor of those
  double surge = 0;      // requests per second
};

struct Piece {
  double from = 0;
  Conditions conditions;
};

// The first `lost` consumers are down; slowed ones are the first of each slowdown.
Conditions conditions_now(const SystemConfig& system, const IncidentTimeline& timeline) {
  const int all = total_count(system.consumers);
  int lost = 0;
  Conditions now;
  std::vector<std::pair<int, double>> slowed;
  for (std::size_t k = 0; k < system.incidents.size(); ++k) {
    if (!timeline.is_on(k)) {
      continue;
    }
    const IncidentEffect& effect = system.incidents[k].effect;
    if (const auto* outage = std::get_if<ConsumerOutage>(&effect)) {
      lost = std::max(lost, consumers_in(outage->share, all));
    } else if (const auto* slowdown = std::get_if<Slowdown>(&effect)) {
      slowed.emplace_back(consumers_in(slowdown->share, all),
                          portable::pow(slowdown->speed, timeline.occurrences_on(k)));
    } else if (const auto* surge = std::get_if<ArrivalSurge>(&effect)) {
      now.surge += surge->extra_rate * timeline.occurrences_on(k);
    }
  }
  now.consumers = all - lost;
  // Between two ends of slowdowns the factor is the same.
  std::sort(slowed.begin(), slowed.end());
  double sum = 0;
  int begin = lost;
  for (std::size_t k = 0; k <= slowed.size() && begin < all; ++k) {
    const int end = k < slowed.size() ? std::max(begin, slowed[k].first) : all;
    double factor = 1;
    for (std::size_t j = k; j < slowed.size(); ++j) {
      factor *= slowed[j].second;
    }
    sum += factor * (end - begin);
    begin = end;
  }
  now.speed = now.consumers > 0 ? sum / now.consumers : 1;
  return now;
}

struct Course {
  std::vector<Piece> pieces;
  std::vector<FluidBurst> bursts;
  std::optional<SimTime> first_start;
  std::optional<SimTime> last_end;
};

Course course_of(const SystemConfig& system, const RandomKey& key) {
  IncidentTimeline timeline{system.incidents, key, SimTime{system.horizon}};
  Course course{.pieces = {{.from = 0, .conditions = conditions_now(system, timeline)}},
                .bursts = {},
                .first_start = timeline.first_start(),
                .last_end = timeline.last_end()};
  while (timeline.next() != never) {
    const IncidentTimeline::Edge edge = timeline.take();
    const double at = to_seconds(edge.time.time_since_epoch());
    if (edge.starts) {
      const IncidentEffect& effect = system.incidents[edge.incident].effect;
      if (const auto* backlog = std::get_if<Backlog>(&effect)) {
        course.bursts.push_back(
            {.at = at, .messages = static_cast<double>(backlog->messages)});
      } else if (const auto* saturated = std::get_if<Saturated>(&effect)) {
        course.bursts.push_back({.at = at,
                                 .messages = static_cast<double>(
                                     messages_for(saturated->delay, system.consumers))});
      }
    }
    course.pieces.push_back({.from = at, .conditions = conditions_now(system, timeline)});
  }
  return course;
}

// The mean of a condition over each step, by the pieces that overlap it.
std::vector<double> by_step(const Course& course,
                            double Conditions::*member,
                            double step,
                            std::size_t steps) {
  std::vector<double> values(steps, 0);
  for (std::size_t k = 0; k < course.pieces.size(); ++k) {
    const double from = course.pieces[k].from / step;
    const double to = k + 1 < course.pieces.size() ? course.pieces[k + 1].from / step
                                                   : static_cast<double>(steps);
    const double value = course.pieces[k].conditions.*member;
    for (auto n = static_cast<std::size_t>(from);
         n < steps && static_cast<double>(n) < to;
         ++n) {
      const double overlap = std::min(to, static_cast<double>(n) + 1) -
                             std::max(from, static_cast<double>(n));
      values[n] += value * overlap;
    }
  }
  return values;
}

// --- The producer
// ------------------------------------------------------------------------

std::vector<FluidPause> pauses_of(const ProducerConfig& producer) {
  const Backoff& backoff = producer.backoff;
  std::vector<FluidPause> pauses;
  if (backoff.kind == Backoff::Kind::none) {
    return pauses;
  }
  const double cap = to_seconds(backoff.cap);
  const double base = std::min(to_seconds(backoff.base), cap);
  double delay = base;
  double before = base;
  for (int retry = 1; retry < producer.max_attempts; ++retry) {
    switch (backoff.jitter) {
      case Backoff::Jitter::none:
        pauses.push_back({.low = delay, .high = delay});
        break;
      case Backoff::Jitter::full:
        pauses.push_back({.low = 0, .high = delay});
        break;
      case Backoff::Jitter::equal:
        pauses.push_back({.low = delay / 2, .high = delay});
        break;
      case Backoff::Jitter::decorrelated:
        pauses.push_back({.low = base, .high = std::min(cap, 3 * before)});
        before = pauses.back().mean();
        break;
    }
    if (backoff.kind == Backoff::Kind::exponential) {
      delay = std::min(cap, delay * backoff.factor);
    }
  }
  return pauses;
}

FluidQueue::Refused refusal_of(OnReject on_reject) {
  switch (on_reject) {
    case OnReject::timeout:
      return FluidQueue::Refused::at_timeout;
    case OnReject::error:
      return FluidQueue::Refused::at_once;
    case OnReject::silent:
      return FluidQueue::Refused::silent;
  }
  return FluidQueue::Refused::at_timeout;
}

// Short beside what decides, and a whole number of them to a sample.
double step_of(const SystemConfig& system) {
  const double sample = to_seconds(system.sample_interval);
  double step = std::min(sample, to_seconds(system.outcome_interval));
  double decides = infinity;
  if (system.producer.timeout) {
    decides = std::min(decides, to_seconds(*system.producer.timeout));
  }
  if (system.success_within) {
    decides = std::min(decides, to_seconds(*system.success_within));
  }
  step = std::min(step, decides / 200);
  // No more steps than can be followed; a timeout still has 20 of them.
  const double most_steps = 1e7 / std::max(2, system.producer.max_attempts);
  step = std::max(step, to_seconds(system.horizon) / most_steps);
  if (step > decides / 20) {
    throw NoAnswer(
        "the horizon is too long for the fluid limit to follow such a timeout");
  }
  return sample / std::ceil(sample / step);
}

// --- From the path to what a run reports
// -------------------------------------------------

double sum_over(const std::vector<double>& series, std::size_t from, std::size_t to) {
  return std::accumulate(series.begin() + static_cast<std::ptrdiff_t>(from),
                         series.begin() + static_cast<std::ptrdiff_t>(to),
                         0.0);
}

// Quantiles of the latency of requests created in [from, to), those without an answer
// infinite.
void fill_latencies(const FluidPath& path,
                    std::size_t from,
                    std::size_t to,
                    double created,
                    Metrics& metrics) {
  std::vector<FluidPath::Answered> answered;
  double succeeded = 0;
  double sum = 0;
  for (const FluidPath::Answered& one : path.answered) {
    if (one.created >= from && one.created < to) {
      answered.push_back(one);
      succeeded += one.requests;
      sum += one.requests * one.latency;
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (created <= 0) {
    metrics.mean_latency = metrics.latency_p50 = metrics.latency_p95 =
        metrics.latency_p99 = metrics.latency_p999 = nan;
    return;
  }
  std::sort(answered.begin(), answered.end(), [](const auto& a, const auto& b) {
    return a.latency < b.latency;
  });
  const auto quantile = [&](double p) {
    double below = 0;
    for (const FluidPath::Answered& one : answered) {
      below += one.requests;
      if (below >= p * created) {
        return one.latency;
      }
    }
    return infinity;
  };
  constexpr double rounding = 1e-9;
  metrics.mean_latency =
      succeeded < created * (1 - rounding) ? infinity : sum / succeeded;
  metrics.latency_p50 = quantile(0.5);
  metrics.latency_p95 = quantile(0.95);
  metrics.latency_p99 = quantile(0.99);
  metrics.latency_p999 = quantile(0.999);
}

Metrics metrics_of(const SystemConfig& system,
                   const Course& course,
                   const FluidPath& path,
                   const std::vector<double>& speed) {
  const auto from =
      static_cast<std::size_t>(std::lround(to_seconds(system.warmup) / path.step));
  const std::size_t to = path.steps_to_horizon;
  const double span = static_cast<double>(to - from) * path.step;
  const auto rate = [&](const std::vector<double>& series) {
    return sum_over(series, from, to) / span;
  };
  const auto mean = [&](const std::vector<double>& series) {
    return sum_over(series, from, to) / static_cast<double>(to - from);
  };
  Metrics metrics;
  const double created = sum_over(path.created, from, to);
  const double succeeded = sum_over(path.succeeded, from, to);
  metrics.base_rate = created / span;
  metrics.effective_rate = rate(path.entered);
  metrics.offered_rate = metrics.effective_rate + rate(path.refused);
  metrics.retry_rate = rate(path.retries);
  metrics.throughput = rate(path.completed);
  metrics.goodput = std::min(rate(path.goodput), metrics.throughput);
  metrics.goodput_ratio = created > 0 ? std::min(1.0, succeeded / created)
                                      : std::numeric_limits<double>::quiet_NaN();
  // What is left of a difference of sums is no waste.
  constexpr double rounding = 1e-9;
  const double waste = metrics.throughput - metrics.goodput;
  metrics.waste_rate = waste > rounding * metrics.throughput ? waste : 0;
  metrics.failed_rate = rate(path.failed);
  metrics.expired_rate = rate(path.expired);
  metrics.rejected_rate = rate(path.refused);
  metrics.mean_depth = mean(path.depth);
  metrics.final_depth = path.depth[to - 1];
  metrics.mean_in_flight = mean(path.in_flight);
  const double handed = sum_over(path.handed_out, from, to);
  metrics.mean_wait = handed > 0 ? sum_over(path.wait, from, to) / handed
                                 : std::numeric_limits<double>::quiet_NaN();
  const auto peak =
      std::max_element(path.depth.begin() + static_cast<std::ptrdiff_t>(from),
                       path.depth.begin() + static_cast<std::ptrdiff_t>(to));
  metrics.peak_depth = *peak;
  const double peak_at = static_cast<double>(peak - path.depth.begin() + 1) * path.step;
  metrics.time_to_peak = std::max(
      0.0,
      peak_at - to_seconds(course.first_start ? course.first_start->time_since_epoch()
                                              : system.warmup));
  double busy = 0;
  const double service =
      total_count(system.consumers) / total_service_rate(system.consumers);
  for (std::size_t n = from; n < to; ++n) {
    busy += speed[n] > 0 ? path.completed[n] * service / speed[n] : 0;
  }
  metrics.utilization = std::min(1.0, busy / (total_count(system.consumers) * span));
  metrics.goodput_lost = std::max(0.0, created - succeeded);
  metrics.wasted = metrics.waste_rate * span;
  fill_latencies(path, from, to, created, metrics);
  return metrics;
}

void fill_trajectory(const SystemConfig& system,
                     const FluidPath& path,
                     RunResult& result) {
  const auto every = static_cast<std::size_t>(
      std::lround(to_seconds(system.sample_interval) / path.step));
  const auto samples =
      static_cast<std::size_t>(system.horizon / system.sample_interval) + 1;
  Trajectory& trajectory = result.trajectory;
  for (std::size_t k = 0; k < samples; ++k) {
    const std::size_t at = k * every;
    const auto level = [&](const std::vector<double>& series) {
      return static_cast<float>(at > 0 ? series[at - 1] : 0);
    };
    const auto rate = [&](const std::vector<double>& series) {
      return static_cast<float>(at > 0 ? sum_over(series, at - every, at) /
                                             to_seconds(system.sample_interval)
                                       : 0);
    };
    trajectory.depth.push_back(level(path.depth));
    trajectory.in_flight.push_back(level(path.in_flight));
    trajectory.oldest_age.push_back(level(path.oldest_age));
    trajectory.retries_pending.push_back(level(path.retries_pending));
    trajectory.consumers.push_back(
        static_cast<float>(path.consumers[at > 0 ? at - 1 : 0]));
    trajectory.base_rate.push_back(rate(path.created));
    trajectory.effective_rate.push_back(rate(path.entered));
    trajectory.throughput.push_back(rate(path.completed));
    trajectory.goodput.push_back(rate(path.goodput));
    if (at > 0 && trajectory.base_rate.back() > 0 &&
        at > static_cast<std::size_t>(to_seconds(system.warmup) / path.step)) {
      result.metrics.peak_amplification =
          std::max(result.metrics.peak_amplification,
                   static_cast<double>(trajectory.effective_rate.back()) /
                       static_cast<double>(trajectory.base_rate.back()));
    }
  }
}

// Whole requests a bin: what has come in all, rounded, less what had come before.
void fill_outcomes(const SystemConfig& system, const FluidPath& path, RunResult& result) {
  const double width = to_seconds(system.outcome_interval);
  const auto bins = static_cast<std::size_t>(
      (system.horizon + system.outcome_interval - Duration{1}) / system.outcome_interval);
  std::vector<double> created(bins, 0);
  std::vector<double> succeeded(bins, 0);
  for (std::size_t n = 0; n < path.steps_to_horizon; ++n) {
    const double middle = (static_cast<double>(n) + 0.5) * path.step;
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(middle / width));
    created[bin] += path.created[n];
    succeeded[bin] += path.succeeded[n];
  }
  double all = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double before = std::round(all);
    all += created[bin];
    const double whole = std::round(all) - before;
    const double share =
        created[bin] > 0 ? std::min(1.0, succeeded[bin] / created[bin]) : 0;
    result.outcomes.created.push_back(static_cast<std::uint32_t>(whole));
    result.outcomes.succeeded.push_back(
        static_cast<std::uint32_t>(std::round(whole * share)));
  }
}

void fill_drain(const SystemConfig& system,
                const Course& course,
                const FluidPath& path,
                RunResult& result) {
  result.first_incident_start = course.first_start;
  result.last_incident_end = course.last_end;
  if (!course.last_end) {
    return;
  }
  const auto step_at = [&](SimTime instant) {
    return std::min(path.steps_to_horizon,
                    static_cast<std::size_t>(
                        std::lround(to_seconds(instant.time_since_epoch()) / path.step)));
  };
  const auto begin =
      static_cast<std::size_t>(std::lround(to_seconds(system.warmup) / path.step));
  const std::size_t first = step_at(*course.first_start);
  const double level = first > begin ? std::ceil(sum_over(path.depth, begin, first) /
                                                     static_cast<double>(first - begin) -
                                                 1e-9)
                                     : 0;
  for (std::size_t n = step_at(*course.last_end); n < path.steps_to_horizon; ++n) {
    if (path.depth[n] <= level + 1e-6) {
      result.drained_at = std::max(
          *course.last_end,
          SimTime{Duration{std::llround(static_cast<double>(n + 1) * path.step * 1e9)}});
      return;
    }
  }
}

void fill_counts(const FluidPath& path, RunResult& result) {
  const auto whole = [](double mass) { return std::llround(mass); };
  const std::size_t steps = path.depth.size();
  MessageCounts& counts = result.counts;
  counts.completed = whole(sum_over(path.completed, 0, steps));
  counts.completions = counts.completed;
  counts.expired = whole(sum_over(path.expired, 0, steps));
  counts.rejected = whole(sum_over(path.refused, 0, steps));
  counts.waiting = whole(path.depth.back());
  counts.in_flight = whole(path.in_flight.back());
  counts.sent = counts.completed + counts.expired + counts.rejected + counts.waiting +
                counts.in_flight;
}

}  // namespace

std::optional<FluidMisfit> fluid_misfit(const Scenario& scenario) {
  const SystemConfig& system = scenario.system;
  const TheoryFacts facts = facts_of(scenario);
  if (system.queue.order != QueueOrder::fifo) {
    return FluidMisfit{.table = "queue",
                       .key = "order",
                       .problem = "lifo has no fluid limit here (expected fifo)"};
  }
  if (!facts.leases.empty()) {
    return FluidMisfit{.table = "queue",
                       .key = "visibility_timeout",
                       .problem = facts.leases +
                                  ", and the fluid limit has no redelivery (expected a "
                                  "longer one, or none)"};
  }
  const double limit =
      std::min(facts.timeout,
               system.success_within ? to_seconds(*system.success_within) : infinity);
  if (system.consumers.processing == Processing::serial &&
      (system.queue.receive_batch - 1) * facts.service_mean > limit / 100) {
    return FluidMisfit{
        .table = "queue",
        .key = "receive_batch",
        .problem =
            "messages of a batch wait for each other at the consumer, which the "
            "fluid limit does not show (expected 1, or a batch that is short "
            "beside the timeout)"};
  }
  if (!facts.loop.empty() && system.producer.late_reply == LateReply::accepted) {
    return FluidMisfit{
        .table = "producer",
        .key = "late_reply",
        .problem = "accepted is not in the fluid limit (expected ignored)"};
  }
  for (std::size_t k = 0; k < system.incidents.size(); ++k) {
    const IncidentEffect& effect = system.incidents[k].effect;
    const bool represented = std::holds_alternative<ConsumerOutage>(effect) ||
                             std::holds_alternative<Slowdown>(effect) ||
                             std::holds_alternative<ArrivalSurge>(effect) ||
                             std::holds_alternative<Backlog>(effect) ||
                             std::holds_alternative<Saturated>(effect);
    if (!represented) {
      return FluidMisfit{.table = "incident",
                         .entry = k,
                         .key = "kind",
                         .problem =
                             "this kind is not in the fluid limit (expected "
                             "consumer_outage, slowdown, arrival_surge, backlog or "
                             "saturated)"};
    }
  }
  if (!system.interventions.empty()) {
    return FluidMisfit{.table = "intervention",
                       .key = "kind",
                       .problem = "interventions are not in the fluid limit"};
  }
  return std::nullopt;
}

std::vector<std::string> fluid_notes(const Scenario& scenario) {
  const SystemConfig& system = scenario.system;
  const TheoryFacts facts = facts_of(scenario);
  std::vector<std::string> notes = {
      "the fluid limit has no chance in it: no fluctuation of arrivals or work, so a "
      "system that is tipped by them alone looks stable"};
  if (facts.constant_rate && facts.process != "poisson" &&
      facts.process != "deterministic") {
    notes.push_back("arrivals (" + facts.process + ") are taken at their mean rate");
  }
  if (system.queue.receive_batch > 1) {
    notes.push_back(
        fmt::format("receive_batch = {} is taken as 1", system.queue.receive_batch));
  }
  if (system.consumers.groups.size() > 1) {
    notes.push_back("consumers that differ are taken at their mean rate");
  }
  for (const Incident& incident : system.incidents) {
    const auto* outage = std::get_if<ConsumerOutage>(&incident.effect);
    if (outage != nullptr && outage->mode == ConsumerOutage::Mode::crash) {
      notes.push_back("work in progress at a crash is taken to go on afterwards");
      break;
    }
  }
  return notes;
}

RunResult fluid_run(const SystemConfig& system, const RandomKey& key) {
  const Course course = course_of(system, key);
  const double step = step_of(system);
  FluidQueue queue;
  queue.step = step;
  queue.horizon = to_seconds(system.horizon);
  queue.service = total_count(system.consumers) / total_service_rate(system.consumers);
  queue.attempts = system.producer.max_attempts;
  queue.retries_per_timeout = system.producer.retries_per_timeout;
  queue.pauses = pauses_of(system.producer);
  queue.learns_of_refusal = refusal_of(system.producer.on_reject);
  queue.bursts = course.bursts;
  if (system.producer.timeout) {
    queue.timeout = to_seconds(*system.producer.timeout);
  }
  if (system.queue.capacity) {
    queue.waiting_room = static_cast<double>(*system.queue.capacity);
  }
  if (system.queue.message_ttl) {
    queue.time_to_live = to_seconds(*system.queue.message_ttl);
  }
  if (system.success_within) {
    queue.success_within = to_seconds(*system.success_within);
  }
  // Conditions up to the horizon, and as they are then for what is left beyond it.
  const auto steps = static_cast<std::size_t>(std::ceil(queue.horizon / step)) + 1;
  const std::vector<double> consumers =
      by_step(course, &Conditions::consumers, step, steps);
  const std::vector<double> speed = by_step(course, &Conditions::speed, step, steps);
  const std::vector<double> surge = by_step(course, &Conditions::surge, step, steps);
  const auto at = [&](const std::vector<double>& values, double from) {
    return values[std::min(steps - 1,
                           static_cast<std::size_t>(std::lround(from / step)))];
  };
  queue.consumers = [&](double from, double) { return at(consumers, from); };
  queue.speed = [&](double from, double) { return at(speed, from); };
  queue.arrivals = [&, before = 0.0](double from, double to) mutable {
    const double now = created_by(system.arrivals, to);
    const double created = now - before + at(surge, from) * (to - from);
    before = now;
    return created;
  };

  const FluidPath path = follow(queue);
  RunResult result;
  result.metrics = metrics_of(system, course, path, speed);
  fill_trajectory(system, path, result);
  fill_outcomes(system, path, result);
  fill_drain(system, course, path, result);
  fill_counts(path, result);
  return result;
}

}  // namespace basin
