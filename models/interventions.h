// When interventions start and end in a run, and which are in force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/random.h"
#include "engine/time.h"
#include "models/fleet.h"
#include "models/random_purpose.h"
#include "models/system_config.h"

namespace basin {

class Interventions {
 public:
  // `interventions` must outlive it.
  Interventions(const std::vector<Intervention>& interventions, const RandomKey& key);

  struct Edge {
    SimTime time;
    std::uint32_t intervention = 0;  // place in the file
    bool starts = false;
  };
  // The next start or end: by time; ends before starts; then as in the file.
  SimTime next() const {
    return position_ < edges_.size() ? edges_[position_].time : never;
  }
  // Takes it; what follows says what is in force from now on.
  Edge take();

  // Some requests may be turned away.
  bool sheds() const { return !shedding_.empty(); }
  // Whether a request created now is let in.
  bool admits(RequestKey request) const;
  bool retries_are_off() const { return retries_off_ > 0; }
  // The least age at which messages are dropped.
  std::optional<Duration> drop_age() const;

 private:
  const std::vector<Intervention>& interventions_;
  RandomKey key_;
  std::vector<Edge> edges_;
  std::size_t position_ = 0;
  // Those in force, in the order of their starts.
  std::vector<std::uint32_t> shedding_;
  std::vector<std::uint32_t> dropping_;
  int retries_off_ = 0;
};

// The consumers that interventions will add, in the order of the file.
std::vector<Fleet::Reserve> reserves_of(const SystemConfig& config);

}  // namespace basin
