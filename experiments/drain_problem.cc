#include "experiments/drain_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/no_answer.h"
#include "experiments/drain_words.h"
#include "models/incidents.h"

namespace basin {

namespace {

// The double nearest to the span: 60 s are 60.
double exact_seconds(Duration span) {
  return static_cast<double>(span.count()) / 1e9;
}

struct Group {
  double count = 0;
  double rate = 0;  // of one consumer
};

double total_of(const std::vector<Group>& groups) {
  double total = 0;
  for (const Group& group : groups) {
    total += group.count;
  }
  return total;
}

// What the first `count` consumers work off in a second.
double capacity_of_first(const std::vector<Group>& groups, double count) {
  double result = 0;
  for (const Group& group : groups) {
    const double taken = std::min(count, group.count);
    result += taken * group.rate;
    count -= taken;
  }
  return result;
}

std::vector<Group> fleet_of(const Scenario* scenario,
                            const DrainValues& values,
                            std::vector<std::string>& notes) {
  if (scenario == nullptr) {
    return {{values.consumers.value_or(0), values.service_rate.value_or(0)}};
  }
  std::vector<Group> groups;
  for (const ConsumerGroup& group : scenario->system.consumers.groups) {
    groups.push_back({static_cast<double>(group.count), 1 / mean_of(group.service)});
  }
  const double count = total_of(groups);
  const double mean_rate = capacity_of_first(groups, count) / count;
  if (groups.size() > 1) {
    notes.push_back("consumers differ; the service rate is the mean of all");
  }
  if (values.consumers || values.service_rate) {
    return {{values.consumers.value_or(count), values.service_rate.value_or(mean_rate)}};
  }
  return groups;
}

// What an incident does to a fleet.
struct Pressure {
  std::optional<double> accumulation;  // messages a second while it lasts
  std::optional<double> messages;      // at once
  std::string words;
};

std::string gone_text(double lost, double count) {
  return lost >= count
             ? "all consumers gone"
             : fmt::format(
                   "{} of {} consumers gone", count_text(lost), count_text(count));
}

double lost_of(const Share& share, double count) {
  constexpr double most = std::numeric_limits<int>::max();
  return consumers_in(share, static_cast<int>(std::min(count, most)));
}

std::optional<Pressure> pressure_of(const IncidentEffect& effect,
                                    const std::vector<Group>& groups,
                                    double arrival_rate) {
  const double count = total_of(groups);
  const double all = capacity_of_first(groups, count);
  if (const auto* outage = std::get_if<ConsumerOutage>(&effect)) {
    const double lost = lost_of(outage->share, count);
    return Pressure{
        .accumulation = difference(arrival_rate, all - capacity_of_first(groups, lost)),
        .messages = {},
        .words = gone_text(lost, count)};
  }
  if (const auto* slowdown = std::get_if<Slowdown>(&effect)) {
    const double touched = capacity_of_first(groups, lost_of(slowdown->share, count));
    return Pressure{
        .accumulation = difference(arrival_rate, all - touched * (1 - slowdown->speed)),
        .messages = {},
        .words =
            fmt::format("consumers at {} of their speed", percent_text(slowdown->speed))};
  }
  if (const auto* surge = std::get_if<ArrivalSurge>(&effect)) {
    return Pressure{
        .accumulation = difference(arrival_rate + surge->extra_rate, all),
        .messages = {},
        .words = fmt::format("{} more arrivals", rate_text(surge->extra_rate))};
  }
  if (const auto* partition = std::get_if<Partition>(&effect);
      partition != nullptr && partition->side == Partition::Side::messages) {
    return Pressure{
        .accumulation = arrival_rate, .messages = {}, .words = "all messages held back"};
  }
  if (const auto* backlog = std::get_if<Backlog>(&effect)) {
    return Pressure{.accumulation = {},
                    .messages = static_cast<double>(backlog->messages),
                    .words = {}};
  }
  if (const auto* saturated = std::get_if<Saturated>(&effect)) {
    return Pressure{.accumulation = {},
                    .messages = std::round(exact_seconds(saturated->delay) * all),
                    .words = {}};
  }
  return std::nullopt;
}

// New attempts for each that times out, over all generations: r + r^2 + … + r^(N-1), so
// that a saturated system sees 1 + that many attempts a request.
double retries_of(const ProducerConfig& producer) {
  double result = 0;
  double generation = 1;
  for (int attempt = 1; attempt < producer.max_attempts; ++attempt) {
    generation *= producer.retries_per_timeout;
    result += generation;
  }
  return result;
}

// The objective is there only where a latency is; the recovery time may be set without.
std::optional<double> recovery_time_of(const Scenario& scenario) {
  if (scenario.objective) {
    return scenario.objective->recovery_time;
  }
  const auto resolved =
      nlohmann::json::parse(scenario.document.resolved_json, nullptr, false);
  const auto found = resolved.find("objective.recovery_time");
  if (found == resolved.end() || !found->contains("value") ||
      !(*found)["value"].is_number()) {
    return std::nullopt;
  }
  return (*found)["value"].get<double>();
}

void take_scenario(const Scenario& scenario, DrainProblem& problem) {
  const SystemConfig& system = scenario.system;
  problem.scenario = scenario.name;
  problem.recovery_time = recovery_time_of(scenario);
  if (system.success_within) {
    problem.wait_objective = exact_seconds(*system.success_within);
  }
  if (system.queue.message_ttl) {
    problem.time_to_live = exact_seconds(*system.queue.message_ttl);
  }
  if (system.producer.timeout) {
    problem.timeout = exact_seconds(*system.producer.timeout);
    if (system.producer.max_attempts > 1) {
      problem.retries_per_timeout = retries_of(system.producer);
      if (system.producer.max_attempts > 2) {
        problem.notes.push_back(
            fmt::format("{} attempts a request count as {} retries a timeout",
                        system.producer.max_attempts,
                        count_text(*problem.retries_per_timeout)));
      }
    }
  }
}

// The first incident that builds a backlog, unless what it does was given.
void take_incident(const Scenario& scenario,
                   const std::vector<Group>& groups,
                   const DrainValues& values,
                   DrainProblem& problem) {
  for (const Incident& incident : scenario.system.incidents) {
    const auto pressure = pressure_of(incident.effect, groups, problem.flow.arrival_rate);
    if (!pressure) {
      continue;
    }
    if (pressure->messages) {
      if (!values.incident && !values.accumulation && !values.lost_consumers) {
        problem.backlog = pressure->messages;
        problem.backlog_from = "incident " + incident.name;
      }
      return;
    }
    problem.incident = mean_of(incident.duration);
    problem.accumulation = *pressure->accumulation;
    problem.accumulation_from = pressure->words;
    problem.accumulation_assumed = false;
    return;
  }
}

void override_with(const DrainValues& values, DrainProblem& problem) {
  const auto override = [](std::optional<double>& target,
                           const std::optional<double>& value) {
    if (value) {
      target = value;
    }
  };
  override(problem.recovery_time, values.recovery_time);
  override(problem.wait_objective, values.wait_objective);
  override(problem.time_to_live, values.time_to_live);
  override(problem.incident, values.incident);
  override(problem.provisioning_lag, values.provisioning_lag);
  override(problem.retries_per_timeout, values.retries_per_timeout);
  override(problem.timeout, values.timeout);
  problem.bump = values.bump.value_or(problem.bump);
  problem.steps = values.steps.value_or(problem.steps);
}

}  // namespace

DrainProblem drain_problem(const Scenario* scenario, const DrainValues& values) {
  DrainProblem problem;
  const std::vector<Group> groups = fleet_of(scenario, values, problem.notes);
  const double count = total_of(groups);
  const double all = capacity_of_first(groups, count);
  problem.flow = {.arrival_rate = values.arrival_rate.value_or(
                      scenario == nullptr ? 0 : mean_rate(scenario->system.arrivals)),
                  .consumers = count,
                  .service_rate = groups.size() == 1 ? groups[0].rate : all / count};
  problem.accumulation = problem.flow.arrival_rate;
  problem.accumulation_from = "all consumers gone (assumed)";
  problem.accumulation_assumed = true;
  if (scenario != nullptr) {
    take_scenario(*scenario, problem);
    take_incident(*scenario, groups, values, problem);
  }
  if (values.accumulation) {
    problem.accumulation = *values.accumulation;
    problem.accumulation_from = "given";
    problem.accumulation_assumed = false;
  } else if (values.lost_consumers) {
    if (*values.lost_consumers > count) {
      throw NoAnswer(fmt::format("more consumers are lost ({}) than there are ({})",
                                 count_text(*values.lost_consumers),
                                 count_text(count)));
    }
    problem.accumulation =
        difference(problem.flow.arrival_rate,
                   all - capacity_of_first(groups, *values.lost_consumers));
    problem.accumulation_from = gone_text(*values.lost_consumers, count);
    problem.accumulation_assumed = false;
  }
  override_with(values, problem);
  if (values.backlog) {
    problem.backlog = values.backlog;
    problem.backlog_from.clear();
  } else if (!problem.backlog && problem.incident) {
    problem.backlog = std::max(0.0, problem.accumulation) * *problem.incident;
    if (!std::isfinite(*problem.backlog)) {
      throw NoAnswer("the backlog of the incident is too large to be computed with");
    }
    problem.backlog_from =
        problem.accumulation > 0
            ? fmt::format("{} for {}",
                          rate_text(problem.accumulation),
                          span_text(*problem.incident))
            : fmt::format("none: with {} nothing piles up", problem.accumulation_from);
  }
  return problem;
}

}  // namespace basin
