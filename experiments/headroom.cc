#include "experiments/headroom.h"

#include <algorithm>
#include <cmath>

#include "analysis/drain_arithmetic.h"
#include "engine/contract.h"
#include "engine/time.h"
#include "models/arrivals.h"

namespace basin {

namespace {

constexpr double most_consumers = 1e7;

struct Rates {
  double lambda = 0;
  double mu = 0;
};

Rates rates_of(const Scenario& scenario) {
  return {.lambda = mean_rate(scenario.system.arrivals),
          .mu = total_service_rate(scenario.system.consumers) /
                total_count(scenario.system.consumers)};
}

double touched(const Share& share, double consumers) {
  if (const auto* count = std::get_if<std::int64_t>(&share)) {
    return std::min(static_cast<double>(*count), consumers);
  }
  return std::round(std::get<double>(share) * consumers);
}

// What piles up in one second of the incident, and at once.
struct Pile {
  double a_second = 0;
  double at_once = 0;
};
Pile pile_of(const IncidentEffect& effect, const Rates& rates, double consumers) {
  const double lambda = rates.lambda;
  const double mu = rates.mu;
  const auto left_with = [&](double worth) { return std::max(lambda - worth * mu, 0.0); };
  struct Visitor {
    const decltype(left_with)& left;
    double lambda;
    double mu;
    double consumers;
    Pile operator()(const ConsumerOutage& outage) const {
      return {.a_second = left(consumers - touched(outage.share, consumers))};
    }
    Pile operator()(const Slowdown& slow) const {
      const double lost = touched(slow.share, consumers) * (1 - slow.speed);
      return {.a_second = left(consumers - lost)};
    }
    Pile operator()(const ArrivalSurge& surge) const {
      return {.a_second = std::max(lambda + surge.extra_rate - consumers * mu, 0.0)};
    }
    Pile operator()(const DownstreamFailure& failure) const {
      return {.a_second = left(consumers * (1 - failure.probability))};
    }
    Pile operator()(const AckLoss& loss) const {
      return {.a_second = left(consumers * (1 - loss.probability))};
    }
    Pile operator()(const Backlog& backlog) const {
      return {.at_once = static_cast<double>(backlog.messages)};
    }
    Pile operator()(const Saturated& saturated) const {
      return {.at_once = to_seconds(saturated.delay) * consumers * mu};
    }
    Pile operator()(const Partition& partition) const {
      return {.a_second = partition.side == Partition::Side::messages ? lambda : 0};
    }
    Pile operator()(const Poison&) const { return {}; }
    Pile operator()(const BlackHole&) const { return {}; }
  };
  return std::visit(
      Visitor{.left = left_with, .lambda = lambda, .mu = mu, .consumers = consumers},
      effect);
}

}  // namespace

double backlog_of(const Scenario& scenario,
                  const IncidentCase& incidents,
                  double consumers) {
  const Rates rates = rates_of(scenario);
  double backlog = 0;
  for (const std::size_t part : incidents.parts) {
    const Incident& incident = scenario.system.incidents[part];
    const Pile pile = pile_of(incident.effect, rates, consumers);
    backlog += incident.occurrences *
               (pile.at_once + pile.a_second * mean_of(incident.duration));
  }
  return backlog;
}

Headroom headroom_of(const Scenario& scenario, const IncidentCase& incidents) {
  BASIN_EXPECT(scenario.objective && scenario.objective->recovery_time);
  const Rates rates = rates_of(scenario);
  Headroom headroom{.arrival_rate = rates.lambda, .service_rate = rates.mu};
  const double rto = *scenario.objective->recovery_time;
  const auto needed = [&](double consumers) {
    return consumers_to_recover(
        {.arrival_rate = rates.lambda, .consumers = consumers, .service_rate = rates.mu},
        backlog_of(scenario, incidents, consumers),
        rto);
  };
  if (!(rates.mu > 0) || !std::isfinite(rates.lambda) || !(rto > 0)) {
    headroom.why_none = "no mean rates to reckon with";
    return headroom;
  }
  const auto enough = [&](double consumers) {
    const Answer answer = needed(consumers);
    return answer.is_finite() && answer.value <= consumers;
  };
  double low = 0;
  double high = std::max(1.0, std::ceil(rates.lambda / rates.mu));
  while (!enough(high)) {
    low = high;
    high *= 2;
    if (high > most_consumers) {
      headroom.why_none = "no number of consumers drains it within the recovery time";
      return headroom;
    }
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (enough(middle) ? high : low) = middle;
  }
  headroom.consumers = high;
  headroom.backlog = backlog_of(scenario, incidents, high);
  if (headroom.backlog == 0) {
    headroom.why_none = "nothing piles up: lambda/mu alone";
  }
  return headroom;
}

}  // namespace basin
