// A queue in one block of memory that grows by doubling; no allocation once it is large
// enough.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "engine/contract.h"

namespace basin {

template <class T>
class Ring {
 public:
  bool empty() const { return first_ == end_; }
  std::size_t size() const { return end_ - first_; }

  void push_back(const T& value) {
    if (size() == capacity_) {
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

  std::size_t memory_bytes() const { return capacity_ * sizeof(T); }

 private:
  void grow() {
    const std::size_t larger = capacity_ == 0 ? 64 : 2 * capacity_;
    auto slots = std::make_unique<T[]>(larger);
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
