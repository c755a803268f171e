#include "experiments/theory_facts.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/portable_math.h"
#include "engine/time.h"
#include "experiments/units.h"

namespace basin {

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

void read_arrivals(const Arrivals& arrivals, TheoryFacts& facts) {
  facts.arrival_rate = mean_rate(arrivals);
  std::visit(Overloaded{[&](const PoissonArrivals&) {
                          facts.process = "poisson";
                          facts.poisson = true;
                          if (facts.arrival_rate > 0) {
                            facts.gap = Exponential{.mean = 1 / facts.arrival_rate};
                          }
                        },
                        [&](const DeterministicArrivals&) {
                          facts.process = "deterministic";
                          if (facts.arrival_rate > 0) {
                            facts.gap = Deterministic{.mean = 1 / facts.arrival_rate};
                          }
                        },
                        [&](const RenewalArrivals& renewal) {
                          facts.process = "renewal";
                          facts.gap = renewal.gap;
                          facts.poisson =
                              std::holds_alternative<Exponential>(renewal.gap);
                        },
                        [&](const BatchPoissonArrivals& batches) {
                          facts.process = "batch_poisson";
                          facts.poisson = batches.batch_mean == 1;
                        },
                        [&](const MmppArrivals& mmpp) {
                          facts.process = "mmpp";
                          facts.modulation = mmpp;
                        },
                        [&](const OnOffArrivals& periods) {
                          facts.process = "on_off";
                          const auto* on = std::get_if<Exponential>(&periods.on);
                          const auto* off = std::get_if<Exponential>(&periods.off);
                          if (on != nullptr && off != nullptr) {
                            facts.modulation = MmppArrivals{
                                .rates = {periods.on_rate, periods.off_rate},
                                .transitions = {{0, 1 / on->mean}, {1 / off->mean, 0}},
                                .initial_state = std::nullopt};
                          }
                        },
                        [&](const HawkesArrivals& hawkes) {
                          facts.process = "hawkes";
                          facts.poisson = hawkes.branching == 0;
                        },
                        [&](const ScheduleArrivals&) {
                          facts.process = "schedule";
                          facts.constant_rate = false;
                        },
                        [&](const TraceArrivals&) {
                          facts.process = "trace";
                          facts.constant_rate = false;
                        },
                        [&](const CountTraceArrivals&) {
                          facts.process = "trace";
                          facts.constant_rate = false;
                        }},
             arrivals);
}

// Probability that a service takes longer than `span`; an upper bound (Cantelli's
// inequality) where the law has no simple tail.
double chance_to_outlast(const Distribution& service, double span) {
  if (const auto* law = std::get_if<Exponential>(&service)) {
    return portable::exp(-span / law->mean);
  }
  if (const auto* law = std::get_if<Deterministic>(&service)) {
    return law->mean > span ? 1 : 0;
  }
  if (const auto* law = std::get_if<Uniform>(&service)) {
    return law->high > span ? 1 : 0;
  }
  const double mean = mean_of(service);
  const double variance = scv_of(service) * mean * mean;
  const double excess = span - mean;
  return excess <= 0 ? 1 : variance / (variance + excess * excess);
}

void read_consumers(const SystemConfig& system, TheoryFacts& facts) {
  facts.servers = total_count(system.consumers);
  facts.service = system.consumers.groups.front().service;
  facts.service_mean = mean_of(facts.service);
  facts.capacity = total_service_rate(system.consumers);
  facts.exponential_service = std::holds_alternative<Exponential>(facts.service);
  for (const ConsumerGroup& group : system.consumers.groups) {
    if (!(group.service == facts.service)) {
      facts.obstacles.push_back("consumers differ in their service");
      break;
    }
  }
  if (system.queue.receive_batch > 1) {
    facts.obstacles.push_back(fmt::format(
        "receive_batch = {}: a consumer holds messages that another could work on",
        system.queue.receive_batch));
  }
  if (system.queue.visibility_timeout) {
    const double lease = to_seconds(*system.queue.visibility_timeout);
    constexpr double negligible = 1e-9;
    if (chance_to_outlast(facts.service, lease) > negligible) {
      facts.leases = fmt::format("leases of {} may run out before the work is done",
                                 format_duration(*system.queue.visibility_timeout));
      facts.obstacles.push_back(facts.leases);
    }
  }
}

void read_producer(const SystemConfig& system, TheoryFacts& facts) {
  const ProducerConfig& producer = system.producer;
  if (!producer.timeout) {
    return;
  }
  facts.timeout = to_seconds(*producer.timeout);
  if (producer.max_attempts > 1 && producer.retries_per_timeout > 0) {
    facts.loop = fmt::format(
        "producers retry (max_attempts = {}), so arrivals answer to the depth",
        producer.max_attempts);
    double attempt = 1;
    for (int k = 1; k < producer.max_attempts; ++k) {
      attempt *= producer.retries_per_timeout;
      facts.attempts += attempt;
    }
  }
}

}  // namespace

TheoryFacts facts_of(const Scenario& scenario) {
  const SystemConfig& system = scenario.system;
  TheoryFacts facts;
  read_arrivals(system.arrivals, facts);
  read_consumers(system, facts);
  read_producer(system, facts);
  facts.waiting_room = system.queue.capacity;
  if (system.queue.message_ttl && *system.queue.message_ttl < system.horizon) {
    facts.time_to_live = to_seconds(*system.queue.message_ttl);
  }
  return facts;
}

}  // namespace basin
