#include "experiments/shard_sink.h"

#include <algorithm>
#include <map>
#include <utility>

namespace basin {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds shortest_interval{500};
constexpr std::size_t most_bytes = std::size_t{48} << 20U;

std::size_t bytes_of(const ShardRow& row) {
  return sizeof(ShardRow) +
         row.record.trajectory.depth.size() * trajectory_table.size() * sizeof(float);
}

}  // namespace

ShardSink::ShardSink(std::string folder, const OutputLayout& layout, bool keeps_summaries)
    : folder_{std::move(folder)},
      header_{header_of(layout)},
      keys_{*layout.scenario},
      grid_{layout.scenario->axes},
      axes_{layout.scenario->axes},
      replications_{static_cast<std::size_t>(layout.replications)},
      keeps_summaries_{keeps_summaries &&
                       layout.trajectories == TrajectoriesToKeep::summary},
      writer_{[this] { write_as_they_come(); }} {}

ShardSink::~ShardSink() {
  {
    const std::lock_guard lock{mutex_};
    over_ = true;
    changed_.notify_all();
  }
  writer_.join();
}

void ShardSink::accept(const RunId& run, ArmRecord record) {
  const std::vector<std::size_t> indices = grid_.indices_of(run.cell);
  ShardRow row{.key = {.cell = keys_.of(run.cell, run.arm),
                       .arm = run.arm,
                       .replication = run.replication},
               .axis_values = {},
               .record = std::move(record)};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    row.axis_values.push_back(axes_[axis].si_values[indices[axis]]);
  }
  add(std::move(row));
}

std::vector<std::size_t> ShardSink::axis_order(const std::vector<Axis>& axes) const {
  std::vector<std::size_t> order;
  for (const Axis& axis : axes_) {
    const auto found = std::ranges::find(axes, axis.key, &Axis::key);
    if (found != axes.end()) {
      order.push_back(static_cast<std::size_t>(found - axes.begin()));
    }
  }
  return order;
}

void ShardSink::add(ShardRow row) {
  std::unique_lock lock{mutex_};
  // A disk that is slower than the runs makes them wait.
  changed_.wait(lock, [&] { return error_ || bytes_ < most_bytes || !is_writing_; });
  if (error_) {
    std::rethrow_exception(error_);
  }
  bytes_ += bytes_of(row);
  rows_.push_back(std::move(row));
  if (bytes_ >= most_bytes) {
    changed_.notify_all();
  }
}

void ShardSink::add(ShardSummary summary) {
  const std::lock_guard lock{mutex_};
  summaries_.push_back(std::move(summary));
}

void ShardSink::flush() {
  std::unique_lock lock{mutex_};
  flush_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return error_ || !flush_; });
  if (error_) {
    std::rethrow_exception(error_);
  }
}

void ShardSink::write_as_they_come() {
  std::unique_lock lock{mutex_};
  Clock::time_point last = begin_;
  while (true) {
    const auto interval =
        std::max<Clock::duration>(shortest_interval, (Clock::now() - begin_) / 100);
    changed_.wait_until(
        lock, last + interval, [&] { return over_ || flush_ || bytes_ >= most_bytes; });
    last = Clock::now();
    if (!rows_.empty() && !error_) {
      std::vector<ShardRow> rows = std::exchange(rows_, {});
      std::vector<ShardSummary> summaries = std::exchange(summaries_, {});
      bytes_ = 0;
      is_writing_ = true;
      lock.unlock();
      std::exception_ptr error;
      try {
        write(std::move(rows), std::move(summaries));
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      is_writing_ = false;
      error_ = error;
    }
    if (rows_.empty() || error_) {
      flush_ = false;
    }
    changed_.notify_all();
    if (over_ && (rows_.empty() || error_)) {
      return;
    }
  }
}

void ShardSink::write(std::vector<ShardRow> rows, std::vector<ShardSummary> summaries) {
  if (keeps_summaries_) {
    for (ShardSummary& summary : take_summaries(rows)) {
      summaries.push_back(std::move(summary));
    }
  }
  const std::string path = write_shard(folder_, header_, rows, summaries);
  const std::lock_guard lock{mutex_};
  shards_.push_back(path);
}

std::vector<ShardSummary> ShardSink::take_summaries(std::vector<ShardRow>& rows) const {
  std::map<std::pair<CellKey, Arm>, std::vector<ShardRow*>> arms;
  for (ShardRow& row : rows) {
    arms[{row.key.cell, row.key.arm}].push_back(&row);
  }
  std::vector<ShardSummary> summaries;
  for (auto& [arm, members] : arms) {
    if (members.size() != replications_) {
      continue;
    }
    // As they would be summarized from the disk: in the order of the replications.
    std::ranges::sort(
        members, {}, [](const ShardRow* row) { return row->key.replication; });
    std::vector<const Trajectory*> present;
    bool are_there = true;  // not of what was unpacked from a file
    for (const ShardRow* row : members) {
      if (row->record.present) {
        present.push_back(&row->record.trajectory);
        are_there &= !row->record.trajectory.depth.empty();
      }
    }
    if (present.empty() || !are_there) {
      continue;
    }
    ShardSummary summary{.cell = arm.first,
                         .arm = arm.second,
                         .replications = replications_,
                         .series = {}};
    for (std::size_t k = 0; k < trajectory_table.size(); ++k) {
      summary.series.push_back(summarize_series(present, k, header_.time.size()));
    }
    summaries.push_back(std::move(summary));
    for (ShardRow* row : members) {
      row->record.trajectory = {};
    }
  }
  return summaries;
}

}  // namespace basin
