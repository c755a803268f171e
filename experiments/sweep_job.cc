#include "experiments/sweep_job.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "engine/contract.h"
#include "experiments/existing_output.h"
#include "experiments/output_reader.h"
#include "experiments/scenario_values.h"
#include "experiments/shard_sink.h"
#include "experiments/store.h"
#include "experiments/sweep_results.h"
#include "experiments/text_diff.h"

namespace basin {

namespace {

// The output file that is there, if there is one. Throws ForeignOutput for another file.
std::unique_ptr<OutputReader> open_existing(const std::string& path) {
  if (!read_existing_output(path)) {
    return nullptr;
  }
  try {
    return std::make_unique<OutputReader>(path);
  } catch (const InputError& error) {
    throw ForeignOutput(std::string{error.what()} + "; nothing was touched");
  }
}

void expect_same_experiment(const std::string& path,
                            const std::string& theirs,
                            const Scenario& scenario) {
  const std::string ours = experiment_values(scenario);
  if (theirs != ours) {
    throw ForeignOutput(
        path + " belongs to another scenario; nothing was touched\n" +
        text_diff(theirs, ours, {.from = path, .to = scenario.document.path}));
  }
}

// What `theirs` has and `ours` has not, in words; empty if `ours` has it all.
std::string what_is_lost(const OutputLayout& theirs, const OutputLayout& ours) {
  if (theirs.replications > ours.replications) {
    return fmt::format("it has {} replications, and {} are asked for",
                       theirs.replications,
                       ours.replications);
  }
  for (const Arm arm : theirs.arms) {
    if (std::ranges::find(ours.arms, arm) == ours.arms.end()) {
      return fmt::format("it has the arm {} (--explain)", name_of(arm));
    }
  }
  if (theirs.trajectories > ours.trajectories) {
    return fmt::format(
        "it keeps more of the trajectories (--trajectories {})",
        theirs.trajectories == TrajectoriesToKeep::all ? "all" : "summary");
  }
  const CellKeys keys{*theirs.scenario};
  const SweepResults results{ours};
  const Grid grid{theirs.scenario->axes};
  const std::vector<bool>& excluded = theirs.scenario->excluded;
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    if (!excluded.empty() && excluded[cell]) {
      continue;
    }
    const bool has_others = ours.arms.size() > 1;
    const Arm arm = has_others ? Arm::triggered : Arm::control;
    if (results.find(keys.of(cell, arm), arm) == CellsByKey::nowhere) {
      return "it has the cell " +
             describe_cell(theirs.scenario->axes, grid.indices_of(cell)) +
             ", which this sweep has not";
    }
  }
  return "";
}

void expect_nothing_lost(const std::string& path,
                         const OutputReader& existing,
                         const OutputLayout& layout) {
  const std::string lost = what_is_lost(existing.layout(), layout);
  if (!lost.empty()) {
    throw ForeignOutput(path + " holds more than this sweep asks for: " + lost +
                        "; nothing was touched (take another file for these results)");
  }
}

bool is_complete(const OutputReader& existing,
                 const OutputLayout& layout,
                 bool retry_failed) {
  if (scenario_hash(scenario_values(existing.scenario())) !=
          scenario_hash(scenario_values(*layout.scenario)) ||
      existing.arms() != layout.arms || existing.layout().time != layout.time ||
      existing.layout().trajectories != layout.trajectories) {
    return false;
  }
  const std::size_t cells = Grid{layout.scenario->axes}.size();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    if (existing.status(cell) == CellStatus::missing ||
        (retry_failed && existing.status(cell) == CellStatus::failed)) {
      return false;
    }
  }
  return true;
}

// Whether a file has a cell of the results, or of the other tasks of its sweep, as whole
// as they want it.
std::function<bool(std::size_t)> lacking_in(const SweepResults& results,
                                            const OutputReader& existing,
                                            bool retry_failed) {
  return [&results, &existing, retry_failed, keys = CellKeys{existing.scenario()}](
             std::size_t cell) {
    if (retry_failed && existing.status(cell) == CellStatus::failed) {
      return false;
    }
    for (const Arm arm : existing.arms()) {
      const std::size_t place = results.find(keys.of(cell, arm), arm);
      if (place == CellsByKey::nowhere) {
        continue;
      }
      const auto replications = static_cast<std::size_t>(existing.layout().replications);
      for (std::size_t r = 0; r < replications; ++r) {
        if (!results.has({.cell = place, .arm = arm, .replication = r})) {
          return true;
        }
      }
    }
    return false;
  };
}

