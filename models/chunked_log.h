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

  // A new record, to be filled in where it stays; valid until it is released.
  Record& append() {
    if (end_ % chunk_records == 0) {
      add_chunk();
    }
    return chunks_.back().records[end_++ % chunk_records] = Record{};
  }

  // Null if the record's chunk is gone. A released record of a chunk that still stands is
  // found; whether it matters is written in the record.
  Record* find(std::uint64_t place) {
    Record* records = chunks_[place / chunk_records].records.get();
    return records == nullptr ? nullptr : &records[place % chunk_records];
  }

  // The record must be held.
  Record& at(std::uint64_t place) {
    return chunks_[place / chunk_records].records[place % chunk_records];
  }

  // Gives up one record; each is released at most once.
  void release(std::uint64_t place) {
    Chunk& chunk = chunks_[place / chunk_records];
    BASIN_ASSERT(chunk.to_release > 0);
    if (--chunk.to_release == 0) {
      spare_ = std::move(chunk.records);
      --standing_;
    }
  }

  // The first place at or after `place` whose chunk still stands (at most end()).
  std::uint64_t skip_dropped(std::uint64_t place) const {
    while (place < end_ && chunks_[place / chunk_records].records == nullptr) {
      place = (place / chunk_records + 1) * chunk_records;
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
    std::uint64_t to_release = chunk_records;  // those still to come included
  };

  void add_chunk() {
    Chunk chunk;
    chunk.records = spare_ ? std::move(spare_)
                           : std::make_unique_for_overwrite<Record[]>(chunk_records);
    chunks_.push_back(std::move(chunk));
    ++standing_;
  }

  std::vector<Chunk> chunks_;  // one for all records ever: 4 bytes for 1,000 of them
  std::uint64_t end_ = 0;
  std::size_t standing_ = 0;  // chunks with memory
  std::unique_ptr<Record[]> spare_;
};

}  // namespace basin
