// In which order to eliminate the states of a sparse chain, and what comes together.
//
// Minimum degree on the symmetric pattern, then the elimination tree (Liu, SIAM J. Matrix
// Anal. Appl. 11, 1990) in postorder, so that states that leave the same neighbours
// behind are neighbours themselves and can be eliminated as one dense block.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/sparse_elimination.h"

namespace basin {

// Consecutive pivots with the same later neighbours, eliminated together. All states are
// meant by their position in the order of elimination.
struct Supernode {
  std::size_t first = 0;  // pivots first .. first + pivots - 1
  std::size_t pivots = 0;
  std::vector<std::size_t> later;     // the neighbours eliminated after them, ascending
  std::optional<std::size_t> parent;  // the supernode that takes up what is left of this

  std::size_t size() const { return pivots + later.size(); }
  // The i-th of its states, pivots first.
  std::size_t position(std::size_t i) const {
    return i < pivots ? first + i : later[i - pivots];
  }
};

struct EliminationOrder {
  std::vector<std::size_t> state_at;      // by position
  std::vector<std::size_t> position_of;   // by state
  std::vector<Supernode> supernodes;      // children before parents
  std::vector<std::size_t> supernode_of;  // by position
};
// NoAnswer if elimination would take minutes or gigabytes: a large chain whose states are
// coupled every which way.
EliminationOrder elimination_order(const SparseRates& rates);

}  // namespace basin
