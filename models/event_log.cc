#include "models/event_log.h"

namespace basin {

std::string_view name_of(Happening what) {
  switch (what) {
    case Happening::sent:
      return "sent";
    case Happening::refused:
      return "refused";
    case Happening::held:
      return "held";
    case Happening::received:
      return "received";
    case Happening::completed:
      return "completed";
    case Happening::failed:
      return "failed";
    case Happening::acknowledged:
      return "acknowledged";
    case Happening::ack_ignored:
      return "ack ignored";
    case Happening::lease_ended:
      return "lease ended";
    case Happening::returned:
      return "returned";
    case Happening::abandoned:
      return "abandoned";
    case Happening::dead_lettered:
      return "dead-lettered";
    case Happening::expired:
      return "expired";
    case Happening::lost:
      return "lost";
    case Happening::answered:
      return "answered";
    case Happening::timed_out:
      return "timed out";
    case Happening::retry_scheduled:
      return "retry scheduled";
    case Happening::retry_cancelled:
      return "retry cancelled";
    case Happening::given_up:
      return "given up";
    case Happening::incident_started:
      return "incident started";
    case Happening::incident_ended:
      return "incident ended";
    case Happening::intervention_started:
      return "intervention started";
    case Happening::intervention_ended:
      return "intervention ended";
    case Happening::shed:
      return "shed";
    case Happening::purged:
      return "purged";
  }
  return "?";
}

std::string to_string(const LoggedEvent& event) {
  std::string text = std::to_string(to_seconds(event.time)) + "s ";
  text += name_of(event.what);
  if (event.what == Happening::incident_started ||
      event.what == Happening::incident_ended ||
      event.what == Happening::intervention_started ||
      event.what == Happening::intervention_ended) {
    return text + " " + std::to_string(event.request.origin()) + " occurrence " +
           std::to_string(event.request.place());
  }
  text += " request ";
  if (event.request.origin() != 0) {
    text += std::to_string(event.request.origin()) + ":";
  }
  text +=
      std::to_string(event.request.place()) + " attempt " + std::to_string(event.attempt);
  if (event.consumer >= 0) {
    text += " consumer " + std::to_string(event.consumer);
  }
  return text;
}

}  // namespace basin
