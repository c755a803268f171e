// Arrival processes: when requests are created.
//
// Every process is a value (a struct of parameters); ArrivalStream turns one into
// instants. Rates are requests per second, times are seconds. A stream's instants depend
// on its key, origin and parameters alone, never on when or how often it is asked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "engine/random.h"
#include "engine/time.h"
#include "models/distribution.h"
#include "models/random_purpose.h"

namespace basin {

struct PoissonArrivals {
  double rate = 1;  // >= 0
  bool operator==(const PoissonArrivals&) const = default;
};
// Equal gaps of 1/rate, the first request after one gap.
struct DeterministicArrivals {
  double rate = 1;
  bool operator==(const DeterministicArrivals&) const = default;
};
// Independent gaps.
struct RenewalArrivals {
  Distribution gap;
  bool operator==(const RenewalArrivals&) const = default;
};
// Batches at the instants of a Poisson process. `rate` counts requests, so batches come
// at rate / batch_mean.
struct BatchPoissonArrivals {
  enum class Size : std::uint8_t { constant, geometric };
  double rate = 1;
  double batch_mean = 1;  // >= 1, whole when constant
  Size size = Size::constant;
  bool operator==(const BatchPoissonArrivals&) const = default;
};
// Markov-modulated Poisson process: Poisson at rates[i] while the chain is in state i.
struct MmppArrivals {
  std::vector<double> rates;                     // one a state, >= 0
  std::vector<std::vector<double>> transitions;  // 1/s; diagonal ignored
  // State at time 0; nullopt draws it from the stationary law.
  std::optional<int> initial_state;
  bool operator==(const MmppArrivals&) const = default;
};
// Poisson at on_rate in on-periods and at off_rate in off-periods; begins with an
// on-period with the long-run probability, and then a fresh period.
struct OnOffArrivals {
  double on_rate = 1;
  double off_rate = 0;
  Distribution on;
  Distribution off;
  bool operator==(const OnOffArrivals&) const = default;
};
// Self-exciting: intensity base + sum over past requests of
// branching*decay*exp(-decay*age). Long-run rate = base / (1 - branching). Simulated
// exactly: Dassios and Zhao, "Exact simulation of Hawkes process with exponentially
// decaying intensity", ECP 18, 2013.
struct HawkesArrivals {
  double rate = 1;         // long-run rate; base = rate * (1 - branching)
  double branching = 0.5;  // in [0, 1)
  double decay = 1;        // 1/s
  bool operator==(const HawkesArrivals&) const = default;
};
// A Poisson process whose rate is piecewise linear in time: each step begins at `at` and
// moves from the rate before to its own over `ramp` (0 = a jump). With a period the steps
// repeat, and the rate before the first step is that of the last; otherwise it is 0, and
// the last rate goes on.
struct ScheduleArrivals {
  struct Step {
    double at = 0;    // seconds; the first is 0, strictly increasing
    double rate = 0;  // >= 0
    double ramp = 0;  // seconds, at + ramp <= the next step's at (and the period)
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;
  std::optional<double> period;  // seconds
  double factor = 1;             // multiplies every rate
  bool operator==(const ScheduleArrivals&) const = default;
};
// Recorded arrivals. `times` are seconds since the trace's own start, sorted. `length` is
// the trace's span, after which it repeats when looped (else arrivals end). time_scale 2
// plays it at half speed; rate_scale 2 creates two requests for each (1.5: two with
// probability one half), jittered nowhere.
struct TraceArrivals {
  std::shared_ptr<const std::vector<double>> times;
  double length = 0;
  double time_scale = 1;
  double rate_scale = 1;
  bool loop = false;
  bool operator==(const TraceArrivals& other) const;  // by content
};
// Recorded counts for equal intervals; the requests of an interval fall at independent
// uniform instants in it (a Poisson process given its counts).
struct CountTraceArrivals {
  std::shared_ptr<const std::vector<double>> counts;  // requests, >= 0; fractions are
                                                      // resolved by a coin
  double interval = 1;
  double time_scale = 1;
  double rate_scale = 1;
  bool loop = false;
  bool operator==(const CountTraceArrivals& other) const;  // by content
};

using Arrivals = std::variant<PoissonArrivals,
                              DeterministicArrivals,
                              RenewalArrivals,
                              BatchPoissonArrivals,
                              MmppArrivals,
                              OnOffArrivals,
                              HawkesArrivals,
                              ScheduleArrivals,
                              TraceArrivals,
                              CountTraceArrivals>;

// Long-run requests per second (over a looped or ended trace: over its length).
double mean_rate(const Arrivals& arrivals);

// A request's arrival.
struct Arrival {
  SimTime time = never;
  // The word of its first attempt that decides its work, if the arrival took its own word
  // from that block.
  std::uint64_t work = not_drawn;
};

// The arrivals of one process, in order, from `start` on. Draws have addresses
// (purposes attempt, arrivals and arrival_modulation) under `origin`: request k of a
// Poisson stream takes word gap_word of the block of its own first attempt.
class ArrivalStream {
 public:
  // `arrivals` must outlive the stream.
  ArrivalStream(const Arrivals& arrivals,
                const RandomKey& key,
                std::uint32_t origin,
                SimTime start);
  ~ArrivalStream();
  ArrivalStream(const ArrivalStream&) = delete;
  ArrivalStream& operator=(const ArrivalStream&) = delete;
  ArrivalStream(ArrivalStream&&) noexcept;
  ArrivalStream& operator=(ArrivalStream&&) noexcept;

  // The next request, at or after the one before; at `never` when there are no more. They
  // are made in blocks, so the choice of process costs nothing per request, and their
  // logarithms do not wait for each other.
  Arrival next() {
    if (position_ == ready_.size()) {
      refill();
    }
    return ready_[position_++];
  }
  // What is left of the block at hand, or the next block; valid until the next call.
  static constexpr std::size_t block_size = 64;
  std::span<const Arrival> next_block() {
    if (position_ == ready_.size()) {
      refill();
    }
    const auto rest = std::span<const Arrival>{ready_}.subspan(position_);
    position_ = ready_.size();
    return rest;
  }

 private:
  class Process;  // one a kind of arrivals, in arrivals.cc

  void refill();

  std::vector<Arrival> ready_;
  std::size_t position_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace basin
