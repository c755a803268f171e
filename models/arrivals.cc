#include "models/arrivals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "engine/contract.h"
#include "engine/log.h"
#include "models/arrival_paths.h"
#include "models/continuous_time.h"

namespace basin {

namespace {

// Whose draws these are.
struct Source {
  RandomKey key;
  std::uint32_t origin;
  SimTime start;

  RandomAddress address(Purpose purpose, std::uint64_t place, std::uint32_t part) const {
    return address_of(purpose, RequestKey::of(origin, place), part);
  }
  RandomBlock block(Purpose purpose, std::uint64_t place) const {
    return random_block(key, address(purpose, place, 0));
  }
  // The one word of request `place` where one is enough: of its first attempt's block.
  std::uint64_t gap(std::uint64_t place) const {
    return random_block(key, address(Purpose::attempt, place, 1))[gap_word];
  }
};

// Ends what would otherwise never end: a process that brings ever more requests without
// moving on in time, or changes for ever without a request.
class ProgressGuard {
 public:
  explicit ProgressGuard(std::uint64_t limit) : limit_{limit} {}
  void restart() { steps_ = 0; }
  void step(std::uint64_t steps, const char* message) {
    steps_ += steps;
    if (steps_ > limit_) {
      throw std::runtime_error(message);
    }
  }

 private:
  std::uint64_t limit_;
  std::uint64_t steps_ = 0;
};

constexpr std::uint64_t most_at_one_instant = std::uint64_t{1} << 24;
constexpr std::uint64_t most_without_request = std::uint64_t{1} << 28;
constexpr const char* no_request =
    "arrivals: the process changed its state 2^28 times without one request (its rate is "
    "too low for how fast it changes)";

// floor(amount), and one more with the probability of the rest; no word is drawn for a
// whole amount.
template <class Word>
std::uint64_t resolve_by_coin(double amount, Word draw) {
  constexpr double most = 0x1p52;
  const double whole = std::floor(std::min(amount, most));
  const double rest = std::min(amount, most) - whole;
  const bool one_more = rest > 0 && to_unit(draw()) < rest;
  return static_cast<std::uint64_t>(whole) + (one_more ? 1 : 0);
}

// Each process below makes one instant at a time by next(), `never` at the end and from
// then on.

class Poisson {
 public:
  Poisson(const PoissonArrivals& arrivals, const Source& source)
      : source_{source}, now_{source.start}, mean_gap_{1 / arrivals.rate} {
    BASIN_EXPECT(arrivals.rate >= 0);
  }
  SimTime next() {
    now_.advance(mean_gap_ * unit_exponential(source_.gap(place_++)));
    return now_.nearest();
  }

 private:
  Source source_;
  ContinuousTime now_;
  double mean_gap_;  // seconds; infinite at rate 0
  std::uint64_t place_ = 0;
};

class EqualGaps {
 public:
  EqualGaps(const DeterministicArrivals& arrivals, const Source& source)
      : start_{source.start}, rate_{arrivals.rate} {
    BASIN_EXPECT(arrivals.rate >= 0);
  }
  SimTime next() {
    if (rate_ <= 0) {
      return never;
    }
    ++place_;
    return ContinuousTime::after(start_, static_cast<long double>(place_) / rate_)
        .nearest();
  }

 private:
  SimTime start_;
  double rate_;
  std::uint64_t place_ = 0;
};

// With exponential gaps, the very instants of the Poisson process.
class Renewal {
 public:
  Renewal(const RenewalArrivals& arrivals, const Source& source)
      : gap_{&arrivals.gap}, source_{source}, now_{source.start} {
    BASIN_EXPECT(mean_of(arrivals.gap) > 0);
  }
  SimTime next() {
    const std::uint64_t place = place_++;
    now_.advance(sample(*gap_,
                        source_.gap(place),
                        {source_.key, source_.address(Purpose::arrivals, place, 0)}));
    return now_.nearest();
  }

