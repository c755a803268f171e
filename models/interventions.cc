#include "models/interventions.h"

#include <algorithm>
#include <tuple>
#include <variant>

namespace basin {

namespace {

void set_in_force(std::vector<std::uint32_t>& places, std::uint32_t place, bool starts) {
  if (starts) {
    places.push_back(place);
  } else {
    std::erase(places, place);
  }
}

}  // namespace

Interventions::Interventions(const std::vector<Intervention>& interventions,
                             const RandomKey& key)
    : interventions_{interventions}, key_{key} {
  for (std::uint32_t place = 0; place < interventions.size(); ++place) {
    const Intervention& intervention = interventions[place];
    const SimTime start{intervention.start};
    edges_.push_back({start, place, true});
    if (intervention.duration) {
      edges_.push_back({start + *intervention.duration, place, false});
    }
  }
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return std::tuple{a.time, a.starts, a.intervention} <
           std::tuple{b.time, b.starts, b.intervention};
  });
}

Interventions::Edge Interventions::take() {
  const Edge edge = edges_[position_++];
  const InterventionEffect& effect = interventions_[edge.intervention].effect;
  if (std::holds_alternative<Shed>(effect)) {
    set_in_force(shedding_, edge.intervention, edge.starts);
  } else if (std::holds_alternative<DropExpired>(effect)) {
    set_in_force(dropping_, edge.intervention, edge.starts);
  } else if (std::holds_alternative<RetriesOff>(effect)) {
    retries_off_ += edge.starts ? 1 : -1;
  }
  return edge;
}

bool Interventions::admits(RequestKey request) const {
  return std::all_of(shedding_.begin(), shedding_.end(), [&](std::uint32_t place) {
    RandomAddress address = address_of(Purpose::shed, request, 0);
    address.block = place;
    return to_unit(random_block(key_, address)[0]) <
           std::get<Shed>(interventions_[place].effect).admitted;
  });
}

std::optional<Duration> Interventions::drop_age() const {
  std::optional<Duration> least;
  for (const std::uint32_t place : dropping_) {
    const Duration age = std::get<DropExpired>(interventions_[place].effect).age;
    least = std::min(least.value_or(age), age);
  }
  return least;
}

std::vector<Fleet::Reserve> reserves_of(const SystemConfig& config) {
  std::vector<Fleet::Reserve> reserves;
  for (const Intervention& intervention : config.interventions) {
    if (const auto* added = std::get_if<AddConsumers>(&intervention.effect)) {
      reserves.push_back({.count = added->count, .group = added->group});
    }
  }
  return reserves;
}

}  // namespace basin
