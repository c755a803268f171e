#include "models/producer.h"

#include <algorithm>
#include <cmath>

namespace basin {

namespace {

double jitter_unit(const RandomKey& key, RequestKey request, std::uint32_t attempt) {
  return to_unit(
      random_block(key, address_of(Purpose::attempt, request, attempt))[jitter_word]);
}

}  // namespace

int retries_after(double retries_per_timeout,
                  const RandomKey& key,
                  RequestKey request,
                  std::uint32_t failed_attempt) {
  const double whole = std::floor(retries_per_timeout);
  const double part = retries_per_timeout - whole;
  int retries = static_cast<int>(whole);
  if (part > 0) {
    const RandomBlock block =
        random_block(key, address_of(Purpose::attempt, request, failed_attempt));
    if (to_unit(block[coin_word]) < part) {
      ++retries;
    }
  }
  return retries;
}

Duration backoff_delay(const Backoff& backoff, const RandomKey& key, const Retry& retry) {
  if (backoff.kind == Backoff::Kind::none) {
    return Duration{0};
  }
  const double base = static_cast<double>(backoff.base.count());
  const double cap = static_cast<double>(backoff.cap.count());
  const auto unit = [&](std::uint32_t attempt) {
    return jitter_unit(key, retry.request, attempt);
  };
  double delay = std::min(cap, base);
  if (backoff.jitter == Backoff::Jitter::decorrelated) {
    // At most one retry an attempt (the reader sees to it), so attempt numbers are
    // generations, and the delays before are found again from their addresses.
    double previous = base;
    for (std::uint32_t attempt = 2; attempt <= retry.attempt; ++attempt) {
      previous = std::min(cap, base + unit(attempt) * (3 * previous - base));
    }
    delay = previous;
  } else if (backoff.kind == Backoff::Kind::exponential) {
    for (int generation = 2; generation < retry.generation && delay < cap; ++generation) {
      delay = std::min(cap, delay * backoff.factor);
    }
  }
  if (backoff.jitter == Backoff::Jitter::full) {
    delay = unit(retry.attempt) * delay;
  } else if (backoff.jitter == Backoff::Jitter::equal) {
    delay = delay / 2 + unit(retry.attempt) * (delay / 2);
  }
  return Duration{std::llround(delay)};
}

}  // namespace basin
