#include "models/arrivals.h"

#include <span>
#include <utility>

#include "engine/contract.h"
#include "models/arrival_paths.h"
#include "models/arrival_processes.h"
#include "models/arrival_source.h"
#include "models/trace_processes.h"

namespace basin {

namespace {

using AnyProcess = std::variant<PoissonProcess,
                                DeterministicProcess,
                                RenewalProcess,
                                BatchPoissonProcess,
                                ModulatedProcess<MmppPath>,
                                ModulatedProcess<OnOffPath>,
                                HawkesProcess,
                                ModulatedProcess<SchedulePath>,
                                TraceProcess,
                                CountTraceProcess>;

struct MakeProcess {
  ArrivalSource source;

  AnyProcess operator()(const PoissonArrivals& a) const {
    return PoissonProcess{a, source};
  }
  AnyProcess operator()(const DeterministicArrivals& a) const {
    return DeterministicProcess{a, source};
  }
  AnyProcess operator()(const RenewalArrivals& a) const {
    return RenewalProcess{a, source};
  }
  AnyProcess operator()(const BatchPoissonArrivals& a) const {
    return BatchPoissonProcess{a, source};
  }
  AnyProcess operator()(const MmppArrivals& a) const {
    return ModulatedProcess{MmppPath{a, source.key, source.origin, source.start}, source};
  }
  AnyProcess operator()(const OnOffArrivals& a) const {
    return ModulatedProcess{OnOffPath{a, source.key, source.origin, source.start},
                            source};
  }
  AnyProcess operator()(const HawkesArrivals& a) const {
    return HawkesProcess{a, source};
  }
  AnyProcess operator()(const ScheduleArrivals& a) const {
    return ModulatedProcess{SchedulePath{a, source.start}, source};
  }
  AnyProcess operator()(const TraceArrivals& a) const { return TraceProcess{a, source}; }
  AnyProcess operator()(const CountTraceArrivals& a) const {
    return CountTraceProcess{a, source};
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

  void fill(std::span<Arrival> arrivals) {
    std::visit(
        [arrivals](auto& process) {
          if constexpr (requires { process.fill(arrivals); }) {
            process.fill(arrivals);
          } else {
            for (Arrival& arrival : arrivals) {
              arrival.time = process.next();
              if constexpr (requires { process.work(); }) {
                arrival.work = process.work();
              }
            }
          }
        },
        process_);
    if (arrivals.back().time != latest_ || latest_ == never) {
      guard_.restart();
    }
    latest_ = arrivals.back().time;
    guard_.step(arrivals.size(),
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
  ready_.resize(block_size);
  process_->fill(ready_);
  position_ = 0;
}

}  // namespace basin
