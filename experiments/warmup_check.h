// Is the warm-up that a scenario declares long enough?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/scenario.h"
#include "experiments/sweep_output.h"

namespace basin {

struct WarmupReport {
  double declared = 0;  // s
  // Where MSER-5 ends the warm-up of the work in the system, averaged over the
  // replications of the control arm; absent with a reason.
  std::optional<double> mser5;  // s
  std::string why_none;
  // False if the declared one is shorter and that shows: the part between the two differs
  // from what comes after by more than chance (99%; 99.999% in a single run), and shifts
  // the mean of the measured part by more than 1%. MSER-5 alone would raise alarms about
  // noise. Absent without mser5.
  std::optional<bool> enough;
  double bias = 0;  // relative shift of that mean, where mser5 is later than declared
};

// `control`: one record a replication, with its trajectory. No steady state is seen where
// MSER-5 finds no end in the first half, where what it keeps drifts, where a run is
// unhealthy at its horizon, and where arrivals follow the clock.
WarmupReport check_warmup(const Scenario& scenario,
                          const std::vector<ArmRecord>& control);

}  // namespace basin
