#include "experiments/search_runs.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace basin {

namespace {

// Scenarios that one call of the runner can take together.
struct Group {
  std::int64_t first = 0;
  std::int64_t runs = 0;
  bool is_disturbed = false;
  std::vector<Scenario> scenarios;
  std::vector<std::pair<std::size_t, std::size_t>> owners;  // task, place in it

  auto key() const { return std::tuple{first, runs, is_disturbed}; }
};

Group& group_for(std::vector<Group>& groups, const Group& like) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.key() == like.key();
  });
  return found != groups.end() ? *found : groups.emplace_back(like);
}

}  // namespace

void run_searches(std::vector<SearchTask>& tasks, const RunScenarios& run) {
  for (;;) {
    std::vector<Group> groups;
    std::vector<std::vector<CellResult>> results(tasks.size());
    std::vector<std::optional<Question>> questions;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const std::optional<Question> question = tasks[t].search.next();
      questions.push_back(question);
      if (!question) {
        continue;
      }
      std::vector<Scenario> scenarios = tasks[t].scenarios_at(question->at);
      results[t].resize(scenarios.size());
      for (std::size_t k = 0; k < scenarios.size(); ++k) {
        scenarios[k].replications = static_cast<int>(question->runs);
        Group& group = group_for(groups,
                                 {.first = question->first,
                                  .runs = question->runs,
                                  .is_disturbed = is_disturbed(scenarios[k].system),
                                  .scenarios = {},
                                  .owners = {}});
        group.scenarios.push_back(std::move(scenarios[k]));
        group.owners.emplace_back(t, k);
      }
    }
    if (groups.empty()) {
      return;
    }
    for (const Group& group : groups) {
      std::vector<CellResult> cells =
          run(group.scenarios, static_cast<std::size_t>(group.first));
      for (std::size_t k = 0; k < cells.size(); ++k) {
        if (cells[k].output.status != CellStatus::done) {
          throw SearchError(cells[k].output.message);
        }
        const auto [task, place] = group.owners[k];
        results[task][place] = std::move(cells[k]);
      }
    }
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (!questions[t]) {
        continue;
      }
      std::vector<const CellResult*> cells;
      for (const CellResult& cell : results[t]) {
        cells.push_back(&cell);
      }
      std::vector<double> answers;
      for (std::size_t r = 0; r < static_cast<std::size_t>(questions[t]->runs); ++r) {
        answers.push_back(tasks[t].answer(cells, r));
      }
      tasks[t].search.take(answers);
    }
  }
}

void SearchProgress::update(std::size_t done, std::size_t total) {
  if (done < last_) {
    before_ += last_;
  }
  last_ = done;
  const std::size_t sum = before_ + done;
  inner_.update(sum, std::max(expected_, before_ + total));
}

}  // namespace basin
