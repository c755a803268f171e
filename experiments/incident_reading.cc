// From [[incident]] to incidents.
#include <algorithm>
#include <cmath>

#include "engine/contract.h"
#include "experiments/distribution_reading.h"
#include "experiments/system_reading.h"
#include "experiments/units.h"

namespace basin {
namespace {

Share read_share(const Section& incident, Share fallback, int consumers) {
  if (const auto count = incident.optional_whole("count")) {
    if (*count > consumers) {
      incident.fail(
          "count",
          "is more than the " + std::to_string(consumers) + " consumers that there are");
    }
    return *count;
  }
  if (const auto fraction = incident.optional_number("fraction")) {
    return *fraction;
  }
  return fallback;
}

double extra_rate(const Section& incident, const Arrivals& arrivals) {
  if (const auto rate = incident.optional_number("extra_rate")) {
    return *rate;
  }
  const auto factor = incident.optional_number("factor");
  if (!factor) {
    incident.fail("extra_rate", "is missing (expected extra_rate or factor)");
  }
  const double base = mean_rate(arrivals);
  if (!std::isfinite(base)) {
    incident.fail("factor", "multiplies arrivals that have no finite mean rate");
  }
  const double extra = (*factor - 1) * base;
  if (extra > 1e9) {
    incident.fail("factor", "makes more than 1e9 requests per second");
  }
  return extra;
}

IncidentEffect read_effect(const Section& incident, const SystemConfig& system) {
  const std::string_view kind = incident.text("kind");
  const int consumers = total_count(system.consumers);
  if (kind == "consumer_outage") {
    return ConsumerOutage{.share = read_share(incident, 1.0, consumers),
                          .mode = incident.choice<ConsumerOutage::Mode>("mode")};
  }
  if (kind == "slowdown") {
    return Slowdown{.speed = incident.number("speed"),
                    .share = read_share(incident, 1.0, consumers)};
  }
  if (kind == "arrival_surge") {
    return ArrivalSurge{.extra_rate = extra_rate(incident, system.arrivals)};
  }
  if (kind == "downstream_failure") {
    DownstreamFailure failure;
    failure.probability = incident.number("probability");
    const bool is_fast = incident.text("mode") == "fast";
    if (is_fast) {
      failure.fails_after = incident.duration("fails_after");
    } else if (incident.at("fails_after").origin != Origin::fallback) {
      incident.fail("fails_after", "belongs to mode fast, and this is slow");
    }
    return failure;
  }
  if (kind == "ack_loss") {
    if (!system.queue.visibility_timeout) {
      incident.fail("kind",
                    "ack_loss needs leases (expected queue.visibility_timeout: "
                    "without it nothing is acknowledged)");
    }
    return AckLoss{.probability = incident.number("probability")};
  }
  if (kind == "backlog") {
    return Backlog{.messages = incident.whole("messages")};
  }
  if (kind == "saturated") {
    return Saturated{.delay = incident.duration("delay")};
  }
  if (kind == "partition") {
    return Partition{.side = incident.choice<Partition::Side>("side")};
  }
  if (kind == "poison") {
    return Poison{.probability = incident.number("probability")};
  }
  BASIN_EXPECT(kind == "black_hole");
  return BlackHole{.share = read_share(incident, std::int64_t{1}, consumers),
                   .fails_after = incident.duration("fails_after")};
}

// Seconds before the horizon by which the last incident must be over, so that a recovery
// right after it could be seen: held for `hold`, and healthy over the tail.
double needed_after(const Section& whole, const SystemConfig& system) {
  const Section& objective = *whole.find_section("objective");
  if (!read_objective(whole, system)) {
    return 0;
  }
  return std::max(objective.seconds("hold"),
                  objective.number("tail") * to_seconds(system.horizon));
}

void check_times(const Section& section,
                 const Incident& incident,
                 const SystemConfig& system,
                 double needed) {
  const char* key = incident.occurrences > 1 ? "occurrences" : "start";
  if (incident.start < system.warmup) {
    section.fail(
        "start",
        "lies in the warm-up (expected at least " + format_duration(system.warmup) + ")");
  }
  // The product may not fit in nanoseconds.
  const double last_start = to_seconds(incident.start) +
                            (incident.occurrences - 1) * to_seconds(incident.every);
  const double horizon = to_seconds(system.horizon);
  if (last_start >= horizon) {
    section.fail(key,
                 "makes it start after the horizon (expected before " +
                     format_duration(system.horizon) + ")");
  }
  const auto* fixed = std::get_if<Deterministic>(&incident.duration);
  const double end = last_start + (fixed == nullptr ? 0 : fixed->mean);
  if (end > horizon - needed) {
    const bool long_lasting = fixed != nullptr && fixed->mean > 0;
    section.fail(
        long_lasting && incident.occurrences == 1 ? "duration" : key,
        "makes it end too late for a recovery to be judged (expected an end by " +
            format_duration(from_seconds(std::max(horizon - needed, 0.0))) +
            ": objective.hold and objective.tail come after it)");
  }
}

}  // namespace

std::vector<Incident> read_incidents(const Section& whole,
                                     const SystemConfig& system,
                                     DataFiles& files) {
  std::vector<Incident> result;
  const double needed = needed_after(whole, system);
  for (const Section* section : whole.list("incident")) {
    Incident incident{.name = std::string(section->has("name") ? section->text("name")
                                                               : section->text("kind")),
                      .start = section->duration("start"),
                      .occurrences = static_cast<int>(section->whole("occurrences")),
                      .effect = read_effect(*section, system)};
    if (section->has("duration")) {
      incident.duration = read_distribution(*section, "duration", files);
    }
    if (const auto every = section->optional_duration("every")) {
      incident.every = *every;
      if (incident.occurrences == 1) {
        section->fail("every",
                      "has nothing to repeat (expected occurrences of at least 2)");
      }
    } else if (incident.occurrences > 1) {
      section->fail("every", "is missing (expected with several occurrences)");
    }
    check_times(*section, incident, system, needed);
    result.push_back(std::move(incident));
  }
  return result;
}

std::vector<IncidentCase> read_cases(const Section& whole, const SystemConfig& system) {
  std::vector<IncidentCase> cases;
  std::size_t place = 0;
  for (const Section* section : whole.list("incident")) {
    const double weight = section->optional_number("weight").value_or(1);
    const bool is_named = section->has("case");
    const std::string name =
        is_named ? std::string(section->text("case")) : system.incidents[place].name;
    const auto found =
        std::find_if(cases.begin(), cases.end(), [&](const IncidentCase& one) {
          return one.name == name;
        });
    if (found == cases.end() || !is_named) {
      cases.push_back({.name = name, .weight = weight, .parts = {place}});
    } else {
      if (found->weight != weight) {
        section->fail(section->has("weight") ? "weight" : "case",
                      "differs in weight from another incident of case " + name +
                          " (expected the same weight, as they happen together)");
      }
      found->parts.push_back(place);
    }
    ++place;
  }
  return cases;
}

}  // namespace basin
