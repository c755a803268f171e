#include "models/incidents.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "models/random_purpose.h"

namespace basin {

namespace {

Duration duration_of(const Incident& incident,
                     std::uint32_t place,
                     std::uint32_t occurrence,
                     const RandomKey& key) {
  RandomAddress address =
      address_of(Purpose::incident_schedule, RequestKey::of(place + 1, occurrence), 0);
  const std::uint64_t word = random_block(key, address)[0];
  address.block = 1;
  return from_seconds(sample(incident.duration, word, RandomStream{key, address}));
}

}  // namespace

IncidentTimeline::IncidentTimeline(const std::vector<Incident>& incidents,
                                   const RandomKey& key,
                                   SimTime horizon)
    : on_(incidents.size(), 0) {
  struct RankedEdge {
    Edge edge;
    int rank;  // at one instant: ends, starts, ends of occurrences of zero length
  };
  std::vector<RankedEdge> ranked;
  for (std::uint32_t place = 0; place < incidents.size(); ++place) {
    const Incident& incident = incidents[place];
    for (int k = 0; k < incident.occurrences; ++k) {
      const auto occurrence = static_cast<std::uint32_t>(k);
      const SimTime start{incident.start + k * incident.every};
      const Duration duration = duration_of(incident, place, occurrence, key);
      const SimTime end = start + duration;
      if (end > horizon) {
        throw std::runtime_error(
            "incident '" + incident.name + "' ends at " +
            std::to_string(to_seconds(end)) +
            " s, past the horizon: nothing can be said of a recovery");
      }
      ranked.push_back({{start, place, occurrence, true}, 1});
      ranked.push_back({{end, place, occurrence, false}, duration.count() == 0 ? 2 : 0});
      first_start_ = std::min(first_start_.value_or(start), start);
      last_end_ = std::max(last_end_.value_or(end), end);
    }
  }
  std::sort(ranked.begin(), ranked.end(), [](const RankedEdge& a, const RankedEdge& b) {
    return std::tuple{a.edge.time, a.rank, a.edge.incident, a.edge.occurrence} <
           std::tuple{b.edge.time, b.rank, b.edge.incident, b.edge.occurrence};
  });
  for (const RankedEdge& each : ranked) {
    edges_.push_back(each.edge);
  }
}

IncidentTimeline::Edge IncidentTimeline::take() {
  const Edge edge = edges_[position_++];
  on_[edge.incident] += edge.starts ? 1 : -1;
  return edge;
}

int consumers_in(const Share& share, int consumers) {
  if (const auto* number = std::get_if<std::int64_t>(&share)) {
    return static_cast<int>(std::min<std::int64_t>(*number, consumers));
  }
  const auto nearest = std::llround(std::get<double>(share) * consumers);
  return static_cast<int>(std::clamp<long long>(nearest, 0, consumers));
}

std::int64_t messages_for(Duration delay, const ConsumersConfig& consumers) {
  return std::llround(to_seconds(delay) * total_service_rate(consumers));
}

}  // namespace basin
