// The order in which waiting messages are handed out.
//
// Messages that were never received are the log itself, in send order: FIFO is a cursor
// over it, LIFO a stack of runs of neighbours. What came back (a lease ended, a nack)
// goes where redeliver_at says. A message that is deleted while it waits leaves its entry
// behind; take() passes over it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/contract.h"
#include "engine/ring.h"
#include "models/message.h"
#include "models/system_config.h"

namespace basin {

class WaitingLine {
 public:
  WaitingLine(QueueOrder order, RedeliverAt redeliver_at)
      : order_{order}, redeliver_at_{redeliver_at} {}

  // The newest message of the log is waiting now. Called in the order of the log.
  void enter(MessageId id) {
    fresh_end_ = id + 1;
    if (order_ == QueueOrder::lifo) {
      if (!runs_.empty() && runs_.back().end == id) {
        ++runs_.back().end;
      } else {
        runs_.push_back({id, id + 1});
      }
    }
  }

  // A message that was received before is waiting again.
  void come_back(MessageId id) {
    ++returned_;
    switch (redeliver_at_) {
      case RedeliverAt::front:
        front_.push_back(id);
        break;
      case RedeliverAt::back:
        back_.push_back({fresh_end_, id});
        break;
      case RedeliverAt::original:
        original_.push_back(id);
        std::push_heap(original_.begin(), original_.end(), later_out());
        break;
    }
  }

  struct Entry {
    MessageId id = 0;
    Message* message = nullptr;
  };
  // Removes the next message from the line, the record still in state waiting; no message
  // when the line is empty.
  Entry take(MessageLog& log) {
    if (returned_ == 0) {
      const Entry fresh = next_fresh(log);
      if (fresh.message != nullptr) {
        take_fresh();
      }
      return fresh;
    }
    while (const std::optional<MessageId> id = next_id(log)) {
      Message* message = log.find(*id);
      if (message != nullptr && message->state == MessageState::waiting) {
        return {*id, message};
      }
    }
    return {};
  }

  std::size_t memory_bytes() const {
    return front_.capacity() * sizeof(MessageId) + back_.memory_bytes() +
           original_.capacity() * sizeof(MessageId) + runs_.capacity() * sizeof(Run);
  }

 private:
  // Neighbours [begin, end) in the log that entered and were not taken.
  struct Run {
    MessageId begin;
    MessageId end;
  };
  // Behind every fresh message before `behind`, before all after it.
  struct BackEntry {
    MessageId behind;
    MessageId id;
  };

  struct LaterOut {
    QueueOrder order;
    bool operator()(MessageId a, MessageId b) const {
      return order == QueueOrder::fifo ? a > b : a < b;
    }
  };
  LaterOut later_out() const { return {order_}; }

  // Takes the next entry, which may be of a message that waits no more.
  std::optional<MessageId> next_id(MessageLog& log) {
    if (!front_.empty()) {
      const MessageId id = front_.back();
      front_.pop_back();
      --returned_;
      return id;
    }
    const Entry fresh = next_fresh(log);
    const bool some_fresh = fresh.message != nullptr;
    if (!original_.empty() && (!some_fresh || later_out()(fresh.id, original_.front()))) {
      std::pop_heap(original_.begin(), original_.end(), later_out());
      const MessageId id = original_.back();
      original_.pop_back();
      --returned_;
      return id;
    }
    const bool back_is_due =
        !back_.empty() &&
        (!some_fresh || (order_ == QueueOrder::fifo && back_.front().behind <= fresh.id));
    if (back_is_due) {
      const MessageId id = back_.front().id;
      back_.pop_front();
      --returned_;
      return id;
    }
    if (!some_fresh) {
      return std::nullopt;
    }
    take_fresh();
    return fresh.id;
  }

  // The next message that waits and was never received; take_fresh() takes it.
  Entry next_fresh(MessageLog& log) {
    return order_ == QueueOrder::fifo ? fresh_fifo(log) : fresh_lifo(log);
  }

  // Moves the cursor to the oldest.
  Entry fresh_fifo(MessageLog& log) {
    while (cursor_ < fresh_end_) {
      Message* message = log.find(cursor_);
      if (message == nullptr) {
        cursor_ = std::min(log.skip_dropped(cursor_), fresh_end_);
      } else if (message->state == MessageState::waiting) {
        BASIN_ASSERT(message->receives == 0);
        return {cursor_, message};
      } else {
        ++cursor_;
      }
    }
    return {};
  }

  // Trims the last run to the newest.
  Entry fresh_lifo(MessageLog& log) {
    while (!runs_.empty()) {
      Run& run = runs_.back();
      while (run.end > run.begin) {
        Message* message = log.find(run.end - 1);
        if (message != nullptr && message->state == MessageState::waiting) {
          BASIN_ASSERT(message->receives == 0);
          return {run.end - 1, message};
        }
        --run.end;
      }
      runs_.pop_back();
    }
    return {};
  }

  void take_fresh() {
    if (order_ == QueueOrder::fifo) {
      ++cursor_;
    } else {
      --runs_.back().end;
    }
  }

  QueueOrder order_;
  RedeliverAt redeliver_at_;
  MessageId cursor_ = 0;      // FIFO: no fresh message waits before it
  MessageId fresh_end_ = 0;   // what lies behind it has not entered yet
  std::vector<Run> runs_;     // LIFO: the last is the newest
  std::size_t returned_ = 0;  // entries of the next three
  std::vector<MessageId> front_;
  Ring<BackEntry> back_;
  std::vector<MessageId> original_;  // a heap
};

}  // namespace basin
