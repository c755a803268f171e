// What a refined sweep adds to its output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/phase_boundary.h"
#include "analysis/refinement.h"
#include "experiments/cell_result.h"
#include "experiments/netcdf_file.h"
#include "experiments/scenario.h"

namespace basin {

struct RefinedMap {
  // Of each cell, row-major.
  std::vector<std::int8_t> level;
  std::vector<std::int64_t> replications;
  // Of one or two axes that are numbers, else empty.
  std::vector<BoundaryPoint> boundary;
  std::int64_t runs = 0;               // of all cells, one a replication
  std::int64_t runs_of_full_grid = 0;  // with as many replications as the last look has
};

// Collects the cells of a refinement that is complete.
class RefinedMapMaker {
 public:
  RefinedMapMaker(const Scenario& scenario, const Refinement& refinement);

  // Gives a cell that was not run the phase of those around it.
  void finish(CellResult& cell);
  // When all cells were there.
  RefinedMap map() const;

 private:
  const Scenario& scenario_;
  const Refinement& refinement_;
  std::vector<std::optional<ReturnProbability>> returns_;
};

std::vector<std::string> refinement_variable_names();
void write_refinement(NetcdfFile& file,
                      const std::vector<std::string>& axes,
                      const RefinedMap& map);

// The line in a few rows for a terminal; empty without one.
std::string boundary_text(const Scenario& scenario, const RefinedMap& map);

}  // namespace basin