// Which runs are a task's: sets of replications dealt out evenly, in an order that mixes
// cheap and dear ones; single runs where there are few sets.
class TaskShare {
 public:
  TaskShare(const Scenario& scenario, const std::vector<Arm>& arms, const Task& task)
      : task_{task},
        arms_{arms.size()},
        replications_{static_cast<std::size_t>(scenario.replications)} {
    std::vector<std::size_t> sets;
    for (const std::vector<std::size_t>& group : control_groups(scenario)) {
      sets.push_back(group.front() * arms_);
      for (const std::size_t cell : group) {
        for (std::size_t arm = 1; arm < arms_; ++arm) {
          sets.push_back(cell * arms_ + arm);
        }
      }
    }
    by_sets_ = sets.size() >= 4 * task.count;
    std::uint64_t state = 1;
    for (std::size_t k = sets.size(); k > 1; --k) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      std::swap(sets[k - 1], sets[(state >> 33U) % k]);
    }
    number_.resize(Grid{scenario.axes}.size() * arms_);
    for (std::size_t k = 0; k < sets.size(); ++k) {
      number_[sets[k]] = k;
    }
  }

  bool has(const RunId& run, std::size_t arm) const {
    const std::size_t set = number_[run.cell * arms_ + arm];
    const std::size_t number = by_sets_ ? set : set * replications_ + run.replication;
    return number % task_.count == task_.index - 1;
  }

 private:
  Task task_;
  std::size_t arms_;
  std::size_t replications_;
  bool by_sets_ = true;
  std::vector<std::size_t> number_;  // of a set, by cell and arm
};

PointSeen seen_at(const CellOutput& cell) {
  return cell.has_verdict
             ? PointSeen{.phase = cell.verdict.phase, .decided = cell.verdict.decided}
             : PointSeen{};
}

// Asks and answers until the map is complete; false if it was stopped. `count` takes the
// runs asked for so far.
bool run_refinement(Refinement& refinement,
                    SweepResults& results,
                    const std::function<void(const RunFilter&)>& count,
                    const RunFilter& wanted,
                    const std::function<bool(const RunFilter&)>& perform_wanted) {
  const std::size_t cells = results.cells();
  // Replications of each cell, and of the control of those that share one.
  std::vector<std::size_t> asked(cells, 0);
  std::vector<std::size_t> of_control(cells, 0);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    results.set_replications(cell, 0);
  }
  const RunFilter is_asked = [&](const RunId& run) {
    return run.replication <
           (run.arm == Arm::control ? of_control[run.cell] : asked[run.cell]);
  };
  while (!refinement.requests().empty()) {
    for (const PointRequest& request : refinement.requests()) {
      const auto replications = static_cast<std::size_t>(request.replications);
      asked[request.point] = replications;
      std::size_t& control = of_control[results.control_of(request.point)];
      control = std::max(control, replications);
      results.set_replications(request.point, replications);
    }
    count(is_asked);
    if (!perform_wanted([&](const RunId& run) { return is_asked(run) && wanted(run); })) {
      return false;
    }
    std::vector<PointSeen> seen;
    for (const PointRequest& request : refinement.requests()) {
      seen.push_back(seen_at(results.cell(request.point).output));
    }
    refinement.answer(seen);
  }
  return true;
}

// Of a complete file of a refined sweep, followed again; absent for another.
std::optional<Refinement> refinement_in(const OutputReader& file) {
  if (!file.scenario().refinement) {
    return std::nullopt;
  }
  Refinement refinement{*file.scenario().refinement};
  while (!refinement.requests().empty()) {
    std::vector<PointSeen> seen;
    for (const PointRequest& request : refinement.requests()) {
      seen.push_back(
          seen_at(file.cell(request.point, static_cast<std::size_t>(request.replications))
                      .output));
    }
    refinement.answer(seen);
  }
  return refinement;
}

class Forward final : public CellSink {
 public:
  Forward(CellSink* next, MergeReport* report) : next_{next}, report_{report} {}
  void accept(CellResult cell) override {
    if (report_ != nullptr) {
      report_->missing_cells += cell.output.status == CellStatus::missing ? 1U : 0U;
      report_->failed_cells += cell.output.status == CellStatus::failed ? 1U : 0U;
    }
    if (next_ != nullptr) {
      next_->accept(std::move(cell));
    }
  }