 private:
  const Distribution* gap_;
  Source source_;
  ContinuousTime now_;
  std::uint64_t place_ = 0;
};

class BatchPoisson {
 public:
  BatchPoisson(const BatchPoissonArrivals& arrivals, const Source& source)
      : source_{source},
        now_{source.start},
        mean_gap_{arrivals.batch_mean / arrivals.rate},
        constant_size_{static_cast<std::uint64_t>(std::llround(arrivals.batch_mean))} {
    BASIN_EXPECT(arrivals.rate >= 0);
    BASIN_EXPECT(arrivals.batch_mean >= 1 && arrivals.batch_mean < 0x1p40);
    if (arrivals.size == BatchPoissonArrivals::Size::geometric &&
        arrivals.batch_mean > 1) {
      // P(size > n) = (1 - 1/mean)^n.
      mean_log_size_ = -1 / static_cast<double>(std::log1p(
                                -1 / static_cast<long double>(arrivals.batch_mean)));
    } else {
      BASIN_EXPECT(static_cast<double>(constant_size_) == arrivals.batch_mean);
    }
  }
  SimTime next() {
    if (left_ == 0) {
      const std::uint64_t batch = batch_++;
      now_.advance(mean_gap_ *
                   unit_exponential(source_.block(Purpose::arrivals, batch)[0]));
      left_ = size_of(batch);
    }
    --left_;
    return now_.nearest();
  }

 private:
  std::uint64_t size_of(std::uint64_t batch) const {
    if (mean_log_size_ <= 0) {
      return constant_size_;
    }
    const std::uint64_t word = source_.block(Purpose::arrival_modulation, batch)[0];
    return 1 + static_cast<std::uint64_t>(mean_log_size_ * unit_exponential(word));
  }

  Source source_;
  ContinuousTime now_;
  double mean_gap_;  // seconds between batches
  std::uint64_t constant_size_;
  double mean_log_size_ = 0;  // 0: constant size
  std::uint64_t batch_ = 0;
  std::uint64_t left_ = 0;
};

// A Poisson process whose rate follows a path, by inversion of the integrated rate:
// request k comes when the integral has grown by a unit exponential since request k - 1.
template <class Path>
class Modulated {
 public:
  Modulated(Path path, const Source& source)
      : path_{std::move(path)},
        source_{source},
        begin_{source.start},
        now_{source.start} {
    segment_ = path_.next();
  }

  SimTime next() {
    double need = unit_exponential(source_.gap(place_++));
    guard_.restart();
    while (!now_.is_end()) {
      const double gap = gap_for(need);
      const double rest = now_.seconds_until(segment_.end);
      if (gap <= rest) {
        now_.advance(gap);
        return now_.nearest();
      }
      need = std::max(need - integral_over(rest), 0.0);
      begin_ = now_ = segment_.end;
      if (!now_.is_end()) {
        segment_ = path_.next();
        guard_.step(1, no_request);
      }
    }
    return never;
  }

 private:
  double rate_now() const {
    return std::max(segment_.rate + segment_.slope * begin_.seconds_until(now_), 0.0);
  }

  double integral_over(double seconds) const {
    return (rate_now() + 0.5 * segment_.slope * seconds) * seconds;
  }

  // Seconds until the integral has grown by `need`, if the segment went on; infinite
  // where it never does. The root of rate*t + slope*t^2/2 = need, in the form without
  // cancellation.
  double gap_for(double need) const {
    if (segment_.slope == 0) {
      return need / segment_.rate;
    }
    const double rate = rate_now();
    const double square = rate * rate + 2 * segment_.slope * need;
    return square < 0 ? std::numeric_limits<double>::infinity()
                      : 2 * need / (rate + std::sqrt(square));
  }

  Path path_;
  Source source_;
  ContinuousTime begin_;  // of the segment
  ContinuousTime now_;
  RateSegment segment_;
  std::uint64_t place_ = 0;
  ProgressGuard guard_{most_without_request};
};

// Dassios and Zhao (2013), algorithm 3.1 with constant jumps. The gap is the smaller of
// one from the decaying excess over the base intensity, which may never come, and one
// from the base itself.
class Hawkes {
 public:
  Hawkes(const HawkesArrivals& arrivals, const Source& source)
      : source_{source},
        now_{source.start},
        base_{arrivals.rate * (1 - arrivals.branching)},
        decay_{arrivals.decay},
        jump_{arrivals.branching * arrivals.decay} {
    BASIN_EXPECT(arrivals.rate >= 0 && arrivals.decay > 0);
    BASIN_EXPECT(arrivals.branching >= 0 && arrivals.branching < 1);
  }
  SimTime next() {
    const RandomBlock block = source_.block(Purpose::arrivals, place_++);
    double gap = unit_exponential(block[1]) / base_;
    const double spent = decay_ * unit_exponential(block[0]);
    if (spent < excess_) {
      const long double left = std::log1p(-static_cast<long double>(spent) / excess_);
      gap = std::min(gap, static_cast<double>(-left / decay_));
    }
    excess_ *= static_cast<double>(std::exp(-static_cast<long double>(decay_) * gap));
    excess_ += jump_;
    now_.advance(gap);
    return now_.nearest();
  }

