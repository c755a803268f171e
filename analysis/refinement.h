// Where on a grid to look more closely: from a coarse lattice down to single steps, where
// phases meet, and with more replications where a point is undecided.
//
// A box of the lattice is divided where the points seen in it, its edges included, differ
// in phase or one of them stays undecided at the last look; a box whose points agree
// stands for all it contains. What is asked for next depends on the answers alone, not on
// their order, so that a map is the same however it was computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/verdict.h"

namespace basin {

struct RefinementPlan {
  // Points along each axis, and whether it is refined; the others are looked at in full.
  // A refined axis has a multiple of 2^levels steps between its ends.
  std::vector<std::size_t> shape;
  std::vector<bool> is_refined;
  int levels = 1;  // from 1; the coarse lattice has steps of 2^levels
  std::vector<std::int64_t> looks{16, 32, 64};  // replications, ascending
};

// What was seen at a point, by its replications so far; absent where it failed.
struct PointSeen {
  std::optional<Phase> phase;
  bool decided = false;
};

struct PointRequest {
  std::size_t point = 0;          // row-major
  std::int64_t replications = 0;  // in all
  bool operator==(const PointRequest&) const = default;
};

class Refinement {
 public:
  // Throws std::invalid_argument for a plan that is none.
  explicit Refinement(RefinementPlan plan);

  // What to run next, ascending; empty when the map is complete.
  const std::vector<PointRequest>& requests() const { return requests_; }
  // The answers to requests(), in step with them; makes the next requests.
  void answer(const std::vector<PointSeen>& seen);

  // Of each point of the grid.
  std::int64_t replications(std::size_t point) const {
    return points_[point].replications;
  }
  bool was_run(std::size_t point) const { return replications(point) > 0; }
  // The lattice on which it was first asked for, 0 the coarse one; of a point that was
  // not run that of the box that stands for it.
  int level(std::size_t point) const { return points_[point].level; }
  // Of a point that was not run the phase of its box, absent where that failed.
  std::optional<Phase> phase(std::size_t point) const {
    return points_[point].seen.phase;
  }
  // Of a point that was not run true: its box is of one decided phase.
  bool decided(std::size_t point) const { return points_[point].seen.decided; }

 private:
  struct Point {
    std::int64_t replications = 0;
    int level = -1;  // not known yet
    PointSeen seen;
  };
  struct Box {
    std::vector<std::size_t> origin;
    int level = 0;
  };

  std::size_t place(const std::vector<std::size_t>& indices) const;
  std::size_t stride(int level) const {
    return std::size_t{1} << static_cast<unsigned>(plan_.levels - level);
  }
  void ask(std::size_t point, int level);
  void ask_for_lattice(const Box& box, int level);
  template <typename Visit>
  void visit(const Box& box, std::size_t step, const Visit& visit) const;
  bool is_uniform(const Box& box) const;
  void look_again();
  void divide();
  void infer();

  RefinementPlan plan_;
  std::vector<Point> points_;
  std::vector<Box> boxes_;  // not divided
  std::vector<PointRequest> requests_;
};

}  // namespace basin
