// Rates that change with time: the paths that modulate a Poisson process. A path is made
// of segments on which the rate is linear, and depends on its own draws alone (purpose
// arrival_modulation), not on the arrivals it brings about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/random.h"
#include "engine/time.h"
#include "models/arrivals.h"
#include "models/continuous_time.h"

namespace basin {

// From the end of the segment before (at first: from the start of the stream).
struct RateSegment {
  ContinuousTime end;  // the end of time where the rate stays for good
  double rate = 0;     // requests per second, at the begin
  double slope = 0;    // requests per second, per second
};

// The chain's long-run probabilities, by the elimination of Grassmann, Taksar and Heyman
// ("Regenerative analysis and steady state distributions for Markov chains", Oper. Res.
// 33, 1985), which subtracts nothing. States that the chain leaves for good get 0;
// exactly one class of states must be closed.
std::vector<double> stationary_probabilities(const MmppArrivals& arrivals);

// Long-run share of time in on-periods.
double on_fraction(const OnOffArrivals& arrivals);

// Change n takes words 0 (sojourn) and 1 (next state) of block n, the initial state word
// 2 of block 0.
class MmppPath {
 public:
  MmppPath(const MmppArrivals& arrivals,
           const RandomKey& key,
           std::uint32_t origin,
           SimTime start);
  RateSegment next();

 private:
  const MmppArrivals* arrivals_;
  RandomKey key_;
  std::uint32_t origin_;
  ContinuousTime now_;
  std::uint64_t change_ = 0;
  std::size_t state_ = 0;
  std::vector<double> exit_rates_;
  std::vector<bool>
      may_arrive_;  // by state: some state with a positive rate is reachable
};

// Period n takes word 0 of block n, or the stream at part 1 of it; whether the first is
// on, word 2 of block 0.
class OnOffPath {
 public:
  OnOffPath(const OnOffArrivals& arrivals,
            const RandomKey& key,
            std::uint32_t origin,
            SimTime start);
  RateSegment next();

 private:
  const OnOffArrivals* arrivals_;
  RandomKey key_;
  std::uint32_t origin_;
  ContinuousTime now_;
  std::uint64_t period_ = 0;
  bool on_ = true;
  bool may_arrive_;
};

// Before the first step's ramp the rate is 0, or, with a period, that of the last step.
class SchedulePath {
 public:
  SchedulePath(const ScheduleArrivals& arrivals, SimTime start);
  RateSegment next();

  // Requests expected in one pass through the steps, up to the period.
  static double requests_a_period(const ScheduleArrivals& arrivals);

 private:
  // Relative to the begin of the cycle.
  struct Piece {
    double end;   // seconds; infinite for the last without a period
    double rate;  // at the begin
    double slope;
  };
  static std::vector<Piece> pieces_of(const ScheduleArrivals& arrivals);

  const ScheduleArrivals* arrivals_;
  SimTime start_;
  std::vector<Piece> pieces_;
  std::size_t piece_ = 0;
  std::uint64_t cycle_ = 0;
};

}  // namespace basin
