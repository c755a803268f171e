// A queue of small values in one block of memory that grows by doubling; no allocation
// once it is large enough.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/contract.h"

namespace basin {

template <class T>
class Ring {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }

  void push_back(const T& value) {
    if (is_full()) {
      grow();
    }
    slots_[end_++ & (capacity_ - 1)] = value;
  }

  const T& front() const {
    BASIN_ASSERT(!empty());
    return slots_[first_ & (capacity_ - 1)];
  }
  void pop_front() {
    BASIN_ASSERT(!empty());
    ++first_;
  }

  // True if the next push_back has to ask for memory.
  bool is_full() const { return size() == capacity_; }
  // Removes every value for which drop(value) holds.
  template <class Drop>
  void remove_if(Drop&& drop) {
    std::size_t kept = first_;
    for (std::size_t i = first_; i != end_; ++i) {
      const T value = slots_[i & (capacity_ - 1)];
      slots_[kept & (capacity_ - 1)] = value;
      kept += drop(value) ? 0U : 1U;
    }
    end_ = kept;
  }

  // Grows if more than an eighth of the block is in use.
  void make_room() {
    if (8 * size() > capacity_) {
      grow();
    }
  }

  std::size_t memory_bytes() const { return capacity_ * sizeof(T); }

 private:
  void grow() {
    const std::size_t larger = capacity_ == 0 ? 64 : 2 * capacity_;
    auto slots = std::make_unique_for_overwrite<T[]>(larger);
    for (std::size_t i = first_; i != end_; ++i) {
      slots[i & (larger - 1)] = slots_[i & (capacity_ - 1)];
    }
    slots_ = std::move(slots);
    capacity_ = larger;
  }

  std::unique_ptr<T[]> slots_;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t first_ = 0;     // counts on; the place is taken modulo the capacity
  std::size_t end_ = 0;
};

}  // namespace basin
