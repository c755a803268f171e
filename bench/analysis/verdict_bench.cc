// The verdict on a cell of a phase map, and the intervals it is reported with.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/intervals.h"
#include "analysis/verdict.h"
#include "bench/measure.h"

namespace basin {
namespace {

// A run of so many seconds: 100 requests a second, counted by the second, and a sample of
// the work in the system every ten. An incident from a tenth to a fifth of it, in and
// after which nothing succeeds: until half of the time is over, or to the end.
class Arm {
 public:
  enum class Course : std::uint8_t { untouched, recovers, stays_stuck };

  Arm(std::size_t seconds, Course course)
      : course_{course},
        created_(seconds, 100),
        succeeded_(seconds, 100),
        work_(seconds / 10 + 1, 1.0F) {
    if (course != Course::untouched) {
      const std::size_t end = course == Course::recovers ? seconds / 2 : seconds;
      for (std::size_t second = seconds / 10; second < end; ++second) {
        succeeded_[second] = 0;
        work_[second / 10] = 1000;
      }
    }
  }

  ArmView view() const {
    ArmView view;
    view.created = created_;
    view.succeeded = succeeded_;
    view.work = work_;
    view.sample = 10;
    view.horizon = static_cast<double>(created_.size());
    if (course_ != Course::untouched) {
      view.first_incident_start = view.horizon / 10;
      view.last_incident_end = view.horizon / 5;
    }
    return view;
  }

 private:
  Course course_;
  std::vector<std::uint32_t> created_;
  std::vector<std::uint32_t> succeeded_;
  std::vector<float> work_;
};

// Both arms of 20 replications, then the cell: all that a point of a map costs beside its
// runs.
template <Arm::Course course>
void judge_point(benchmark::State& state) {
  const auto seconds = static_cast<std::size_t>(state.range(0));
  const Arm control{seconds, Arm::Course::untouched};
  const Arm triggered{seconds, course};
  const Objective objective{.recovery_time = 1800.0};
  constexpr std::size_t replications = 20;
  const std::vector<double> drain_times(replications, 100.0);
  for (auto _ : state) {
    std::vector<ReplicationVerdict> verdicts;
    for (std::size_t i = 0; i < replications; ++i) {
      verdicts.push_back(judge_replication(control.view(), triggered.view(), objective));
    }
    benchmark::DoNotOptimize(judge_cell(verdicts, drain_times, objective));
  }
  report_each(state, "points");
}
void seconds_of_run(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("seconds")->Arg(600)->Arg(7'200)->Unit(benchmark::kMicrosecond);
  if (!brief()) {
    benchmark->Arg(86'400);
  }
}
BENCHMARK(judge_point<Arm::Course::recovers>)->Apply(seconds_of_run);
BENCHMARK(judge_point<Arm::Course::stays_stuck>)->Apply(seconds_of_run);

// --- Intervals ---

void replications(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("replications")->Arg(20)->Arg(1'000);
}

void jeffreys_intervals(benchmark::State& state) {
  const std::int64_t trials = state.range(0);
  std::int64_t successes = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(jeffreys_interval(successes, trials));
    successes = successes == trials ? 0 : successes + 1;
  }
  report_each(state, "intervals");
}
BENCHMARK(jeffreys_intervals)->Apply(replications);

std::vector<double> sample_of(std::int64_t size) {
  CheapWords word;
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& value : values) {
    value = to_unit(word());
  }
  return values;
}

void mean_intervals(benchmark::State& state) {
  const std::vector<double> values = sample_of(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(mean_estimate(values));
  }
  report_each(state, "intervals");
}
BENCHMARK(mean_intervals)->Apply(replications);

void censored_quantiles(benchmark::State& state) {
  const std::vector<double> values = sample_of(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(censored_quantile(values, 0.9));
  }
  report_each(state, "quantiles");
}
BENCHMARK(censored_quantiles)->Apply(replications);

}  // namespace
}  // namespace basin
