// After the incident: how long until the backlog is gone, and goodput back.

#include <algorithm>
#include <cmath>

#include "analysis/drain_arithmetic.h"
#include "analysis/fluid_trigger.h"
#include "analysis/mm1.h"
#include "engine/time.h"
#include "experiments/drain_problem.h"
#include "experiments/theory.h"
#include "experiments/theory_facts.h"
#include "experiments/theory_filling.h"

namespace basin {

namespace {

// One incident of a duration that is not drawn, so that the arithmetic speaks of the run.
std::string not_one_incident(const Scenario& scenario) {
  const std::vector<Incident>& incidents = scenario.system.incidents;
  if (incidents.empty()) {
    return "the scenario has no incident";
  }
  if (incidents.size() > 1 || incidents.front().occurrences > 1) {
    return "there are several incidents";
  }
  return std::holds_alternative<Deterministic>(incidents.front().duration)
             ? ""
             : "the duration of the incident is drawn";
}

// The backlog that the incident builds; NoAnswer without one.
DrainProblem backlog_of(const Scenario& scenario) {
  DrainProblem problem = drain_problem(&scenario, {});
  if (!problem.backlog || *problem.backlog <= 0) {
    throw NoAnswer("the incident builds no backlog that arithmetic knows of");
  }
  return problem;
}

TheoryForm drain_without_retries(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "Drain time",
                  .subject = "of the backlog that the incident leaves, nobody retrying",
                  .source =
                      "backlog / surplus; first passage of a random walk for its "
                      "spread",
                  .standing = Standing::approximation};
  form.why_not = first_reason(
      {not_one_incident(scenario),
       facts.loop,
       facts.leases,
       facts.constant_rate ? ""
                           : "arrivals have no constant rate (" + facts.process + ")",
       facts.waiting_room ? "the queue is bounded" : "",
       facts.time_to_live ? "messages are dropped at their TTL" : "",
       scenario.system.interventions.empty() ? "" : "interventions change the flow"});
  return filled(std::move(form), [&](TheoryForm& to) {
    const DrainProblem problem = backlog_of(scenario);
    const double backlog = *problem.backlog;
    const Answer drains = drain_time(problem.flow, backlog);
    to.values = {{"backlog when it ends", "messages", backlog},
                 {"surplus", "1/s", surplus(problem.flow)},
                 {"drain time", "s", drains.value, "drain_time", Arm::triggered}};
    if (!drains.is_finite()) {
      to.notes.push_back("It never drains: " + drains.why_infinite + ".");
    } else if (facts.poisson && facts.exponential_service) {
      const DrainTime walk = drain_time(
          Mm1{.arrival_rate = facts.arrival_rate, .service_rate = facts.capacity},
          backlog);
      to.values.push_back(
          {"drain time, standard deviation", "s", std::sqrt(walk.variance)});
    }
    to.notes.insert(to.notes.end(), problem.notes.begin(), problem.notes.end());
  });
}

// Messages that pile up behind consumers that are all gone for `duration`, when every
// attempt times out: the k-th is sent k (timeout + backoff) after the first.
double sent_meanwhile(const SystemConfig& system,
                      const TheoryFacts& facts,
                      double duration) {
  double sent = duration;
  double share = 1;
  double later = 0;
  double pause = to_seconds(system.producer.backoff.base);
  for (int attempt = 1; attempt < system.producer.max_attempts; ++attempt) {
    share *= system.producer.retries_per_timeout;
    double wait = pause;
    if (system.producer.backoff.kind == Backoff::Kind::none) {
      wait = 0;
    } else if (system.producer.backoff.kind == Backoff::Kind::exponential) {
      wait = std::min(pause, to_seconds(system.producer.backoff.cap));
      pause *= system.producer.backoff.factor;
    }
    later += facts.timeout + wait;
    if (later >= duration) {
      break;
    }
    sent += share * (duration - later);
  }
  return facts.arrival_rate * sent;
}

TheoryForm recovery_with_retries(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{.name = "Recovery under retries",
                  .subject = "after an outage of all consumers, every attempt timing out",
                  .source =
                      "flow balance: the backlog B falls by C - A lambda; goodput "
                      "returns at B = C (T - service)",
                  .standing = Standing::fluid};
  const auto* outage =
      scenario.system.incidents.empty()
          ? nullptr
          : std::get_if<ConsumerOutage>(&scenario.system.incidents.front().effect);
  const auto* share = outage == nullptr ? nullptr : std::get_if<double>(&outage->share);
  form.why_not = first_reason(
      {facts.loop.empty() ? "nobody retries: see Drain time" : "",
       not_one_incident(scenario),
       facts.leases,
       facts.constant_rate ? ""
                           : "arrivals have no constant rate (" + facts.process + ")",
       share != nullptr && *share == 1 ? ""
                                       : "the incident is no outage of all consumers",
       facts.waiting_room ? "the queue is bounded" : "",
       facts.time_to_live ? "messages are dropped at their TTL" : "",
       scenario.system.queue.order == QueueOrder::fifo ? ""
                                                       : "the last one sent is first",
       scenario.system.interventions.empty() ? "" : "interventions change the flow"});
  return filled(std::move(form), [&](TheoryForm& to) {
    const double duration =
        std::get<Deterministic>(scenario.system.incidents.front().duration).mean;
    const double backlog = sent_meanwhile(scenario.system, facts, duration);
    const RetryAftermathAnswers result =
        answers(RetryAftermath{.arrival_rate = facts.arrival_rate,
                               .capacity = facts.capacity,
                               .attempts = facts.attempts,
                               .timeout = facts.timeout - facts.service_mean,
                               .backlog = backlog});
    to.values = {
        {"backlog when it ends", "messages", backlog},
        {"backlog that is worked off in time", "messages", result.sustaining_backlog},
        {"falls by, every attempt timing out",
         "1/s",
         facts.capacity - facts.attempts * facts.arrival_rate},
        {"goodput returns after",
         "s",
         result.goodput_returns.value,
         "recovery_time",
         Arm::triggered}};
    if (!result.goodput_returns.is_finite()) {
      to.notes.push_back("It stays down: " + result.goodput_returns.why_infinite + ".");
    }
  });
}

}  // namespace

std::vector<TheoryForm> recovery_forms(const Scenario& scenario) {
  const TheoryFacts facts = facts_of(scenario);
  return {drain_without_retries(scenario, facts), recovery_with_retries(scenario, facts)};
}

}  // namespace basin
