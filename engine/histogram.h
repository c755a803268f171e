// A histogram of non-negative spans with a bounded relative error, as in HdrHistogram.
//
// Each power of two is cut into 128 bins of equal width, so a bin is narrower than 0.8%
// of its values and a quantile is within 0.4% of the sample's; values below 256 are
// exact. Bins are found by integer arithmetic and counts are integers: merging is exact,
// and its order does not matter.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/contract.h"
#include "engine/time.h"

namespace basin {

class Histogram {
 public:
  // `value` >= 0, in nanoseconds where it is a time.
  void add(std::int64_t value, std::uint64_t times = 1) {
    BASIN_EXPECT(value >= 0);
    const std::size_t bin = bin_of(static_cast<std::uint64_t>(value));
    if (bin >= counts_.size()) {
      // To the end of its power of two, so that growth is rare; at most 57 kB.
      counts_.resize((bin / bins_per_octave + 1) * bins_per_octave);
    }
    counts_[bin] += times;
    finite_ += times;
  }
  void add(Duration value, std::uint64_t times = 1) { add(value.count(), times); }

  // Values above every other: what never happened, such as the latency of a failure.
  void add_infinite(std::uint64_t times = 1) { infinite_ += times; }

  void merge(const Histogram& other) {
    if (other.counts_.size() > counts_.size()) {
      counts_.resize(other.counts_.size());
    }
    for (std::size_t bin = 0; bin < other.counts_.size(); ++bin) {
      counts_[bin] += other.counts_[bin];
    }
    finite_ += other.finite_;
    infinite_ += other.infinite_;
  }

  // Of all values, the infinite ones included.
  std::uint64_t count() const { return finite_ + infinite_; }
  std::uint64_t infinite_count() const { return infinite_; }

  // The smallest value that at least p * count() values do not exceed, 0 <= p <= 1 (p =
  // 0: the smallest), as the middle of its bin. Infinity among the infinite ones; NaN if
  // empty.
  double quantile(double p) const {
    BASIN_EXPECT(p >= 0 && p <= 1);
    if (count() == 0) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    const auto rank = std::clamp(
        static_cast<std::uint64_t>(std::ceil(p * static_cast<double>(count()))),
        std::uint64_t{1},
        count());
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
      seen += counts_[bin];
      if (seen >= rank) {
        return middle_of(bin);
      }
    }
    return std::numeric_limits<double>::infinity();
  }

  bool operator==(const Histogram& other) const {
    const std::size_t common = std::min(counts_.size(), other.counts_.size());
    const auto bins = static_cast<std::ptrdiff_t>(common);
    const auto empty = [](std::uint64_t n) { return n == 0; };
    return finite_ == other.finite_ && infinite_ == other.infinite_ &&
           std::equal(counts_.begin(), counts_.begin() + bins, other.counts_.begin()) &&
           std::all_of(counts_.begin() + bins, counts_.end(), empty) &&
           std::all_of(other.counts_.begin() + bins, other.counts_.end(), empty);
  }

 private:
  static constexpr int sub_bits = 7;
  static constexpr std::size_t bins_per_octave = std::size_t{1} << sub_bits;

  // Bin (shift + 1) * 128 + j holds the values of (128 + j) * 2^shift + [0, 2^shift).
  static constexpr std::size_t bin_of(std::uint64_t value) {
    const auto width = static_cast<int>(std::bit_width(value | (bins_per_octave - 1)));
    const int shift = std::max(width - sub_bits - 1, 0);
    return (static_cast<std::size_t>(shift) << sub_bits) + (value >> shift);
  }

  static double middle_of(std::size_t bin) {
    if (bin < 2 * bins_per_octave) {
      return static_cast<double>(bin);
    }
    const int shift = static_cast<int>(bin / bins_per_octave) - 1;
    const auto low = static_cast<double>(bin % bins_per_octave + bins_per_octave);
    return std::ldexp(low, shift) + 0.5 * (std::ldexp(1.0, shift) - 1);
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t finite_ = 0;
  std::uint64_t infinite_ = 0;
};

}  // namespace basin
