// The loop of retries: when it feeds itself, and how long the healthy state holds.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/birth_death.h"
#include "analysis/mean_field.h"
#include "analysis/retry_chains.h"
#include "analysis/wells.h"
#include "engine/time.h"
#include "experiments/run_summary.h"
#include "experiments/theory.h"
#include "experiments/theory_facts.h"
#include "experiments/theory_filling.h"

namespace basin {

namespace {

constexpr const char* no_loop = "nobody retries, so arrivals do not answer to the depth";

// What the chains ask: retries, Poisson arrivals and exponential services one by one.
std::string not_markovian(const TheoryFacts& facts) {
  return first_reason(
      {facts.loop.empty() ? no_loop : "",
       facts.poisson ? "" : "arrivals are not Poisson (" + facts.process + ")",
       facts.exponential_service ? "" : "service is not exponential",
       facts.obstacles.empty() ? "" : facts.obstacles.front()});
}

TheoryForm saturation(const TheoryFacts& facts) {
  TheoryForm form{
      .name = "Saturated retries",
      .subject = "the loads at which a backlog holds itself up",
      .source =
          "flow balance: a saturated system sees A = 1 + r + ... + r^(N-1) attempts "
          "a request (Bronson et al., HotOS 2021)",
      .standing = Standing::fluid};
  const bool short_queue =
      facts.waiting_room && static_cast<double>(*facts.waiting_room) <
                                facts.capacity * (facts.timeout - facts.service_mean);
  form.why_not = first_reason(
      {facts.loop.empty() ? no_loop : "",
       short_queue
           ? "the full queue is worked off before the timeout, so a backlog cannot "
             "make every attempt time out"
           : ""});
  return filled(std::move(form), [&](TheoryForm& to) {
    const double edge = facts.capacity / facts.attempts;
    to.values = {{"capacity C", "1/s", facts.capacity},
                 {"attempts a request A, saturated", "1", facts.attempts},
                 {"recovers from any trigger below C/A", "1/s", edge},
                 {"load today", "1/s", facts.arrival_rate}};
    if (!facts.constant_rate) {
      to.notes.push_back("Today's load is the mean of a rate that changes (" +
                         facts.process + ").");
    }
    if (facts.arrival_rate >= facts.capacity) {
      to.notes.push_back("Today's load is not below C: there is no surplus at all.");
    } else if (facts.arrival_rate > edge) {
      to.notes.push_back(fmt::format(
          "Today's load lies between C/A and C: healthy until a backlog makes attempts "
          "time out, then {}/s arrive, more than C, and it stays down.",
          readable(facts.arrival_rate * facts.attempts)));
    } else {
      to.notes.push_back(
          "Today's load lies below C/A: with every attempt timing out the backlog still "
          "drains.");
    }
  });
}

TheoryForm mean_field(const Scenario& scenario, const TheoryFacts& facts) {
  TheoryForm form{
      .name = "Mean-field retries",
      .subject = "the load at which the healthy state ends, and what it offers",
      .source =
          "fixed point x = lambda (1 + p + ... + p^(N-1)), p = exp(-(C - "
          "x) T)",
      .standing = Standing::approximation};
  form.why_not =
      first_reason({not_markovian(facts),
                    facts.waiting_room ? "the queue is bounded" : "",
                    facts.time_to_live ? "messages are dropped at their TTL" : "",
                    scenario.system.producer.retries_per_timeout == 1
                        ? ""
                        : "retries_per_timeout is not 1"});
  return filled(std::move(form), [&](TheoryForm& to) {
    const MeanFieldRetries model{.service_rate = facts.capacity,
                                 .timeout = facts.timeout,
                                 .attempts = scenario.system.producer.max_attempts};
    const CollapseFold fold = collapse_fold(model);
    to.values = {{"healthy up to a load of", "1/s", fold.load},
                 {"saturated from a load of", "1/s", fold.recovery_load}};
    for (const FixedPoint& point : fixed_points(model, facts.arrival_rate)) {
      const char* const name = point.late_probability == 1 ? "attempts, saturated"
                               : point.is_stable           ? "attempts, healthy"
                                                           : "attempts, unstable";
      to.values.push_back(
          {name,
           "1/s",
           point.attempt_rate,
           point.is_stable && point.late_probability < 1 ? "effective_rate" : ""});
    }
    if (facts.servers > 1) {
      to.notes.push_back(
          fmt::format("The {} consumers are taken as one of their rate.", facts.servers));
    }
  });
}

TheoryForm birth_death_retry(const TheoryFacts& facts) {
  constexpr double most_states = 1e5;
  // Far beyond the depth at which every attempt times out.
  const double states = facts.waiting_room
                            ? static_cast<double>(*facts.waiting_room) + facts.servers
                            : 3 * facts.capacity * facts.timeout + 100;
  TheoryForm form{.name = "Birth-death retries",
                  .subject = "how long the healthy state holds by itself",
                  .source =
                      "birth-death chain: an arrival that finds n is late with the "
                      "probability of n + 1 services outlasting the timeout, and "
                      "adds A - 1 further arrivals at once",
                  .standing = Standing::approximation};
  form.why_not = first_reason(
      {not_markovian(facts),
       facts.time_to_live ? "messages are dropped at their TTL" : "",
       states > most_states
           ? fmt::format(
                 "the depth at which attempts time out makes more than {:.0f} states",
                 most_states)
           : ""});
  return filled(std::move(form), [&](TheoryForm& to) {
    const BirthDeath chain = birth_death({.base_rate = facts.arrival_rate,
                                          .retry_factor = facts.attempts - 1,
                                          .timeout = facts.timeout,
                                          .service_rate = facts.capacity,
                                          .capacity = static_cast<std::size_t>(states)});
    const WellAnswers found = answers(chain);
    to.values = {
        {"tips over at a depth of", "messages", static_cast<double>(found.wells.barrier)},
        {"mean time until it tips by itself", "s", found.time_low_to_barrier},
        {"rate of tipping in the long run", "1/s", found.low_exit_rate}};
    if (facts.waiting_room) {
      to.values.push_back({"mean time back from the storm", "s", found.time_high_to_low});
      to.values.push_back({"spectral gap", "1/s", found.spectral_gap});
    }
    if (facts.servers > 1) {
      to.notes.push_back(
          fmt::format("The {} consumers are taken as one of their rate.", facts.servers));
    }
  });
}

TheoryForm queue_and_orbit(const Scenario& scenario, const TheoryFacts& facts) {
  constexpr int orbit = 20;
  constexpr double most_states = 1e5;
  const double queue = facts.waiting_room
                           ? static_cast<double>(*facts.waiting_room) + facts.servers + 1
                           : 0;
  TheoryForm form{.name = "Queue and orbit",
                  .subject = "a bounded queue with its retries, as a Markov chain",
                  .source =
                      "the chain of the tool metafor, an orbit of 20, a quarter of "
                      "late arrivals copied",
                  .standing = Standing::approximation};
  form.why_not = first_reason(
      {not_markovian(facts),
       facts.waiting_room ? "" : "the queue is unbounded",
       queue * orbit > most_states
           ? fmt::format("the queue is too long for {:.0f} states", most_states)
           : ""});
  return filled(std::move(form), [&](TheoryForm& to) {
    const QueueOrbitAnswers result =
        answers(QueueOrbit{.arrival_rate = facts.arrival_rate,
                           .service_rate = facts.capacity / facts.servers,
                           .timeout = facts.timeout,
                           .retries = scenario.system.producer.max_attempts - 1.0,
                           .threads = facts.servers,
                           .queue = static_cast<int>(queue),
                           .orbit = orbit});
    to.values = {{"mean in the system", "messages", result.mean_queue},
                 {"mean in orbit", "messages", result.mean_orbit},
                 {"mean time to empty from full", "s", result.drain_time},
                 {"second eigenvalue", "1/s", result.slowest_rate}};
  });
}

TheoryForm depth_failure(const Scenario& scenario, const TheoryFacts& facts) {
  constexpr double most_depth = 500;
  const Backoff& backoff = scenario.system.producer.backoff;
  const double pause = to_seconds(backoff.base);
  const double failing = std::floor(facts.capacity * facts.timeout);
  const double room =
      facts.waiting_room ? static_cast<double>(*facts.waiting_room) + facts.servers : 0;
  TheoryForm form{.name = "Depth-failure retrials",
                  .subject = "a bounded queue whose late answers go into an orbit",
                  .source =
                      "M/M/1/K with an orbit; a completion is late when it leaves C T "
                      "messages or more behind",
                  .standing = Standing::approximation};
  const bool paused = backoff.kind == Backoff::Kind::constant && pause > 0;
  form.why_not = first_reason(
      {not_markovian(facts),
       facts.waiting_room ? "" : "the queue is unbounded",
       facts.servers > 1 ? "there are several consumers" : "",
       paused ? "" : "the backoff is not constant (an orbit retries at one rate)",
       room > most_depth ? fmt::format("the queue is longer than {:.0f}", most_depth)
                         : "",
       failing < 1 || failing > room
           ? "the full queue is worked off before the timeout, so no answer is late"
           : ""});
  return filled(std::move(form), [&](TheoryForm& to) {
    const double attempts = scenario.system.producer.max_attempts;
    const DepthFailure model{.arrival_rate = facts.arrival_rate,
                             .service_rate = facts.capacity,
                             .retry_rate = 1 / pause,
                             .retry_probability = (attempts - 1) / attempts,
                             .failure_depth = static_cast<int>(failing),
                             .capacity = static_cast<int>(room)};
    const DepthFailureAnswers result = answers(model);
    const Switching times = switching(model);
    to.values = {{"mean depth with service", "messages", result.mean_depth},
                 {"mean in orbit", "messages", result.mean_orbit},
                 {"goodput in the long run", "1/s", result.goodput},
                 {"mean time until the queue is full", "s", times.time_to_storm},
                 {"mean time back to empty", "s", times.time_to_empty},
                 {"spectral gap", "1/s", times.spectral_gap}};
    to.notes.push_back(
        "An attempt is given up with probability 1/N here, instead of after N.");
  });
}

TheoryForm zombies() {
  return {.name = "Processor-sharing zombies",
          .subject = "live and dead work on a shared processor",
          .source = "Markov chain and fluid limit",
          .standing = Standing::exact,
          .why_not = "messages wait in a queue; there is no shared processor"};
}

}  // namespace

std::vector<TheoryForm> retry_forms(const Scenario& scenario) {
  const TheoryFacts facts = facts_of(scenario);
  return {saturation(facts),
          mean_field(scenario, facts),
          birth_death_retry(facts),
          queue_and_orbit(scenario, facts),
          depth_failure(scenario, facts),
          zombies()};
}

}  // namespace basin
