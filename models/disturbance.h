// What the incidents that are on do to a message, a reply or a consumer.
//
// Draws have addresses of their own for each incident, so incidents that overlap are
// independent and none shifts the draws of another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/random.h"
#include "engine/time.h"
#include "models/arrivals.h"
#include "models/incidents.h"
#include "models/random_purpose.h"
#include "models/system_config.h"

namespace basin {

class Disturbance {
 public:
  Disturbance(const std::vector<Incident>& incidents,
              const RandomKey& key,
              int consumers);

  // The incident starts its first, or ended its last, occurrence under way.
  void update(const IncidentTimeline& timeline);

  bool replies_are_lost() const { return replies_lost_; }
  bool messages_are_held() const { return messages_held_; }

  // Whether a request created now is poison.
  bool poisons(RequestKey request) const {
    return !poison_.empty() && draws_poison(request);
  }

  // How the processing of a message that begins now will fail; nullopt: it will not.
  struct Failure {
    bool after_work = false;        // shows at the end of the work
    std::optional<Duration> after;  // shows after that span
    // Of several failures the one that shows first ends the processing.
    Duration shows_after(Duration work) const {
      if (!after) {
        return work;
      }
      return after_work ? std::min(*after, work) : *after;
    }
  };
  std::optional<Failure> failure(int consumer,
                                 bool poison,
                                 RequestKey request,
                                 std::uint32_t attempt,
                                 std::uint16_t receipt) const {
    if (!poison && failures_.empty() && black_holes_.empty()) {
      return std::nullopt;
    }
    return draw_failure(consumer, poison, request, attempt, receipt);
  }

  bool loses_ack(RequestKey request, std::uint32_t attempt, std::uint16_t receipt) const {
    return !ack_losses_.empty() && draws_ack_loss(request, attempt, receipt);
  }

  // Product of the slowdowns on the consumer.
  double speed_of(int consumer) const;

 private:
  bool draws_poison(RequestKey request) const;
  std::optional<Failure> draw_failure(int consumer,
                                      bool poison,
                                      RequestKey request,
                                      std::uint32_t attempt,
                                      std::uint16_t receipt) const;
  bool draws_ack_loss(RequestKey request,
                      std::uint32_t attempt,
                      std::uint16_t receipt) const;

  const std::vector<Incident>& incidents_;
  RandomKey key_;
  int consumers_;
  // Incidents that are on, by kind, in the order of the file; slowdowns once for each
  // occurrence.
  std::vector<std::uint32_t> poison_;
  std::vector<std::uint32_t> failures_;
  std::vector<std::uint32_t> ack_losses_;
  std::vector<std::uint32_t> black_holes_;
  std::vector<std::uint32_t> slowdowns_;
  bool replies_lost_ = false;
  bool messages_held_ = false;
};

// The extra arrivals of surges. The clock of a surge's stream runs only while the surge
// is on; since the process has no memory, that is the Poisson process of the extra rate.
class Surges {
 public:
  Surges(const std::vector<Incident>& incidents, const RandomKey& key);

  // Takes note of what is on from now.
  void update(const IncidentTimeline& timeline, SimTime now);
  SimTime next() const;
  // Takes the next arrival.
  struct Taken {
    std::uint32_t origin;  // that of its incident
    std::uint64_t work;    // as in Arrival
  };
  Taken take();

 private:
  struct Surge {
    std::uint32_t incident;
    ArrivalStream stream;
    Arrival next_of_stream;  // on the stream's own clock
    Duration stream_behind;  // now - the stream's clock, while on
    SimTime stream_clock;    // while off
    bool on = false;
  };
  std::vector<Arrivals> processes_;
  std::vector<Surge> surges_;
};

}  // namespace basin
