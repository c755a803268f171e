// Several searches at a time, each a sequence of runs of one scenario with other values.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/stochastic_search.h"
#include "experiments/cell_result.h"
#include "experiments/progress.h"
#include "experiments/scenario.h"

namespace basin {

// A run that a search needs failed, or the scenario cannot be searched.
class SearchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs scenarios that agree in replications and incidents, from a replication on; as
// run_candidates.
using RunScenarios = std::function<std::vector<CellResult>(const std::vector<Scenario>&,
                                                           std::size_t first)>;

struct SearchTask {
  CrossingSearch search;
  // What is run at a value: one scenario, or several whose replications belong together.
  std::function<std::vector<Scenario>(double)> scenarios_at;
  // One replication's answer, from 0 to 1, of the results of those scenarios.
  std::function<double(const std::vector<const CellResult*>&, std::size_t replication)>
      answer;
};

// Takes all to their end. In lockstep, so that what runs side by side, and with it every
// result, does not depend on the threads. Throws SearchError when a run fails.
void run_searches(std::vector<SearchTask>& tasks, const RunScenarios& run);

// Progress over many calls of a runner, of which each tells its own: what is left is a
// guess from what searches of this kind usually take.
class SearchProgress final : public Progress {
 public:
  // `inner` must outlive it.
  SearchProgress(Progress& inner, std::size_t expected)
      : inner_{inner}, expected_{expected} {}
  void update(std::size_t done, std::size_t total) override;
  void clear() override { inner_.clear(); }

 private:
  Progress& inner_;
  std::size_t expected_;
  std::size_t before_ = 0;  // runs of the calls that are over
  std::size_t last_ = 0;    // of this one
};

}  // namespace basin