 private:
  Source source_;
  ContinuousTime now_;
  double base_;
  double decay_;
  double jump_;
  double excess_ = 0;  // intensity above the base, just after the last request
  std::uint64_t place_ = 0;
};

class Trace {
 public:
  Trace(const TraceArrivals& arrivals, const Source& source)
      : arrivals_{&arrivals}, source_{source} {
    BASIN_EXPECT(arrivals.times != nullptr);
    BASIN_EXPECT(arrivals.rate_scale >= 0 && arrivals.time_scale > 0);
    BASIN_EXPECT(std::is_sorted(arrivals.times->begin(), arrivals.times->end()));
    BASIN_EXPECT(arrivals.times->empty() || (arrivals.times->front() >= 0 &&
                                             arrivals.times->back() <= arrivals.length));
    BASIN_EXPECT(!arrivals.loop || arrivals.length > 0);
  }
  SimTime next() {
    const std::vector<double>& times = *arrivals_->times;
    if (times.empty() || arrivals_->rate_scale <= 0) {
      return never;
    }
    guard_.restart();
    while (copies_ == 0) {
      if (!arrivals_->loop && record_ >= times.size()) {
        return never;
      }
      const std::uint64_t record = record_++;
      copies_ = resolve_by_coin(arrivals_->rate_scale, [&] {
        return source_.block(Purpose::arrival_modulation, record)[0];
      });
      const auto cycle = static_cast<long double>(record / times.size());
      instant_ = ContinuousTime::after(
          source_.start,
          (cycle * arrivals_->length + times[record % times.size()]) *
              arrivals_->time_scale);
      guard_.step(1, no_request);
    }
    --copies_;
    return instant_.nearest();
  }

 private:
  const TraceArrivals* arrivals_;
  Source source_;
  std::uint64_t record_ = 0;  // counts on over the loops
  std::uint64_t copies_ = 0;  // still to come of the last record
  ContinuousTime instant_;
  ProgressGuard guard_{most_without_request};
};

// The order statistics of uniform instants, one after another: the j-th of the m that are
// left, in the scale -log(1 - x), is an exponential with mean 1/m further on (Renyi, "On
// the theory of order statistics", 1953).
class CountTrace {
 public:
  CountTrace(const CountTraceArrivals& arrivals, const Source& source)
      : arrivals_{&arrivals}, source_{source} {
    BASIN_EXPECT(arrivals.counts != nullptr);
    BASIN_EXPECT(arrivals.rate_scale >= 0 && arrivals.time_scale > 0 &&
                 arrivals.interval > 0);
    some_ = mean_rate(arrivals) > 0;
  }
  SimTime next() {
    if (!some_) {
      return never;
    }
    guard_.restart();
    const std::vector<double>& counts = *arrivals_->counts;
    while (left_ == 0) {
      if (!arrivals_->loop && interval_ >= counts.size()) {
        return never;
      }
      const std::uint64_t interval = interval_++;
      left_ = resolve_by_coin(
          counts[interval % counts.size()] * arrivals_->rate_scale,
          [&] { return source_.block(Purpose::arrival_modulation, interval)[0]; });
      position_ = 0;
      guard_.step(1, no_request);
    }
    position_ += unit_exponential(source_.gap(place_++)) / static_cast<double>(left_--);
    const long double intervals = static_cast<long double>(interval_ - 1) -
                                  std::expm1(-static_cast<long double>(position_));
    const long double length =
        static_cast<long double>(arrivals_->interval) * arrivals_->time_scale;
    return ContinuousTime::after(source_.start, intervals * length).nearest();
  }

 private:
  const CountTraceArrivals* arrivals_;
  Source source_;
  bool some_ = false;
  std::uint64_t interval_ = 0;  // counts on over the loops
  std::uint64_t left_ = 0;
  double position_ = 0;  // -log(1 - x), x the last instant in its interval
  std::uint64_t place_ = 0;
  ProgressGuard guard_{most_without_request};
};

using AnyProcess = std::variant<Poisson,
                                EqualGaps,
                                Renewal,
                                BatchPoisson,
                                Modulated<MmppPath>,
                                Modulated<OnOffPath>,
                                Hawkes,
                                Modulated<SchedulePath>,
                                Trace,
                                CountTrace>;

struct MakeProcess {
  Source source;

