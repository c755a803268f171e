#include "analysis/goodput_windows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace basin {

namespace {

// `instant` in bins, rounded up. Clamped, so that any instant is safe to convert.
double edges_up(double instant, double bin) {
  const double edges = instant / bin;
  const double nearest = std::round(edges);
  const double up = std::abs(edges - nearest) < 1e-6 ? nearest : std::ceil(edges);
  return std::clamp(up, 0.0, 1e15);
}

}  // namespace

GoodputWindows::GoodputWindows(const ArmView& arm) : bin_{arm.bin}, end_{0} {
  if (!(arm.bin > 0) || !(arm.warmup >= 0) || !(arm.horizon > arm.warmup)) {
    throw std::invalid_argument("goodput needs bins of some width and a measured part");
  }
  if (arm.created.size() != arm.succeeded.size() || arm.created.empty()) {
    throw std::invalid_argument(
        "goodput needs as many bins of successes as of requests, and at least one");
  }
  const double until = std::min(arm.horizon, arm.truncated_at.value_or(arm.horizon));
  end_ = std::clamp<std::size_t>(
      static_cast<std::size_t>(edges_up(until, arm.bin)), 1, arm.created.size());
  created_before_.resize(end_ + 1);
  succeeded_before_.resize(end_ + 1);
  for (std::size_t bin = 0; bin < end_; ++bin) {
    if (arm.succeeded[bin] > arm.created[bin]) {
      throw std::invalid_argument("more requests succeeded than were created");
    }
    created_before_[bin + 1] = created_before_[bin] + arm.created[bin];
    succeeded_before_[bin + 1] = succeeded_before_[bin] + arm.succeeded[bin];
  }
}

std::size_t GoodputWindows::edge_at(double instant) const {
  return std::min(static_cast<std::size_t>(edges_up(instant, bin_)), end_);
}

std::size_t GoodputWindows::bins_in(double span) const {
  return std::max<std::size_t>(static_cast<std::size_t>(edges_up(span, bin_)), 1);
}

double GoodputWindows::ratio(std::size_t first,
                             std::size_t last,
                             std::int64_t min_requests,
                             Reach reach) const {
  first = std::min(first, end_ - 1);
  last = std::clamp(last, first + 1, end_);
  const auto held = [&] { return created_before_[last] - created_before_[first]; };
  const auto begin = created_before_.begin();
  if (held() < min_requests && last < reach.right) {
    const auto stop = begin + static_cast<std::ptrdiff_t>(reach.right) + 1;
    const auto enough = std::lower_bound(begin + static_cast<std::ptrdiff_t>(last),
                                         stop,
                                         created_before_[first] + min_requests);
    last = std::min(static_cast<std::size_t>(enough - begin), reach.right);
  }
  if (held() < min_requests && first > reach.left) {
    // The greatest edge that leaves enough: the one before the first that does not.
    const auto too_few = std::upper_bound(begin + static_cast<std::ptrdiff_t>(reach.left),
                                          begin + static_cast<std::ptrdiff_t>(first) + 1,
                                          created_before_[last] - min_requests);
    first = std::max(static_cast<std::size_t>(too_few - begin), reach.left + 1) - 1;
  }
  const std::int64_t created = held();
  if (created == 0) {
    return 1;
  }
  return static_cast<double>(succeeded_before_[last] - succeeded_before_[first]) /
         static_cast<double>(created);
}

}  // namespace basin
