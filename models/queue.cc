#include "models/queue.h"

namespace basin {

Duration Queue::oldest_age(SimTime now) {
  if (waiting_.value() == 0) {
    return Duration{0};
  }
  while (oldest_from_ < log_.end()) {
    const Message* message = log_.find(oldest_from_);
    if (message == nullptr) {
      oldest_from_ = log_.skip_dropped(oldest_from_);
    } else if (message->state == MessageState::waiting) {
      return now - message->sent;
    } else if (message->state == MessageState::held) {
      break;  // what follows is held too
    } else {
      ++oldest_from_;
    }
  }
  return Duration{0};
}

}  // namespace basin
