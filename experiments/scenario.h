// A scenario: everything one file says, resolved and typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/refinement.h"
#include "analysis/verdict.h"
#include "experiments/document.h"
#include "models/system_config.h"

namespace basin {

// A key that takes other values with its axis: one for each of the axis's.
struct AxisKey {
  std::string key;
  std::string unit;
  std::vector<std::string> values;
  std::vector<double> si_values;
  bool is_numeric = true;
};

// One axis of a sweep: a key and the values it takes, in the file's own syntax ("20/s")
// and in SI units as the output file stores them.
struct Axis {
  std::string key;                  // "arrivals.rate", "incident.outage.duration"
  std::string unit;                 // "1/s", "s", "1"
  std::vector<std::string> values;  // as one would write them in the file, without quotes
  std::vector<double>
      si_values;  // of choices and names: 0, 1, 2, … with labels in values
  bool is_numeric = true;
  // Whether the key can change the arm without incidents; if not, all its values share
  // one.
  bool touches_control = true;
  // Keys that move together with it. Of an axis of points `key` is "point", no key of the
  // scenario, with values 0, 1, 2, …, and these are the keys of the points.
  std::vector<AxisKey> with = {};
};

// What runs it: the event engine, or its fluid limit (fluid_run.h).
enum class Solver : std::uint8_t { event, fluid };
// Which incidents happen together when they are taken one case at a time, and how likely
// that is. Runs and sweeps, in which all incidents happen, do not look at it.
struct IncidentCase {
  std::string name;
  double weight = 1;               // > 0, beside the others'
  std::vector<std::size_t> parts;  // places in SystemConfig::incidents
};

struct Scenario {
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  int replications = 20;  // of the fluid limit 1, unless durations are drawn
  Solver solver = Solver::event;
  bool common_random_numbers = true;
  SystemConfig system;
  std::vector<IncidentCase> cases;     // of all incidents, in the order of the file
  std::optional<Objective> objective;  // none: metrics without a verdict
  // Since the start. The time to recover counts from here where the last incident ended
  // before; not in the control.
  std::optional<Duration> recovery_counts_from;
  std::vector<Axis> axes;
  // Of each cell, row-major, whether a condition of the sweep leaves it out; empty: none.
  std::vector<bool> excluded = {};
  // How the grid is refined. Absent: every cell is run.
  std::optional<RefinementPlan> refinement = {};
  Document document;  // the text, where it came from, and every resolved value
};

// With the replications that a sweep has: of a refined one those of its last look.
Scenario as_swept(Scenario scenario);

// The scenario with each axis set to the value of that index (one index an axis); its own
// `axes` are empty. Throws ScenarioError.
Scenario at_cell(const Scenario& scenario, const std::vector<std::size_t>& indices);

}  // namespace basin
