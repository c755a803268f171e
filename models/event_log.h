// What happened in a run, event by event: for tests by hand and for people who want to
// follow one message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/time.h"
#include "models/random_purpose.h"

namespace basin {

enum class Happening : std::uint8_t {
  sent,          // an attempt's message entered the queue
  refused,       // the queue was full
  held,          // sent into a partition
  received,      // handed to a consumer
  completed,     // its processing ended well
  failed,        // its processing ended in a failure
  acknowledged,  // deleted from the queue
  ack_ignored,   // a delete that came too late or was lost
  lease_ended,   // visible again
  returned,      // nack: visible again at once
  abandoned,     // its consumer left it when the lease ended
  dead_lettered,
  expired,          // past its TTL
  lost,             // gone with a crash or a failure, no lease
  answered,         // the producer has its answer
  timed_out,        // the producer stopped waiting for this attempt
  retry_scheduled,  // a new attempt will be sent after a backoff
  retry_cancelled,  // an answer came first, or retries were switched off; one for each
                    // pending retry, attempt 0
  given_up,         // the request failed for good
  incident_started,
  incident_ended,
  intervention_started,
  intervention_ended,
  shed,    // a request was turned away, attempt 0
  purged,  // an intervention removed it
};
std::string_view name_of(Happening what);

struct LoggedEvent {
  SimTime time;
  Happening what;
  RequestKey request;         // or {origin, occurrence} for incidents and interventions
  std::uint32_t attempt = 0;  // 1 is the original
  std::int32_t consumer = -1;
  bool operator==(const LoggedEvent&) const = default;
};

class EventLog {
 public:
  void add(const LoggedEvent& event) { events_.push_back(event); }
  const std::vector<LoggedEvent>& events() const { return events_; }

 private:
  std::vector<LoggedEvent> events_;
};

// "12.5s received request 3 attempt 1 consumer 0"
std::string to_string(const LoggedEvent& event);

}  // namespace basin
