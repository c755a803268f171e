// Takes the runs of a sweep and keeps them in shards as it goes: one when half a second
// or a hundredth of the time so far has passed, whichever is longer, and when much is in
// memory.
// So hundreds of shards hold a sweep of any length, and a crash loses the last moments.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "experiments/cell_keys.h"
#include "experiments/grid.h"
#include "experiments/runner.h"
#include "experiments/shard_file.h"

namespace basin {

class ShardSink final : public RunSink {
 public:
  // `keeps_summaries`: where all replications of an arm are in memory together, their
  // summary is kept instead of their trajectories.
  ShardSink(std::string folder, const OutputLayout& layout, bool keeps_summaries);
  // Keeps what it can.
  ~ShardSink() override;
  ShardSink(const ShardSink&) = delete;
  ShardSink& operator=(const ShardSink&) = delete;
  ShardSink(ShardSink&&) = delete;
  ShardSink& operator=(ShardSink&&) = delete;

  // Throws OutputError where earlier runs could not be kept.
  void accept(const RunId& run, ArmRecord record) override;
  // Results that were found elsewhere; and, for their axis_values, where each axis of
  // this sweep is among those axes.
  std::vector<std::size_t> axis_order(const std::vector<Axis>& axes) const;
  void add(ShardRow row);
  void add(ShardSummary summary);

  // Keeps all that was taken; what follows starts anew. Throws OutputError.
  void flush();

  // The shards so far. After flush().
  const std::vector<std::string>& shards() const { return shards_; }

 private:
  void write_as_they_come();
  void write(std::vector<ShardRow> rows, std::vector<ShardSummary> summaries);
  std::vector<ShardSummary> take_summaries(std::vector<ShardRow>& rows) const;

  const std::string folder_;
  const ShardHeader header_;
  const CellKeys keys_;
  const Grid grid_;
  const std::vector<Axis> axes_;
  const std::size_t replications_;
  const bool keeps_summaries_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

  std::mutex mutex_;  // all below
  std::condition_variable changed_;
  std::vector<ShardRow> rows_;
  std::vector<ShardSummary> summaries_;
  std::size_t bytes_ = 0;
  bool is_writing_ = false;
  bool flush_ = false;
  bool over_ = false;
  std::exception_ptr error_;
  std::vector<std::string> shards_;
  std::thread writer_;
};

}  // namespace basin
