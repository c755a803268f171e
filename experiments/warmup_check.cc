#include "experiments/warmup_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "analysis/batch_means.h"
#include "analysis/intervals.h"
#include "analysis/no_answer.h"
#include "analysis/warmup.h"
#include "engine/time.h"
#include "experiments/cell_result.h"

namespace basin {

namespace {

constexpr double least_bias = 0.01;
constexpr double level_of_bias = 0.99;
// MSER-5 chooses where the step is greatest; the noise of one run makes steps anywhere.
constexpr double level_of_bias_in_one_run = 0.99999;
constexpr double least_drift = 0.1;
constexpr double level_of_drift = 0.999;

bool follows_the_clock(const Arrivals& arrivals) {
  if (const auto* schedule = std::get_if<ScheduleArrivals>(&arrivals)) {
    const auto& steps = schedule->steps;
    return std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
      return step.rate != steps.front().rate;
    });
  }
  return std::holds_alternative<TraceArrivals>(arrivals) ||
         std::holds_alternative<CountTraceArrivals>(arrivals);
}

// The nearest double: whole seconds are whole.
double seconds(Duration span) {
  return static_cast<double>(span.count()) / 1e9;
}

double mean_of(std::span<const float> series) {
  const double sum = std::accumulate(series.begin(), series.end(), 0.0);
  return sum / static_cast<double>(series.size());
}

// Work in the system at each sample, one series a replication; empty if one is missing or
// has ended early.
std::vector<std::vector<float>> work_of(const std::vector<ArmRecord>& control) {
  std::vector<std::vector<float>> work;
  for (const ArmRecord& record : control) {
    if (!record.present || record.truncated) {
      return {};
    }
    work.push_back(work_in_system(record.trajectory));
    if (work.back().size() != work.front().size()) {
      return {};
    }
  }
  return work;
}

std::vector<double> average(const std::vector<std::vector<float>>& work) {
  std::vector<double> mean(work.front().size());
  for (const std::vector<float>& series : work) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] += static_cast<double>(series[k]) / static_cast<double>(work.size());
    }
  }
  return mean;
}

// Mean over samples [first, middle) - mean over [middle, last), with its interval over
// the replications; for a single one by what batch means say of the second part.
MeanEstimate step_at(const std::vector<std::vector<float>>& work,
                     std::size_t first,
                     std::size_t middle,
                     std::size_t last,
                     double level) {
  std::vector<double> steps;
  for (const std::vector<float>& series : work) {
    const std::span<const float> all{series};
    steps.push_back(mean_of(all.subspan(first, middle - first)) -
                    mean_of(all.subspan(middle, last - middle)));
  }
  MeanEstimate step = mean_estimate(steps, level);
  if (work.size() == 1) {
    try {
      const std::vector<double> after(
          work[0].begin() + static_cast<std::ptrdiff_t>(middle),
          work[0].begin() + static_cast<std::ptrdiff_t>(last));
      const BatchMeans batches = batch_means(after, 10, level);
      if (!batches.correlated) {
        // Of the difference of means over both lengths.
        const double half_width = (batches.estimate.high - batches.estimate.low) / 2 *
                                  std::sqrt(1 + static_cast<double>(last - middle) /
                                                    static_cast<double>(middle - first));
        step.low = step.mean - half_width;
        step.high = step.mean + half_width;
      }
    } catch (const NoAnswer&) {
      // Too short to tell: no interval.
    }
  }
  return step;
}

bool excludes_zero(const MeanEstimate& estimate) {
  return estimate.low > 0 || estimate.high < 0;
}

}  // namespace

WarmupReport check_warmup(const Scenario& scenario,
                          const std::vector<ArmRecord>& control) {
  const SystemConfig& system = scenario.system;
  WarmupReport report;
  report.declared = seconds(system.warmup);
  if (follows_the_clock(system.arrivals)) {
    report.why_none = "no steady state: arrivals follow a schedule or a trace";
    return report;
  }
  const std::vector<std::vector<float>> work = work_of(control);
  if (work.empty()) {
    report.why_none = "a run failed or ended early";
    return report;
  }
  const auto collapsed =
      std::count_if(control.begin(), control.end(), [](const ArmRecord& record) {
        return record.stuck || std::isinf(record.recovery_time);
      });
  if (collapsed > 0) {
    report.why_none = fmt::format(
        "no steady state: unhealthy at the horizon in {} of {} runs of the control arm",
        collapsed,
        control.size());
    return report;
  }
  const std::vector<double> mean = average(work);
  Warmup warmup;
  try {
    warmup = find_warmup(mean);
  } catch (const NoAnswer& no_answer) {
    report.why_none = no_answer.what();
    return report;
  }
  const std::size_t length = mean.size();
  const std::size_t end = warmup.discard;
  const MeanEstimate drift =
      step_at(work, end, end + (length - end) / 2, length, level_of_drift);
  if (!warmup.found || (work.size() > 1 && excludes_zero(drift) &&
                        std::abs(drift.mean) > least_drift * warmup.mean)) {
    report.why_none = "no steady state seen: the work in the system drifts to the end";
    return report;
  }

  report.mser5 = seconds(static_cast<std::int64_t>(end) * system.sample_interval);
  report.enough = true;
  const auto declared = static_cast<std::size_t>(
      (system.warmup + system.sample_interval - Duration{1}) / system.sample_interval);
  if (declared < end) {
    const MeanEstimate step =
        step_at(work,
                declared,
                end,
                length,
                work.size() > 1 ? level_of_bias : level_of_bias_in_one_run);
    const double share =
        static_cast<double>(end - declared) / static_cast<double>(length - declared);
    report.bias = warmup.mean > 0 ? share * step.mean / warmup.mean : 0;
    report.enough = !(excludes_zero(step) && std::abs(report.bias) > least_bias);
  }
  return report;
}

}  // namespace basin
