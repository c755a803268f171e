// The verdict: did the system come back?
//
// Pure functions on numbers. All times are seconds since the start of the run. The
// classifier looks at goodput (which requests succeeded, by their creation time), and at
// the work in the system only to tell a backlog that is draining from one that is stuck.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/intervals.h"

namespace basin {

enum class Phase : std::uint8_t {
  stable = 0,       // recovers from this trigger
  draining = 1,     // not yet back at the horizon, but the work in the system falls
  vulnerable = 2,   // this trigger tips it: stuck after the trigger is gone
  spontaneous = 3,  // collapses without a trigger
  overloaded = 4,   // never healthy
};
inline constexpr std::size_t phase_count = 5;
std::string_view name_of(Phase phase);

// What counts as healthy and as recovered.
struct Objective {
  double goodput = 0.95;                // least goodput ratio of a healthy window, (0, 1]
  double window = 30;                   // s
  std::int64_t min_requests = 100;      // a window grows until it holds so many
  double hold = 60;                     // s a recovery must last
  double tail = 0.1;                    // last part of the horizon, (0, 1)
  std::optional<double> recovery_time;  // s; the RTO
  bool operator==(const Objective&) const = default;
};

// One arm of one replication.
struct ArmView {
  // Requests created in [k, k + 1) * bin, and those of them that succeeded.
  std::span<const std::uint32_t> created;
  std::span<const std::uint32_t> succeeded;
  double bin = 1;
  // Work in the system (waiting + in flight + retries pending) at 0, sample, 2*sample, …
  std::span<const float> work;
  double sample = 1;
  double warmup = 0;
  double horizon = 0;
  std::optional<double> first_incident_start;
  std::optional<double> last_incident_end;
  std::optional<double> truncated_at;  // stopped by the memory limit
};

// Requests created in [from, to) that succeeded / created, over whole bins; the window
// grows to the right, then to the left, until it holds min_requests. 1 if there are none.
double goodput_ratio(const ArmView& arm,
                     double from,
                     double to,
                     std::int64_t min_requests);
// Over the last `tail` of the horizon (or of the time before truncated_at).
bool tail_is_healthy(const ArmView& arm, const Objective& objective);
// Some window of the measured part is healthy.
bool ever_healthy(const ArmView& arm, const Objective& objective);

enum class Outcome : std::uint8_t { recovered, draining, stuck };

struct ArmVerdict {
  Outcome outcome = Outcome::recovered;
  // From the end of the last incident (the warm-up's end without one) to the first
  // instant from which hold and tail are healthy. Infinite if not recovered by the
  // horizon.
  double recovery_time = 0;
};
// What one arm shows by itself. Verdicts are made of these alone, so that a run need not
// be at hand when it is judged.
struct ArmAssessment {
  bool ever_healthy = false;  // as below
  bool recovered = false;     // healthy over the tail, and not truncated
  bool truncated = false;     // unhealthy when the memory limit stopped it
  double recovery_time = 0;   // as ArmVerdict
  // Work in the system: the mean over the measured part; the mean from the warm-up to the
  // first incident, NaN where no sample lies there; and what it comes to one horizon
  // after the horizon at the pace of the last half (or since the last incident, if that
  // ended later), infinite where it does not fall.
  double mean_work = 0;
  double work_before = 0;
  double work_ahead = 0;
  bool operator==(const ArmAssessment&) const = default;
};
// A hold that has too few requests grows to the right up to the horizon, and counts with
// what it then has; the tail grows to the left, down to the end of the last incident.
// Throws std::invalid_argument when the run cannot be judged: truncated without having
// been unhealthy over the preceding tail length, or its last incident (the warm-up,
// without one) ended too late for a hold and a tail.
ArmAssessment assess_arm(const ArmView& arm, const Objective& objective);

// `level_before`: work in the system to come back to.
ArmVerdict judge_arm(const ArmAssessment& arm, double level_before);
ArmVerdict judge_arm(const ArmView& arm, const Objective& objective, double level_before);

struct ReplicationVerdict {
  Phase phase = Phase::stable;
  ArmVerdict control;
  ArmVerdict triggered;
};
// `triggered` is absent for a scenario without incidents: then the phase is stable,
// spontaneous or overloaded, and the control stands for it. A triggered arm has to come
// back to its own level before the first incident, or else to the control's mean.
ReplicationVerdict judge_replication(const ArmAssessment& control,
                                     const std::optional<ArmAssessment>& triggered);
ReplicationVerdict judge_replication(const ArmView& control,
                                     const std::optional<ArmView>& triggered,
                                     const Objective& objective);

// One cell: the replications together.
struct Probability {
  std::int64_t count = 0;
  double estimate = 0;
  Interval interval;  // Jeffreys, 95%
};
struct CellVerdict {
  Phase phase = Phase::stable;  // the largest count; on a tie the worse (later) one
  bool decided = false;         // its interval lies above one half
  std::int64_t replications = 0;
  std::array<Probability, phase_count> phases;
  std::optional<Probability> within_rto;  // recovered within Objective::recovery_time
  // Quantiles 0.1, 0.5, 0.9 over replications, infinite where not reached by the horizon.
  std::array<double, 3> recovery_time{};
  std::array<double, 3> drain_time{};
};
inline constexpr std::array<double, 3> reported_quantiles{0.1, 0.5, 0.9};
// drain_times: one a replication, infinite where not drained; may be empty.
CellVerdict judge_cell(std::span<const ReplicationVerdict> replications,
                       std::span<const double> drain_times,
                       const Objective& objective);

// How the amplification shows (the third arm, without retries and redelivery).
struct Explanation {
  Probability amplified;   // stuck with retries, not without: a metastable failure
  Probability no_surplus;  // stuck in both: there is no capacity to drain with
};
Explanation explain(std::span<const ArmVerdict> triggered,
                    std::span<const ArmVerdict> unamplified);

// Var(X) + Var(Y) over Var(X - Y) for paired values: the factor by which common random
// numbers shrink the variance of the difference. Pairs with a value that is not finite
// are left out. NaN with fewer than two pairs.
double variance_reduction_factor(std::span<const double> x, std::span<const double> y);

}  // namespace basin
