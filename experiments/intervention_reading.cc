// From [[intervention]] to interventions.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "engine/contract.h"
#include "experiments/system_reading.h"
#include "experiments/units.h"

namespace basin {
namespace {

// Of the requests, those that are let in.
double admitted_by(const Section& shed, const Arrivals& arrivals) {
  if (const auto fraction = shed.optional_number("fraction")) {
    return *fraction;
  }
  const auto to = shed.optional_number("to");
  if (!to) {
    shed.fail("to", "is missing (expected to or fraction)");
  }
  const double base = mean_rate(arrivals);
  if (!std::isfinite(base)) {
    shed.fail("to", "needs arrivals that have a finite mean rate (expected fraction)");
  }
  return *to < base ? *to / base : 1;
}

std::string names_of(const std::vector<ConsumerGroup>& groups) {
  std::string names;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    names += (i == 0 ? "" : ", ") +
             (groups[i].name.empty() ? std::to_string(i) : groups[i].name);
  }
  return names;
}

std::size_t group_of(const Section& added, const std::vector<ConsumerGroup>& groups) {
  if (!added.has("group")) {
    if (groups.size() > 1) {
      added.fail("group", "is missing (expected one of " + names_of(groups) + ")");
    }
    return 0;
  }
  const std::string_view wanted = added.text("group");
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!wanted.empty() && groups[i].name == wanted) {
      return i;
    }
  }
  std::size_t place = groups.size();
  const auto [end, error] =
      std::from_chars(wanted.data(), wanted.data() + wanted.size(), place);
  if (error != std::errc{} || end != wanted.data() + wanted.size() ||
      place >= groups.size()) {
    added.fail("group", "is no group (expected one of " + names_of(groups) + ")");
  }
  return place;
}

InterventionEffect read_effect(const Section& section, const SystemConfig& system) {
  const std::string_view kind = section.text("kind");
  if (kind == "shed") {
    return Shed{.admitted = admitted_by(section, system.arrivals)};
  }
  if (kind == "add_consumers") {
    return AddConsumers{.count = static_cast<int>(section.whole("count")),
                        .group = group_of(section, system.consumers.groups)};
  }
  if (kind == "retries_off") {
    return RetriesOff{};
  }
  if (kind == "drop_expired") {
    const auto age = section.optional_duration("age");
    if (!age && !system.producer.timeout) {
      section.fail("age",
                   "is missing (expected where there is no producer.timeout to take for "
                   "it)");
    }
    return DropExpired{.age = age ? *age : *system.producer.timeout};
  }
  BASIN_EXPECT(kind == "purge");
  return Purge{.fraction = section.number("fraction")};
}

void check_start(const Section& section, Duration start, const SystemConfig& system) {
  if (start < system.warmup) {
    section.fail(
        "start",
        "lies in the warm-up (expected at least " + format_duration(system.warmup) + ")");
  }
  if (start >= system.horizon) {
    section.fail("start",
                 "is not before the horizon (expected before " +
                     format_duration(system.horizon) + ")");
  }
}

}  // namespace

std::vector<Intervention> read_interventions(const Section& whole,
                                             const SystemConfig& system) {
  std::vector<Intervention> result;
  double consumers = total_count(system.consumers);
  for (const Section* section : whole.list("intervention")) {
    Intervention intervention{
        .name = std::string(section->has("name") ? section->text("name")
                                                 : section->text("kind")),
        .start = section->duration("start"),
        .duration = section->has("duration") ? section->optional_duration("duration")
                                             : std::nullopt,
        .effect = read_effect(*section, system)};
    check_start(*section, intervention.start, system);
    if (const auto* added = std::get_if<AddConsumers>(&intervention.effect)) {
      consumers += added->count;
      if (consumers > 1e6 || consumers * system.queue.receive_batch > 1e7) {
        section->fail("count",
                      "makes more than a million consumers, or ten million places of "
                      "queue.receive_batch, all together");
      }
    }
    result.push_back(std::move(intervention));
  }
  return result;
}

}  // namespace basin
