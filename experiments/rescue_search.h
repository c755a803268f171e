// From a system that is stuck: the smallest intervention that brings it back in time.
//
// Each lever by itself, by simulation: every intervention that is tried meets the same
// arrivals and the same work, and is judged from the instant at which operators act. A
// lever's interventions are ordered by their strength and searched by bisection, so the
// answer is the weakest that is enough, beside the next weaker one, which is not. What
// comes out is a pure function of the question, whatever the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "engine/time.h"
#include "experiments/cell_result.h"
#include "experiments/scenario.h"
#include "models/system_config.h"

namespace basin {

struct RescueQuestion {
  Scenario scenario;         // without axes, with an objective
  Duration at{0};            // when operators act
  double rto = 0;            // s from then (or the last incident's end, if later)
  double probability = 0.9;  // least share of replications that must recover, (0, 1]
  double precision = 0.02;   // step of a lever, as a share of its range; [0.001, 0.5]
};

// What came of one intervention.
struct RescueTrial {
  Probability recovered;                  // within the RTO
  std::array<double, 3> recovery_time{};  // quantiles, s; infinite: not by the horizon
  std::vector<double> recovery_times;     // by replication
  std::int64_t unhealthy_controls = 0;    // replications that collapse without incidents
  // Means over the replications, to the end of the run.
  double requests_shed = 0;
  double messages_dropped = 0;  // purged or too old
  double retries_cancelled = 0;
};
struct TriedIntervention {
  InterventionEffect effect;
  RescueTrial trial;
};

enum class Lever : std::uint8_t { shed, add_consumers, retries_off, drop_expired, purge };
inline constexpr std::size_t lever_count = 5;
std::string_view name_of(Lever lever);  // as kinds of interventions in a scenario

struct LeverAnswer {
  Lever lever = Lever::shed;
  std::string left_out;  // why it was not tried; empty: it was
  std::optional<TriedIntervention> enough;
  // The next weaker one, or the strongest that was tried where none is enough; absent
  // where the weakest is enough.
  std::optional<TriedIntervention> too_little;
};

// Load is shed for a while, and comes back.
struct BackToFull {
  Duration shed_for{0};
  std::string left_out;  // why it cannot be told; empty: it can
  RescueTrial trial;     // recovered: healthy again within a hold of the load's return
};

struct RescueAnswer {
  RescueTrial nothing;
  bool recovers_by_itself = false;           // then no lever is tried
  std::vector<LeverAnswer> levers;           // in the order of the enum
  std::optional<BackToFull> return_of_load;  // where shedding is enough
};

// A replication could not be run or judged.
class RescueFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// When the incidents are over, those of drawn durations on average; absent without
// incidents, infinite where a mean is.
std::optional<double> mean_end_of_incidents(const SystemConfig& system);

// The latest instant from which a recovery can be judged.
Duration latest_judgeable(const Scenario& scenario);

// Runs scenarios side by side, each as one cell.
using RunSideBySide =
    std::function<std::vector<CellResult>(const std::vector<Scenario>&)>;

// `at` lies in [warm-up, latest_judgeable]. Throws RescueFailed.
RescueAnswer search_rescue(const RescueQuestion& question, const RunSideBySide& run);

}  // namespace basin
