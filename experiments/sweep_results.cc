#include "experiments/sweep_results.h"

#include <algorithm>
#include <numeric>

#include "engine/contract.h"

namespace basin {

namespace {

// Bytes of open shards, roughly.
constexpr std::size_t most_open_bytes = std::size_t{192} << 20U;
constexpr std::size_t most_open_shards = 200;

std::vector<std::size_t> controls_of(const std::vector<std::vector<std::size_t>>& groups,
                                     std::size_t cells) {
  std::vector<std::size_t> controls(cells);
  std::iota(controls.begin(), controls.end(), std::size_t{0});
  for (const std::vector<std::size_t>& group : groups) {
    for (const std::size_t cell : group) {
      controls[cell] = group.front();
    }
  }
  return controls;
}

bool is_excluded(const Scenario& scenario, std::size_t cell) {
  return !scenario.excluded.empty() && scenario.excluded[cell];
}

}  // namespace

SweepResults::SweepResults(const OutputLayout& layout, bool retry_failed)
    : layout_{layout},
      retry_failed_{retry_failed},
      replications_{static_cast<std::size_t>(layout.replications)},
      grid_{layout.scenario->axes},
      control_of_{controls_of(control_groups(*layout.scenario), grid_.size())},
      cells_{CellKeys{*layout.scenario},
             control_groups(*layout.scenario),
             layout.arms.size() > 1},
      rows_(grid_.size() * layout.arms.size() * replications_),
      trajectories_(rows_.size()),
      failures_(rows_.size()) {}

std::size_t SweepResults::slot(std::size_t cell,
                               std::size_t arm,
                               std::size_t replication) const {
  return (cell * layout_.arms.size() + arm) * replications_ + replication;
}

std::size_t SweepResults::place_of(Arm arm) const {
  return static_cast<std::size_t>(std::ranges::find(layout_.arms, arm) -
                                  layout_.arms.begin());
}

void SweepResults::add_shard(std::unique_ptr<ShardReader> opened) {
  const ShardReader& shard = *opened;
  shards_.push_back(shard.path());
  const auto number = static_cast<std::uint32_t>(shards_.size());
  open_.emplace_front(number, std::move(opened));
  close_some();
  // Its instants are those of this sweep, or its trajectories are of no use.
  const bool is_like = layout_.trajectories != TrajectoriesToKeep::none &&
                       shard.header().time == layout_.time;
  for (std::size_t row = 0; row < shard.rows(); ++row) {
    const RunKey& key = shard.key(row);
    const std::size_t arm = place_of(key.arm);
    const std::size_t cell =
        arm < layout_.arms.size() ? cells_.find(key.cell, key.arm) : CellsByKey::nowhere;
    if (cell == CellsByKey::nowhere || key.replication >= replications_) {
      ++others_;
      continue;
    }
    const bool failed = shard.failed(row);
    if (failed && retry_failed_) {
      continue;
    }
    const std::size_t at = slot(cell, arm, key.replication);
    const bool with_trajectory = is_like && shard.has_trajectory(row);
    if (rows_[at].shard == 0) {
      ++found_;
    } else if (!(failures_[at] && !failed) && (trajectories_[at] || !with_trajectory)) {
      continue;  // the one that is there is as good
    }
    rows_[at] = {.shard = number, .place = static_cast<std::uint32_t>(row)};
    trajectories_[at] = with_trajectory;
    failures_[at] = failed;
  }
  if (!is_like) {
    return;
  }
  for (std::size_t k = 0; k < shard.summaries().size(); ++k) {
    const ShardSummary& summary = shard.summaries()[k];
    const std::size_t arm = place_of(summary.arm);
    const std::size_t cell = arm < layout_.arms.size()
                                 ? cells_.find(summary.cell, summary.arm)
                                 : CellsByKey::nowhere;
    if (cell != CellsByKey::nowhere && summary.replications == replications_of(cell)) {
      summaries_.resize(grid_.size() * layout_.arms.size());
      summaries_[cell * layout_.arms.size() + arm] = {
          .shard = number, .place = static_cast<std::uint32_t>(k)};
    }
  }
}

const SweepResults::Location* SweepResults::summary_of(std::size_t cell,
                                                       std::size_t arm) const {
  if (summaries_.empty()) {
    return nullptr;
  }
  const Location& location = summaries_[holder(cell, arm) * layout_.arms.size() + arm];
  return location.shard == 0 ? nullptr : &location;
}

bool SweepResults::has_trajectory(std::size_t cell,
                                  std::size_t arm,
                                  std::size_t replication) const {
  switch (layout_.trajectories) {
    case TrajectoriesToKeep::none:
      return true;
    case TrajectoriesToKeep::summary:
      return trajectories_[slot(cell, arm, replication)] ||
             summary_of(cell, arm) != nullptr;
    case TrajectoriesToKeep::all:
      return trajectories_[slot(cell, arm, replication)];
  }
  return false;
}

bool SweepResults::has(const RunId& run) const {
  const std::size_t arm = place_of(run.arm);
  const std::size_t at = slot(run.cell, arm, run.replication);
  return rows_[at].shard != 0 &&
         (failures_[at] || has_trajectory(run.cell, arm, run.replication));
}

bool SweepResults::lacks_trajectory(const RunId& run) const {
  return rows_[slot(run.cell, place_of(run.arm), run.replication)].shard != 0 &&
         !has(run);
}

bool SweepResults::has_failed(const RunId& run) const {
  return failures_[slot(run.cell, place_of(run.arm), run.replication)];
}

void SweepResults::set_replications(std::size_t cell, std::size_t replications) {
  BASIN_EXPECT(replications <= replications_);
  own_replications_.resize(grid_.size(), replications_);
  own_replications_[cell] = replications;
}

std::size_t SweepResults::replications_of(std::size_t cell) const {
  return own_replications_.empty() ? replications_ : own_replications_[cell];
}

const ShardReader& SweepResults::reader(std::uint32_t shard) const {
  const auto found =
      std::ranges::find_if(open_, [&](const auto& open) { return open.first == shard; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
    return *open_.front().second;
  }
  open_.emplace_front(shard, std::make_unique<ShardReader>(shards_[shard - 1]));
  close_some();
  return *open_.front().second;
}

void SweepResults::close_some() const {
  std::size_t bytes = 0;
  std::size_t count = 0;
  for (auto open = open_.begin(); open != open_.end();) {
    bytes += open->second->bytes();
    ++count;
    open = count > 1 && (bytes > most_open_bytes || count > most_open_shards)
               ? open_.erase(open)
               : std::next(open);
  }
}

bool SweepResults::is_complete(std::size_t cell) const {
  for (std::size_t arm = 0; arm < layout_.arms.size(); ++arm) {
    for (std::size_t r = 0; r < replications_of(cell); ++r) {
      if (!has({.cell = holder(cell, arm), .arm = layout_.arms[arm], .replication = r})) {
        return false;
      }
    }
  }
  return replications_of(cell) > 0;
}

CellResult SweepResults::cell(std::size_t cell) const {
  CellResult result;
  if (is_excluded(*layout_.scenario, cell)) {
    result.output.status = CellStatus::excluded;
  } else if (is_complete(cell)) {
    std::vector<std::vector<ArmRecord>> records(layout_.arms.size());
    for (std::size_t arm = 0; arm < records.size(); ++arm) {
      for (std::size_t r = 0; r < replications_of(cell); ++r) {
        const Location& row = rows_[slot(holder(cell, arm), arm, r)];
        records[arm].push_back(reader(row.shard).record(row.place));
      }
    }
    result = assemble_cell(layout_.arms, std::move(records));
  }
  result.cell = cell;
  result.output.indices = grid_.indices_of(cell);
  return result;
}

void SweepResults::write_trajectories(SweepFile& file, std::size_t cell) const {
  const std::size_t length = layout_.time.size();
  const std::size_t replications = replications_of(cell);
  for (std::size_t arm = 0; arm < layout_.arms.size(); ++arm) {
    const Location* const summary = summary_of(cell, arm);
    std::vector<Trajectory> trajectories;
    for (std::size_t r = 0; r < replications; ++r) {
      const std::size_t at = slot(holder(cell, arm), arm, r);
      if (!trajectories_[at]) {
        continue;
      }
      const ShardReader& shard = reader(rows_[at].shard);
      if (layout_.trajectories == TrajectoriesToKeep::all) {
        for (std::size_t k = 0; k < trajectory_table.size(); ++k) {
          file.write_trajectory_chunk(
              cell, arm, r, k, shard.trajectory_chunk(rows_[at].place, k));
        }
      }
      if (summary == nullptr) {
        trajectories.push_back(shard.trajectory(rows_[at].place));
      }
    }
    for (std::size_t k = 0; k < trajectory_table.size(); ++k) {
      if (summary != nullptr) {
        const ShardReader& shard = reader(summary->shard);
        for (std::size_t s = 0; s < trajectory_statistics.size(); ++s) {
          file.write_summary_chunk(
              cell, arm, k, s, shard.summary_chunk(summary->place, k, s));
        }
      } else if (!trajectories.empty()) {
        std::vector<const Trajectory*> present;
        for (const Trajectory& trajectory : trajectories) {
          present.push_back(&trajectory);
        }
        file.write_summary(cell, arm, k, summarize_series(present, k, length));
      }
    }
  }
}

void SweepResults::join(SweepFile& file,
                        CellSink& sink,
                        const std::function<void(CellResult&)>& finish) const {
  for (std::size_t first = 0; first < grid_.size();) {
    const std::size_t end = file.block_end(first);
    std::vector<CellOutput> block;
    for (std::size_t k = first; k < end; ++k) {
      CellResult result = cell(k);
      if (finish) {
        finish(result);
      }
      const bool is_there = result.output.status == CellStatus::done ||
                            result.output.status == CellStatus::failed;
      if (is_there && layout_.trajectories != TrajectoriesToKeep::none) {
        write_trajectories(file, k);
      }
      block.push_back(result.output);
      sink.accept(std::move(result));
    }
    file.write_cells(first, block);
    first = end;
  }
}

}  // namespace basin
