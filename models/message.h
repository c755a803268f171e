// The records that a run keeps in memory: a message of 32 bytes and a request of 24.
#pragma once

#include <cstdint>

#include "engine/time.h"
#include "models/chunked_log.h"
#include "models/random_purpose.h"

namespace basin {

enum class MessageState : std::uint8_t {
  gone,       // deleted, dead-lettered, expired, refused or lost
  held,       // sent into a partition
  waiting,    // visible in the queue
  in_flight,  // under a lease
  returning,  // its lease has ended; it enters the line again at this instant
};

// The work of a message that is drawn when its processing begins.
inline constexpr Duration work_not_known{-1};

// What an attempt put in the queue. The record stays while the queue has the message or
// the producer's timer for it runs.
struct Message {
  SimTime sent;
  RequestKey request;
  Duration work = work_not_known;  // at speed 1
  std::uint32_t attempt = 1;       // number within its request
  std::uint16_t receives = 0;      // counts receives, and names the latest receipt
  std::uint8_t generation =
      1;  // 1 for the original, one more for what its failure caused
  MessageState state : 3;
  bool timer : 1;   // the producer's timer for this attempt runs
  bool poison : 1;  // its processing always fails
  bool orphan : 1;  // nobody waits for it: a backlog's message
};
static_assert(sizeof(Message) == 32);  // two a cache line

using MessageId = std::uint64_t;  // place in the log: send order
using MessageLog = ChunkedLog<Message>;

// A unit of demand. The record stays until it is decided.
struct Request {
  SimTime created;
  std::uint32_t attempts = 0;  // scheduled so far
  std::uint32_t timers = 0;    // attempts whose producer's timer runs
  std::uint32_t pending = 0;   // retries waiting to be sent
  bool open = true;
  bool poison = false;
};
static_assert(sizeof(Request) == 24);

using RequestLog = ChunkedLog<Request>;

}  // namespace basin