  AnyProcess operator()(const PoissonArrivals& a) const { return Poisson{a, source}; }
  AnyProcess operator()(const DeterministicArrivals& a) const {
    return EqualGaps{a, source};
  }
  AnyProcess operator()(const RenewalArrivals& a) const { return Renewal{a, source}; }
  AnyProcess operator()(const BatchPoissonArrivals& a) const {
    return BatchPoisson{a, source};
  }
  AnyProcess operator()(const MmppArrivals& a) const {
    return Modulated{MmppPath{a, source.key, source.origin, source.start}, source};
  }
  AnyProcess operator()(const OnOffArrivals& a) const {
    return Modulated{OnOffPath{a, source.key, source.origin, source.start}, source};
  }
  AnyProcess operator()(const HawkesArrivals& a) const { return Hawkes{a, source}; }
  AnyProcess operator()(const ScheduleArrivals& a) const {
    return Modulated{SchedulePath{a, source.start}, source};
  }
  AnyProcess operator()(const TraceArrivals& a) const { return Trace{a, source}; }
  AnyProcess operator()(const CountTraceArrivals& a) const {
    return CountTrace{a, source};
  }
};

double mean_rate_of(const PoissonArrivals& a) {
  return a.rate;
}
double mean_rate_of(const DeterministicArrivals& a) {
  return a.rate;
}
double mean_rate_of(const RenewalArrivals& a) {
  return 1 / mean_of(a.gap);
}
double mean_rate_of(const BatchPoissonArrivals& a) {
  return a.rate;
}
double mean_rate_of(const MmppArrivals& a) {
  const std::vector<double> probabilities = stationary_probabilities(a);
  double rate = 0;
  for (std::size_t i = 0; i < a.rates.size(); ++i) {
    rate += probabilities[i] * a.rates[i];
  }
  return rate;
}
double mean_rate_of(const OnOffArrivals& a) {
  const double on = on_fraction(a);
  return on * a.on_rate + (1 - on) * a.off_rate;
}
double mean_rate_of(const HawkesArrivals& a) {
  return a.rate;
}
double mean_rate_of(const ScheduleArrivals& a) {
  return a.period.has_value() ? SchedulePath::requests_a_period(a) / *a.period
                              : a.steps.back().rate * a.factor;
}
double mean_rate_of(const TraceArrivals& a) {
  const auto size = static_cast<double>(a.times->size());
  return size > 0 ? size * a.rate_scale / (a.length * a.time_scale) : 0;
}
double mean_rate_of(const CountTraceArrivals& a) {
  double requests = 0;
  for (const double count : *a.counts) {
    BASIN_EXPECT(count >= 0);
    requests += count;
  }
  const double length = static_cast<double>(a.counts->size()) * a.interval * a.time_scale;
  return requests > 0 ? requests * a.rate_scale / length : 0;
}

template <class T>
bool same_content(const std::shared_ptr<const std::vector<T>>& a,
                  const std::shared_ptr<const std::vector<T>>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

}  // namespace

bool TraceArrivals::operator==(const TraceArrivals& other) const {
  return length == other.length && time_scale == other.time_scale &&
         rate_scale == other.rate_scale && loop == other.loop &&
         same_content(times, other.times);
}

bool CountTraceArrivals::operator==(const CountTraceArrivals& other) const {
  return interval == other.interval && time_scale == other.time_scale &&
         rate_scale == other.rate_scale && loop == other.loop &&
         same_content(counts, other.counts);
}

double mean_rate(const Arrivals& arrivals) {
  return std::visit([](const auto& process) { return mean_rate_of(process); }, arrivals);
}

class ArrivalStream::Process {
 public:
  explicit Process(AnyProcess process) : process_{std::move(process)} {}

  void fill(std::span<SimTime> instants) {
    std::visit(
        [instants](auto& process) {
          for (SimTime& instant : instants) {
            instant = process.next();
          }
        },
        process_);
    if (instants.back() != latest_ || latest_ == never) {
      guard_.restart();
    }
    latest_ = instants.back();
    guard_.step(instants.size(),
                "arrivals: more than 2^24 requests at one instant (the process does not "
                "move on in time)");
  }

 private:
  AnyProcess process_;
  SimTime latest_ = never;
  ProgressGuard guard_{most_at_one_instant};
};

ArrivalStream::ArrivalStream(const Arrivals& arrivals,
                             const RandomKey& key,
                             std::uint32_t origin,
                             SimTime start)
    : process_{std::make_unique<Process>(
          std::visit(MakeProcess{{key, origin, start}}, arrivals))} {
  BASIN_EXPECT(start <= SimTime{longest_duration});
}

ArrivalStream::~ArrivalStream() = default;
ArrivalStream::ArrivalStream(ArrivalStream&&) noexcept = default;
ArrivalStream& ArrivalStream::operator=(ArrivalStream&&) noexcept = default;

void ArrivalStream::refill() {
  ready_.resize(64);
  process_->fill(ready_);
  position_ = 0;
}

}  // namespace basin
