// An append-only log of small records in chunks, read mostly in the order of writing.
//
// A record is named by its place in the log, for ever. It stays until it is released; the
// memory of a chunk goes when all its records are released, so what a run holds follows
// what is alive, and access by a cursor is sequential.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/contract.h"

namespace basin {

template <class Record>
class ChunkedLog {
 public:
  static constexpr std::uint64_t chunk_records = 4096;

  // Place that the next record gets.
  std::uint64_t end() const { return end_; }

  std::uint64_t append(const Record& record) {
    const std::uint64_t place = end_++;
    if (place % chunk_records == 0) {
      add_chunk();
    }
    Chunk& chunk = chunks_.back();
    chunk.records[place % chunk_records] = record;
    ++chunk.held;
    return place;
  }

  // Null if the record's chunk is gone. A released record of a chunk that still stands is
  // found; whether it matters is written in the record.
  Record* find(std::uint64_t place) {
    const std::uint64_t number = place / chunk_records;
    if (number < first_number_) {
      return nullptr;
    }
    Record* records = chunks_[number - first_number_].records.get();
    return records == nullptr ? nullptr : &records[place % chunk_records];
  }

  // The record must be held.
  Record& at(std::uint64_t place) {
    return chunks_[place / chunk_records - first_number_].records[place % chunk_records];
  }

  // Gives up one record; each is released at most once.
  void release(std::uint64_t place) {
    const std::uint64_t number = place / chunk_records;
    Chunk& chunk = chunks_[number - first_number_];
    BASIN_ASSERT(chunk.held > 0);
    if (--chunk.held == 0 && (number + 1) * chunk_records <= end_) {
      drop(chunk);
    }
  }

  // The first place at or after `place` whose chunk still stands (at most end()).
  std::uint64_t skip_dropped(std::uint64_t place) const {
    std::uint64_t number = place / chunk_records;
    if (number < first_number_) {
      number = first_number_;
      place = number * chunk_records;
    }
    while (place < end_ && chunks_[number - first_number_].records == nullptr) {
      ++number;
      place = number * chunk_records;
    }
    return place < end_ ? place : end_;
  }

  std::size_t memory_bytes() const {
    return standing_ * chunk_records * sizeof(Record) +
           chunks_.capacity() * sizeof(Chunk);
  }

 private:
  struct Chunk {
    std::unique_ptr<Record[]> records;
    std::uint32_t held = 0;
  };

  void add_chunk() {
    // The chunk before may have been released whole before it was full.
    if (!chunks_.empty() && chunks_.back().held == 0 && chunks_.back().records) {
      drop(chunks_.back());
    }
    trim();
    Chunk chunk;
    if (spare_) {
      chunk.records = std::move(spare_);
    } else {
      chunk.records = std::make_unique<Record[]>(chunk_records);
    }
    chunks_.push_back(std::move(chunk));
    ++standing_;
  }

  void drop(Chunk& chunk) {
    spare_ = std::move(chunk.records);
    chunk.records = nullptr;
    --standing_;
  }

  // Forgets the dropped chunks in front once they are half of the directory.
  void trim() {
    std::size_t dropped = 0;
    while (dropped < chunks_.size() && chunks_[dropped].records == nullptr) {
      ++dropped;
    }
    if (dropped * 2 > chunks_.size()) {
      chunks_.erase(chunks_.begin(),
                    chunks_.begin() + static_cast<std::ptrdiff_t>(dropped));
      first_number_ += dropped;
    }
  }

  std::vector<Chunk> chunks_;
  std::uint64_t first_number_ = 0;  // number of chunks_[0]
  std::uint64_t end_ = 0;
  std::size_t standing_ = 0;  // chunks with memory
  std::unique_ptr<Record[]> spare_;
};

}  // namespace basin
