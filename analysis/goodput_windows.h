// Goodput ratios of many windows of one arm, in constant or logarithmic time each.
//
// Requests are counted by their creation, in bins of the arm's width. Instants become bin
// edges by rounding up (an instant within a millionth of an edge means that edge), so
// that a window from the end of an incident holds nothing created before that end, and
// windows that adjoin share no bin. A window holds at least one bin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/verdict.h"

namespace basin {

class GoodputWindows {
 public:
  // Throws std::invalid_argument for an arm that makes no sense (an empty bin width,
  // series of different lengths, more successes than requests).
  explicit GoodputWindows(const ArmView& arm);

  // Bin edges: 0 to end(). The end is the horizon, or where the run was truncated.
  std::size_t end() const { return end_; }
  std::size_t edge_at(double instant) const;
  // The number of whole bins that cover a span, at least one.
  std::size_t bins_in(double span) const;

  struct Reach {
    std::size_t left;   // the window may grow down to this edge,
    std::size_t right;  // and up to this one
  };
  // Succeeded / created over the bins [first, last); 1 if none was created. A window with
  // fewer than min_requests grows to the right and then to the left as far as it may.
  double ratio(std::size_t first,
               std::size_t last,
               std::int64_t min_requests,
               Reach reach) const;

 private:
  double bin_;
  std::size_t end_;
  // Requests in the bins before edge k.
  std::vector<std::int64_t> created_before_;
  std::vector<std::int64_t> succeeded_before_;
};

}  // namespace basin
