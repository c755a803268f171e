#include "analysis/elimination_order.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Core>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "analysis/no_answer.h"

namespace basin {

namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::vector<std::size_t> minimum_degree_order(const SparseRates& rates) {
  const int n = static_cast<int>(rates.states());
  std::vector<Eigen::Triplet<float, int>> entries;
  entries.reserve(rates.target.size());
  for (int i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (std::size_t k = rates.row[row]; k < rates.row[row + 1]; ++k) {
      entries.emplace_back(i, static_cast<int>(rates.target[k]), 1.0F);
    }
    entries.emplace_back(i, i, 1.0F);
  }
  Eigen::SparseMatrix<float, Eigen::ColMajor, int> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order(n);
  Eigen::AMDOrdering<int>{}(pattern, order);
  std::vector<std::size_t> state_at(rates.states());
  for (int i = 0; i < n; ++i) {
    state_at[static_cast<std::size_t>(i)] = static_cast<std::size_t>(order.indices()[i]);
  }
  return state_at;
}

// Neighbours in either direction, by position.
std::vector<std::vector<std::size_t>> neighbours(
    const SparseRates& rates, const std::vector<std::size_t>& position_of) {
  std::vector<std::vector<std::size_t>> adjacent(rates.states());
  for (std::size_t i = 0; i < rates.states(); ++i) {
    for (std::size_t k = rates.row[i]; k < rates.row[i + 1]; ++k) {
      const std::size_t a = position_of[i];
      const std::size_t b = position_of[rates.target[k]];
      adjacent[a].push_back(b);
      adjacent[b].push_back(a);
    }
  }
  return adjacent;
}

// The elimination tree (Liu 1986): the parent of a position is the first later one that
// its elimination touches.
std::vector<std::size_t> elimination_tree(
    const std::vector<std::vector<std::size_t>>& adjacent) {
  const std::size_t n = adjacent.size();
  std::vector<std::size_t> parent(n, none);
  std::vector<std::size_t> ancestor(n, none);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i : adjacent[j]) {
      while (i != none && i < j) {
        const std::size_t next = ancestor[i];
        ancestor[i] = j;
        if (next == none) {
          parent[i] = j;
        }
        i = next;
      }
    }
  }
  return parent;
}

std::vector<std::size_t> postorder(const std::vector<std::size_t>& parent) {
  const std::size_t n = parent.size();
  std::vector<std::vector<std::size_t>> children(n + 1);
  for (std::size_t i = n; i-- > 0;) {
    children[parent[i] == none ? n : parent[i]].push_back(i);
  }
  std::vector<std::size_t> order;
  order.reserve(n + 1);
  std::vector<std::size_t> path{n};
  while (!path.empty()) {
    const std::size_t node = path.back();
    if (children[node].empty()) {
      order.push_back(node);
      path.pop_back();
    } else {
      path.push_back(children[node].back());
      children[node].pop_back();
    }
  }
  order.pop_back();  // the root above all trees
  return order;
}

}  // namespace

EliminationOrder elimination_order(const SparseRates& rates) {
  const std::size_t n = rates.states();
  EliminationOrder result;
  result.position_of.resize(n);
  result.state_at = minimum_degree_order(rates);
  const auto number_positions = [&] {
    for (std::size_t k = 0; k < n; ++k) {
      result.position_of[result.state_at[k]] = k;
    }
  };
  number_positions();
  std::vector<std::size_t> reordered(n);
  const std::vector<std::size_t> order =
      postorder(elimination_tree(neighbours(rates, result.position_of)));
  for (std::size_t k = 0; k < n; ++k) {
    reordered[k] = result.state_at[order[k]];
  }
  result.state_at = std::move(reordered);
  number_positions();

  const std::vector<std::vector<std::size_t>> adjacent =
      neighbours(rates, result.position_of);
  const std::vector<std::size_t> parent = elimination_tree(adjacent);
  std::vector<std::vector<std::size_t>> children(n);
  for (std::size_t j = 0; j < n; ++j) {
    if (parent[j] != none) {
      children[parent[j]].push_back(j);
    }
  }
  // later[j]: the positions after j that are coupled to it once all before j are gone.
  std::vector<std::vector<std::size_t>> later(n);
  std::vector<std::size_t> seen_by(n, none);
  double numbers = 0;
  double operations = 0;
  result.supernode_of.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    seen_by[j] = j;
    const auto take = [&](std::size_t i) {
      if (i > j && seen_by[i] != j) {
        seen_by[i] = j;
        later[j].push_back(i);
      }
    };
    std::ranges::for_each(adjacent[j], take);
    for (const std::size_t child : children[j]) {
      std::ranges::for_each(later[child], take);
    }
    std::ranges::sort(later[j]);
    const auto width = static_cast<double>(later[j].size());
    numbers += 2 * width;
    operations += 2 * width * width;
    if (numbers > 4e8 || operations > 3e11) {
      throw NoAnswer("the chain of " + std::to_string(n) +
                     " states is coupled too widely to be solved by elimination");
    }
    // Of a limited width, so that most of the work is products of matrices.
    const bool joins = j > 0 && parent[j - 1] == j &&
                       later[j - 1].size() == later[j].size() + 1 &&
                       result.supernodes.back().pivots < 64;
    if (joins) {
      ++result.supernodes.back().pivots;
    } else {
      result.supernodes.push_back({.first = j, .pivots = 1, .later = {}, .parent = {}});
    }
    result.supernode_of[j] = result.supernodes.size() - 1;
    for (const std::size_t child : children[j]) {
      if (result.supernode_of[child] != result.supernode_of[j]) {
        result.supernodes[result.supernode_of[child]].later = std::move(later[child]);
      }
      later[child] = {};
    }
  }
  for (Supernode& supernode : result.supernodes) {
    const std::size_t last = supernode.first + supernode.pivots - 1;
    if (parent[last] == none) {
      supernode.later = std::move(later[last]);
    } else {
      supernode.parent = result.supernode_of[parent[last]];
    }
  }
  return result;
}

}  // namespace basin
