#include "models/queue.h"

namespace basin {

Duration Queue::oldest_age(SimTime now) {
  const std::optional<MessageId> oldest = oldest_waiting();
  return oldest ? now - log_.at(*oldest).sent : Duration{0};
}

std::optional<MessageId> Queue::oldest_waiting() {
  if (waiting_.value() == 0) {
    return std::nullopt;
  }
  while (oldest_from_ < log_.end()) {
    const Message* message = log_.find(oldest_from_);
    if (message == nullptr) {
      oldest_from_ = log_.skip_dropped(oldest_from_);
    } else if (message->state == MessageState::waiting) {
      return oldest_from_;
    } else if (message->state == MessageState::held) {
      break;  // what follows is held too
    } else {
      ++oldest_from_;
    }
  }
  return std::nullopt;
}

}  // namespace basin
