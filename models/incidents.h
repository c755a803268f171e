// When incidents start and end in a run, and which are on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/random.h"
#include "engine/time.h"
#include "models/system_config.h"

namespace basin {

class IncidentTimeline {
 public:
  // Draws the durations. Throws std::runtime_error where an occurrence ends past
  // `horizon`.
  IncidentTimeline(const std::vector<Incident>& incidents,
                   const RandomKey& key,
                   SimTime horizon);

  struct Edge {
    SimTime time;
    std::uint32_t incident = 0;  // place in the file
    std::uint32_t occurrence = 0;
    bool starts = false;
  };
  // The next start or end: by time; ends before starts (but an occurrence of zero length
  // ends after its start); then as in the file.
  SimTime next() const {
    return position_ < edges_.size() ? edges_[position_].time : never;
  }
  // Takes it; is_on() counts it from now on.
  Edge take();

  bool is_on(std::size_t incident) const { return on_[incident] > 0; }
  // Occurrences under way; they may overlap.
  int occurrences_on(std::size_t incident) const { return on_[incident]; }

  std::optional<SimTime> first_start() const { return first_start_; }
  std::optional<SimTime> last_end() const { return last_end_; }

 private:
  std::vector<Edge> edges_;
  std::size_t position_ = 0;
  std::vector<int> on_;  // occurrences under way, by incident
  std::optional<SimTime> first_start_;
  std::optional<SimTime> last_end_;
};

// How many of `consumers` a share touches.
int consumers_in(const Share& share, int consumers);

// The nearest whole number of messages that `consumers` need `delay` for.
std::int64_t messages_for(Duration delay, const ConsumersConfig& consumers);

}  // namespace basin
