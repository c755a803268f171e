// The phases of a sweep as a map of letters for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/verdict.h"
#include "experiments/scenario.h"
#include "experiments/sweep_output.h"

namespace basin {

struct MapCell {
  CellStatus status = CellStatus::missing;
  Phase phase = Phase::stable;  // where done
  bool decided = true;
};

// S stable, D draining, V vulnerable, ! spontaneous, O overloaded, in lower case (i for
// !) where undecided; ? failed, a blank where missing.
char letter_of(const MapCell& cell);

// What a phase says of the system, in a few words.
std::string_view meaning_of(Phase phase);

struct MapStyle {
  std::size_t columns = 80;
  bool colour = false;
  std::size_t most_panels = 4;
};

// `cells` row-major, one for each cell of `axes`. One axis gives a strip, two a map, more
// a panel for each combination of the others. Larger values are higher up and further
// right. With a legend of what occurs. Ends in a line break.
std::string render_phase_map(const std::vector<Axis>& axes,
                             const std::vector<MapCell>& cells,
                             const MapStyle& style);

}  // namespace basin