 private:
  CellSink* next_;
  MergeReport* report_;
};

OutputLayout layout_in(const ShardHeader& header, const Scenario& scenario) {
  return {.scenario = &scenario,
          .arms = arms_of(scenario, header.explain),
          .replications = scenario.replications,
          .time = header.time,
          .trajectories = header.trajectories,
          .command_line = header.command_line};
}

// The shard that was written last, which says what its sweep asked for last.
std::string newest(const std::vector<std::string>& shards) {
  return *std::ranges::max_element(shards, {}, [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::last_write_time(path, ignored);
  });
}

}  // namespace

SweepJobReport run_sweep_job(const Scenario& scenario,
                             const SweepJobOptions& options,
                             CellSink& sink,
                             Progress& progress) {
  BASIN_EXPECT(!scenario.refinement || !options.task);
  const OutputLayout layout = layout_of(scenario,
                                        arms_of(scenario, options.runner.explain),
                                        options.runner.trajectories,
                                        options.command_line);
  SweepJobReport report;
  const std::unique_ptr<OutputReader> existing = open_existing(options.output);
  if (existing) {
    expect_same_experiment(options.output, existing->experiment_values(), scenario);
    expect_nothing_lost(options.output, *existing, layout);
    if (is_complete(*existing, layout, options.retry_failed)) {
      report.reused = report.runs_in_all = count_runs(scenario, options.runner.explain);
      report.joined = true;
      const std::optional<Refinement> refinement = refinement_in(*existing);
      std::optional<RefinedMapMaker> maker;
      if (refinement) {
        maker.emplace(scenario, *refinement);
      }
      for (std::size_t cell = 0; cell < Grid{scenario.axes}.size(); ++cell) {
        CellResult result = existing->cell(cell);
        if (maker) {
          maker->finish(result);
        }
        sink.accept(std::move(result));
      }
      if (maker) {
        report.refined = maker->map();
      }
      return report;
    }
  }

  PartsFolder folder{options.output, options.task};
  const std::vector<std::string> found = folder.shards();
  report.damaged = folder.damaged();
  SweepResults results{layout, options.retry_failed};
  for (const std::string& path : found) {
    auto shard = std::make_unique<ShardReader>(path);
    expect_same_experiment(path, shard->header().experiment_values, scenario);
    results.add_shard(std::move(shard));
  }
  std::vector<std::string> shards = found;
  const auto take_new_shards = [&](ShardSink& from) {
    from.flush();
    for (std::size_t k = shards.size() - found.size(); k < from.shards().size(); ++k) {
      results.add_shard(std::make_unique<ShardReader>(from.shards()[k]));
      shards.push_back(from.shards()[k]);
    }
  };

  ShardSink keep{folder.path(), layout, !scenario.refinement};
  const std::function<bool(std::size_t)> lacking =
      existing ? lacking_in(results, *existing, options.retry_failed)
               : [](std::size_t) { return true; };
  std::vector<bool> in_file;  // by cell and arm, for a task
  if (existing && !options.task) {
    existing->unpack(keep, lacking);
    take_new_shards(keep);
  }
  if (existing && options.task &&
      existing->layout().replications == layout.replications &&
      existing->layout().trajectories == layout.trajectories) {
    in_file.resize(Grid{scenario.axes}.size() * layout.arms.size());
    const CellKeys keys{existing->scenario()};
    for (std::size_t cell = 0; cell < Grid{existing->scenario().axes}.size(); ++cell) {
      if (existing->status(cell) != CellStatus::done) {
        continue;
      }
      for (std::size_t arm = 0; arm < layout.arms.size(); ++arm) {
        const std::size_t place =
            results.find(keys.of(cell, layout.arms[arm]), layout.arms[arm]);
        if (place != CellsByKey::nowhere) {
          in_file[place * layout.arms.size() + arm] = true;
        }
      }
    }
  }

  std::optional<TaskShare> share;
  if (options.task) {
    share.emplace(scenario, layout.arms, *options.task);
  }
  const auto place_of = [&](Arm arm) {
    return static_cast<std::size_t>(std::ranges::find(layout.arms, arm) -
                                    layout.arms.begin());
  };
  const auto is_ours = [&](const RunId& run) {
    return !share || share->has(run, place_of(run.arm));
  };
  // Of what was there at the beginning, since the runner asks while runs come in.
  const RunFilter wanted = [&](const RunId& run) {
    return is_ours(run) && !results.has(run) &&
           (in_file.empty() ||
            !in_file[run.cell * layout.arms.size() + place_of(run.arm)]);
  };
  const auto count = [&](const RunFilter& asked) {
    std::size_t to_do = 0;
    report.runs_in_all = 0;
    report.without_trajectory = 0;
    for_each_run(scenario, options.runner.explain, [&](const RunId& run) {
      if (asked(run)) {
        ++report.runs_in_all;
        to_do += wanted(run) ? 1U : 0U;
        report.without_trajectory += results.lacks_trajectory(run) ? 1U : 0U;
      }
    });
    report.reused = report.runs_in_all - to_do - report.runs.runs;
  };
  // False: stopped.
  const auto perform_wanted = [&](const RunFilter& filter) {
    const RunnerReport runs = perform(scenario, options.runner, filter, keep, progress);
    report.runs.runs += runs.runs;
    report.runs.runs_failed += runs.runs_failed;
    report.runs.stopped = runs.stopped;
    report.runs.abandoned = runs.abandoned;
    take_new_shards(keep);
    return runs.stopped == StopCause::none;
  };

  std::optional<Refinement> refinement;
  if (scenario.refinement) {
    refinement.emplace(*scenario.refinement);
    if (!run_refinement(*refinement, results, count, wanted, perform_wanted)) {
      return report;
    }
  } else {
    count(is_ours);
    if (!perform_wanted(wanted) || options.task) {
      return report;
    }
  }
  SweepFile file{options.output, layout};
  if (refinement) {
    RefinedMapMaker maker{scenario, *refinement};
    results.join(file, sink, [&](CellResult& cell) { maker.finish(cell); });
    report.refined = maker.map();
    file.write_refinement(*report.refined);
  } else {
    results.join(file, sink);
  }
  file.commit();
  report.joined = true;
  report.left_in_parts = results.rows_of_others();
  if (report.left_in_parts == 0) {
    folder.remove(shards);
  }
  return report;
}

