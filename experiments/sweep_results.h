// Which runs of a sweep are done, found in shards, and the cells made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "experiments/cell_keys.h"
#include "experiments/cell_result.h"
#include "experiments/runner.h"
#include "experiments/shard_file.h"
#include "experiments/store.h"

namespace basin {

class SweepResults {
 public:
  // `layout.scenario` must outlive it. `retry_failed`: runs that failed count as not
  // done.
  explicit SweepResults(const OutputLayout& layout, bool retry_failed = false);

  // Takes what a shard holds of this sweep.
  void add_shard(std::unique_ptr<ShardReader> shard);

  // Of a control the first cell of those that share it is asked for, as RunId says.
  bool has(const RunId& run) const;
  bool has_failed(const RunId& run) const;
  // Its numbers are there, but not the trajectory that the sweep keeps.
  bool lacks_trajectory(const RunId& run) const;
  std::size_t runs_found() const { return found_; }
  // The cell that a key belongs to, as CellsByKey says.
  std::size_t find(const CellKey& key, Arm arm) const { return cells_.find(key, arm); }
  // Rows of shards that are no part of this sweep.
  std::size_t rows_of_others() const { return others_; }

  // How many replications a cell has that is not like the others; by default those of the
  // scenario.
  void set_replications(std::size_t cell, std::size_t replications);

  std::size_t cells() const { return grid_.size(); }
  // The first cell of those that share its control.
  std::size_t control_of(std::size_t cell) const { return control_of_[cell]; }
  bool is_complete(std::size_t cell) const;
  // Its verdict, without trajectories; missing where it is not complete. Throws
  // InputError.
  CellResult cell(std::size_t cell) const;

  // Writes all cells, in their order, and passes them on without their trajectories.
  // Throws InputError and OutputError.
  // `finish`, where it is given, may add to a cell before that.
  void join(SweepFile& file,
            CellSink& sink,
            const std::function<void(CellResult&)>& finish = {}) const;

 private:
  struct Location {
    std::uint32_t shard = 0;  // from 1; 0: nowhere
    std::uint32_t place = 0;  // row or summary
  };

  std::size_t slot(std::size_t cell, std::size_t arm, std::size_t replication) const;
  std::size_t place_of(Arm arm) const;
  std::size_t replications_of(std::size_t cell) const;
  std::size_t holder(std::size_t cell, std::size_t arm) const {
    return arm == 0 ? control_of_[cell] : cell;
  }
  const ShardReader& reader(std::uint32_t shard) const;
  void close_some() const;
  bool has_trajectory(std::size_t cell, std::size_t arm, std::size_t replication) const;
  const Location* summary_of(std::size_t cell, std::size_t arm) const;
  void write_trajectories(SweepFile& file, std::size_t cell) const;

  OutputLayout layout_;
  bool retry_failed_;
  std::size_t replications_;
  Grid grid_;
  std::vector<std::size_t> control_of_;  // by cell
  CellsByKey cells_;
  std::vector<std::size_t> own_replications_;  // by cell; empty: all alike

  std::vector<std::string> shards_;
  std::vector<Location> rows_;       // [cell][arm][replication]
  std::vector<Location> summaries_;  // [cell][arm]
  std::vector<bool> trajectories_;   // as rows_, whether the shard has the trajectory
  std::vector<bool> failures_;       // as rows_
  std::size_t found_ = 0;
  std::size_t others_ = 0;

  // Open shards, the last used first.
  mutable std::list<std::pair<std::uint32_t, std::unique_ptr<ShardReader>>> open_;
};

}  // namespace basin
