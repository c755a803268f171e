// What the arithmetic of backlogs is asked: a flow, a backlog and what is to be known of
// it; from a scenario, from values given beside it, or from both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/drain_arithmetic.h"
#include "experiments/scenario.h"

namespace basin {

// Values given beside a scenario, or without one. Rates per second, spans in seconds.
struct DrainValues {
  std::optional<double> arrival_rate = {};
  std::optional<double> consumers = {};
  std::optional<double> service_rate = {};  // of one consumer
  std::optional<double> backlog = {};
  std::optional<double> recovery_time = {};
  std::optional<double> wait_objective = {};  // the SLA
  std::optional<double> time_to_live = {};
  std::optional<double> bump = {};          // 0.1: ten percent more arrivals
  std::optional<double> accumulation = {};  // while the incident lasts
  std::optional<double> lost_consumers = {};
  std::optional<double> incident = {};  // its length
  std::optional<double> provisioning_lag = {};
  std::optional<double> retries_per_timeout = {};
  std::optional<double> timeout = {};
  std::optional<double> steps = {};
};

struct DrainProblem {
  std::string scenario;  // its name; empty without one
  Flow flow;
  std::optional<double> backlog;
  std::string backlog_from;  // in words, where it was not given as such
  std::optional<double> incident;
  double accumulation = 0;        // negative: nothing piles up
  std::string accumulation_from;  // in words
  // Nothing was said of the incident, and so all consumers are taken to be gone.
  bool accumulation_assumed = false;
  std::optional<double> recovery_time;
  std::optional<double> wait_objective;
  std::optional<double> time_to_live;
  double bump = 0.1;
  std::optional<double> provisioning_lag;
  std::optional<double> retries_per_timeout;
  std::optional<double> timeout;
  double steps = 36'000;           // ten hours
  std::vector<std::string> notes;  // on what the scenario was simplified to
};

// `scenario` may be nullptr; then arrival_rate, consumers and service_rate must be given.
// Of its incidents it takes the first that builds a backlog: an outage or slowdown of
// consumers, a surge, messages held back, a backlog. Throws NoAnswer for numbers that
// cannot be computed with.
DrainProblem drain_problem(const Scenario* scenario, const DrainValues& values);

}  // namespace basin