MergeReport merge_parts(const std::string& output,
                        const std::vector<std::string>& others,
                        const std::string& command_line) {
  const std::unique_ptr<OutputReader> existing = open_existing(output);
  PartsFolder folder{output, std::nullopt};
  const std::vector<std::string> own = folder.shards();
  MergeReport report;
  report.damaged = folder.damaged();
  std::vector<std::string> shards = own;
  std::vector<std::unique_ptr<OutputReader>> files;
  for (const std::string& other : others) {
    if (std::filesystem::is_directory(other)) {
      const ListedShards listed = list_shards(other);
      shards.insert(shards.end(), listed.paths.begin(), listed.paths.end());
    } else {
      files.push_back(std::make_unique<OutputReader>(other));
    }
  }
  if (shards.empty() && !existing && files.empty()) {
    throw InputError(folder.path(), "there is nothing to merge");
  }

  OutputLayout layout;
  if (!shards.empty()) {
    const std::string path = newest(shards);
    const ShardHeader header = ShardReader{path}.header();
    report.scenario = scenario_in_file(
        path, header.scenario_text, header.scenario_path, header.overrides);
    layout = layout_in(header, report.scenario);
  } else {
    const OutputReader& file = existing ? *existing : *files.front();
    report.scenario = file.scenario();
    layout = file.layout();
    layout.scenario = &report.scenario;
  }
  layout.command_line = command_line;
  report.arms = layout.arms;
  if (report.scenario.refinement) {
    throw InputError(output, "a refined sweep is completed by basin sweep, not by merge");
  }
  if (existing) {
    expect_same_experiment(output, existing->experiment_values(), report.scenario);
    expect_nothing_lost(output, *existing, layout);
  }

  SweepResults results{layout};
  for (const std::string& path : shards) {
    auto shard = std::make_unique<ShardReader>(path);
    expect_same_experiment(path, shard->header().experiment_values, report.scenario);
    results.add_shard(std::move(shard));
  }
  report.shards = shards.size();
  ShardSink keep{folder.path(), layout, true};
  std::vector<const OutputReader*> sources;
  if (existing) {
    sources.push_back(existing.get());
  }
  for (const auto& file : files) {
    expect_same_experiment(
        file->layout().command_line, file->experiment_values(), report.scenario);
    sources.push_back(file.get());
  }
  std::size_t taken = 0;
  for (const OutputReader* const source : sources) {
    source->unpack(keep, lacking_in(results, *source, false));
    keep.flush();
    for (; taken < keep.shards().size(); ++taken) {
      results.add_shard(std::make_unique<ShardReader>(keep.shards()[taken]));
    }
  }
  SweepFile file{output, layout};
  Forward count{nullptr, &report};
  results.join(file, count);
  file.commit();
  if (report.missing_cells == 0 && results.rows_of_others() == 0) {
    std::vector<std::string> done = own;
    done.insert(done.end(), keep.shards().begin(), keep.shards().end());
    folder.remove(done);
  }
  return report;
}

