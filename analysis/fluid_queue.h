// The fluid limit of a queue whose callers time out and retry: what the event model does
// when messages are many and small, without chance.
//
// A delay equation, followed by the method of steps. In each step of length h the
// attempts that are due enter the queue, first come first served; consumers take from it
// what they have room for and work it off, each at the mean rate; an attempt that is
// handed out within timeout - service of its send succeeds, and the rest sends its next
// attempts timeout + backoff after it was sent, while its message stays in the queue.
// Masses are cut at the edges of steps and never created or lost: sent = handed out +
// refused + expired + waiting, in each step. The error is of the order of h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace basin {

// A pause that is spread evenly between two spans, seconds; low = high is one value.
struct FluidPause {
  double low = 0;
  double high = 0;
  double mean() const { return (low + high) / 2; }
};

// Messages that nobody waits for.
struct FluidBurst {
  double at = 0;  // seconds
  double messages = 0;
};

struct FluidQueue {
  enum class Refused : std::uint8_t { at_timeout, at_once, silent };

  // Requests created in [from, to), seconds since the start.
  std::function<double(double from, double to)> arrivals;
  // Means over [from, to): consumers at work, and the factor on their speed.
  std::function<double(double from, double to)> consumers;
  std::function<double(double from, double to)> speed;
  double service = 1;  // s, mean of a message at speed 1, > 0

  std::optional<double> timeout;  // of an attempt, from its send
  int attempts = 1;               // at most, of a request; >= 1
  double retries_per_timeout = 1;
  std::vector<FluidPause> pauses;  // before attempt 2, 3, …; the last goes on

  std::optional<double> waiting_room;  // messages
  Refused learns_of_refusal = Refused::at_timeout;
  std::optional<double> time_to_live;    // s, of a message since its send
  std::optional<double> success_within;  // s, of a request since its creation
  std::vector<FluidBurst> bursts;

  double horizon = 1;  // s; requests created before it are followed to their end
  double step = 0.01;  // h, s
};

// Series have one value a step, of the instant at its end (levels) or of the step (flows,
// in messages or requests, not per second).
struct FluidPath {
  double step = 0;
  std::size_t steps_to_horizon = 0;

  std::vector<double> depth;
  std::vector<double> in_flight;
  std::vector<double> oldest_age;  // s; 0 in an empty queue
  std::vector<double> retries_pending;
  std::vector<double> consumers;

  std::vector<double> created;    // requests
  std::vector<double> succeeded;  // of the requests created in the step, in the end
  std::vector<double> sent;       // attempts, refused ones included
  std::vector<double> retries;    // of these, attempts after the first
  std::vector<double> entered;    // the queue
  std::vector<double> handed_out;
  std::vector<double> wait;  // s, of what was handed out, times its mass
  std::vector<double> completed;
  std::vector<double> goodput;  // completions that made a request succeed
  std::vector<double> failed;   // requests given up
  std::vector<double> refused;
  std::vector<double> expired;

  // Requests that succeeded, by the step of their creation: latency in s and mass.
  struct Answered {
    std::size_t created = 0;
    double latency = 0;
    double requests = 0;
  };
  std::vector<Answered> answered;
};

// NoAnswer for parameters out of their range, or more than 2e7 steps times attempts.
FluidPath follow(const FluidQueue& queue);

}  // namespace basin