OutputStatus status_of(const std::string& output) {
  OutputStatus status;
  const std::unique_ptr<OutputReader> existing = open_existing(output);
  const ListedShards listed = list_shards(PartsFolder::path_for(output));
  if (!existing && listed.paths.empty()) {
    throw InputError(output,
                     listed.damaged == 0 ? "there is no such output, and no shards of one"
                                         : "all of its shards are damaged");
  }
  status.has_file = existing != nullptr;
  status.shards = listed.paths.size();
  status.damaged = listed.damaged;

  OutputLayout layout;
  if (!listed.paths.empty()) {
    const std::string path = newest(listed.paths);
    const ShardHeader header = ShardReader{path}.header();
    status.scenario = scenario_in_file(
        path, header.scenario_text, header.scenario_path, header.overrides);
    layout = layout_in(header, status.scenario);
  } else {
    status.scenario = existing->scenario();
    layout = existing->layout();
    layout.scenario = &status.scenario;
  }
  status.arms = layout.arms;
  status.trajectories = layout.trajectories;

  SweepResults results{layout};
  for (const std::string& path : listed.paths) {
    results.add_shard(std::make_unique<ShardReader>(path));
  }
  const Grid grid{status.scenario.axes};
  std::vector<CellStatus> in_file(grid.size(), CellStatus::missing);
  if (existing && existing->layout().replications == layout.replications) {
    const CellKeys keys{existing->scenario()};
    const Arm arm = layout.arms.size() > 1 ? Arm::triggered : Arm::control;
    for (std::size_t cell = 0; cell < Grid{existing->scenario().axes}.size(); ++cell) {
      const std::size_t place = results.find(keys.of(cell, arm), arm);
      if (place != CellsByKey::nowhere) {
        in_file[place] = existing->status(cell);
      }
    }
  }
  constexpr std::size_t most_failures = 5;
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    if (!status.scenario.excluded.empty() && status.scenario.excluded[cell]) {
      ++status.cells_excluded;
      continue;
    }
    ++status.cells;
    bool failed = in_file[cell] == CellStatus::failed;
    bool complete = true;
    for (std::size_t arm = 0; arm < layout.arms.size(); ++arm) {
      const std::size_t holder = arm == 0 ? results.control_of(cell) : cell;
      for (int r = 0; r < layout.replications; ++r) {
        const RunId run{.cell = holder,
                        .arm = layout.arms[arm],
                        .replication = static_cast<std::size_t>(r)};
        const bool in_shard = results.has(run);
        const bool done = in_shard || in_file[cell] == CellStatus::done ||
                          in_file[cell] == CellStatus::failed ||
                          in_file[cell] == CellStatus::inferred;
        complete &= done;
        failed |= in_shard && results.has_failed(run);
        if (holder == cell) {
          ++status.runs;
          status.runs_done += done ? 1U : 0U;
          status.runs_failed += in_shard && results.has_failed(run) ? 1U : 0U;
        }
      }
    }
    status.cells_failed += complete && failed ? 1U : 0U;
    status.cells_done += complete && !failed ? 1U : 0U;
    if (failed && status.failures.size() < most_failures) {
      const std::string message = results.is_complete(cell)
                                      ? results.cell(cell).output.message
                                  : existing && in_file[cell] == CellStatus::failed
                                      ? existing->cell(cell).output.message
                                      : "a run failed";
      status.failures.push_back(
          describe_cell(status.scenario.axes, grid.indices_of(cell)) + ": " + message);
    }
  }
  return status;
}

}  // namespace basin
