#include "experiments/size_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analysis/no_answer.h"
#include "experiments/source_tree.h"
#include "experiments/units.h"

namespace basin {

namespace {

constexpr double default_span = 16;  // times less and more than today
constexpr std::int64_t probe_runs = 8;
constexpr std::int64_t most_final_runs = 100;

Scenario with_case(const Scenario& scenario, const IncidentCase& one) {
  Scenario result = scenario;
  result.system.incidents.clear();
  for (const std::size_t part : one.parts) {
    result.system.incidents.push_back(scenario.system.incidents[part]);
  }
  return result;
}

std::vector<Scenario> cases_at(const Scenario& scenario,
                               const Lever& lever,
                               double value) {
  const Scenario there = at_value(scenario, lever, value);
  std::vector<Scenario> cases;
  for (const IncidentCase& one : there.cases) {
    cases.push_back(with_case(there, one));
  }
  return cases;
}

bool recovered_in_time(const CellResult& cell, std::size_t replication, double rto) {
  return cell.output.arms[1][replication].recovery_time <= rto;
}

std::vector<double> weights_of(const Scenario& scenario) {
  double sum = 0;
  for (const IncidentCase& one : scenario.cases) {
    sum += one.weight;
  }
  std::vector<double> weights;
  for (const IncidentCase& one : scenario.cases) {
    weights.push_back(one.weight / sum);
  }
  return weights;
}

// The answer of a replication: 1 exactly where all cases recovered.
double weighted_answer(const std::vector<double>& weights,
                       const std::vector<const CellResult*>& cells,
                       std::size_t replication,
                       double rto) {
  double sum = 0;
  bool all = true;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const bool yes = recovered_in_time(*cells[k], replication, rto);
    sum += yes ? weights[k] : 0;
    all = all && yes;
  }
  return all ? 1 : std::min(sum, 1.0);
}

bool can_be_read(const Scenario& scenario, const Lever& lever, double value) {
  try {
    at_value(scenario, lever, value);
    return true;
  } catch (const ScenarioError&) {
    return false;
  }
}

// The end of the range that was not said: as far from today as the scenario can be read.
double default_end(const Scenario& scenario, const Lever& lever, bool is_low) {
  const double today = *lever.today;
  double end = is_low ? today / default_span : today * default_span;
  if (lever.is_whole) {
    end = is_low ? std::max(std::floor(end), 1.0) : std::ceil(end);
  }
  end = std::clamp(end, std::max(lever.least, 0.0), lever.most);
  // Half the way back to today until it can be.
  double good = today;
  double bad = end;
  if (can_be_read(scenario, lever, end)) {
    return end;
  }
  for (int k = 0; k < 30 && good != bad; ++k) {
    double middle = lever.is_whole ? std::floor((good + bad) / 2) : (good + bad) / 2;
    if (middle == good || middle == bad) {
      break;
    }
    (can_be_read(scenario, lever, middle) ? good : bad) = middle;
  }
  return good;
}

void set_range(const Scenario& scenario, const SizeOptions& options, Size& size) {
  const Lever& lever = size.lever;
  if (!(options.from && options.to) && !(lever.today && *lever.today > 0)) {
    throw NoAnswer(lever.key +
                   " has no value above 0 to begin from (expected --from and --to)");
  }
  size.low = options.from ? parse_lever_value(scenario, lever, *options.from)
                          : default_end(scenario, lever, true);
  size.high = options.to ? parse_lever_value(scenario, lever, *options.to)
                         : default_end(scenario, lever, false);
  if (!(size.low < size.high)) {
    throw NoAnswer(
        fmt::format("there is no range of {} from {} to {} (expected --from "
                    "below --to)",
                    lever.key,
                    readable_value(lever, size.low),
                    readable_value(lever, size.high)));
  }
  at_value(scenario, lever, size.low);
  at_value(scenario, lever, size.high);
}

// All cases at some values, in the replications from `first` on.
std::vector<std::vector<CellResult>> run_at(const Size& size,
                                            const std::vector<double>& values,
                                            std::int64_t first,
                                            std::int64_t runs,
                                            const RunScenarios& run) {
  std::vector<Scenario> scenarios;
  for (const double value : values) {
    for (Scenario& one : cases_at(size.scenario, size.lever, value)) {
      one.replications = static_cast<int>(runs);
      scenarios.push_back(std::move(one));
    }
  }
  std::vector<CellResult> cells = run(scenarios, static_cast<std::size_t>(first));
  std::vector<std::vector<CellResult>> result(values.size());
  const std::size_t cases = size.scenario.cases.size();
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (cells[k].output.status != CellStatus::done) {
      throw SearchError(cells[k].output.message);
    }
    result[k / cases].push_back(std::move(cells[k]));
  }
  return result;
}

double mean_answer(const Size& size, const std::vector<CellResult>& cells) {
  const std::vector<double> weights = weights_of(size.scenario);
  std::vector<const CellResult*> views;
  for (const CellResult& cell : cells) {
    views.push_back(&cell);
  }
  const std::size_t runs = cells.front().output.phases.size();
  double sum = 0;
  for (std::size_t r = 0; r < runs; ++r) {
    sum += weighted_answer(weights, views, r, *size.scenario.objective->recovery_time);
  }
  return sum / static_cast<double>(runs);
}

// From both ends of the range; nothing_to_find where they do not differ.
void find_trend(const RunScenarios& run, Size& size) {
  const auto ends = run_at(size, {size.low, size.high}, 0, probe_runs, run);
  const double low = mean_answer(size, ends[0]);
  const double high = mean_answer(size, ends[1]);
  const double target = size.options.probability;
  size.trend = high < low ? Trend::falling : Trend::rising;
  if (low == high || (low >= target) == (high >= target)) {
    size.nothing_to_find = fmt::format(
        "{} from {} to {} {}: recovered in {:.0f}% at the one end, {:.0f}% at the other",
        size.lever.key,
        readable_value(size.lever, size.low),
        readable_value(size.lever, size.high),
        low >= target ? "seems to suffice everywhere" : "suffices at neither end",
        100 * low,
        100 * high);
  }
}

CaseOutcome outcome_of(const CellResult& cell, double rto, double measured) {
  CaseOutcome outcome;
  const std::vector<ArmRecord>& control = cell.output.arms[0];
  const std::vector<ArmRecord>& triggered = cell.output.arms[1];
  const auto n = static_cast<double>(triggered.size());
  std::vector<double> recovery;
  std::vector<double> drain;
  for (std::size_t r = 0; r < triggered.size(); ++r) {
    const Metrics& with = triggered[r].metrics;
    const Metrics& without = control[r].metrics;
    recovery.push_back(triggered[r].recovery_time);
    drain.push_back(triggered[r].drain_time);
    outcome.recovered += recovered_in_time(cell, r, rto) ? 1 : 0;
    outcome.sick_controls += cell.output.phases[r] == Phase::spontaneous ||
                                     cell.output.phases[r] == Phase::overloaded
                                 ? 1
                                 : 0;
    outcome.peak_depth += with.peak_depth / n;
    outcome.base_rate += with.base_rate / n;
    outcome.extra_retries += (with.retry_rate - without.retry_rate) * measured / n;
    outcome.extra_redeliveries +=
        (with.redelivery_rate - without.redelivery_rate) * measured / n;
    outcome.extra_waste += (with.waste_rate - without.waste_rate) * measured / n;
  }
  outcome.replications = static_cast<std::int64_t>(triggered.size());
  outcome.interval = jeffreys_interval(outcome.recovered, outcome.replications);
  outcome.recovery_time_median = censored_quantile(recovery, 0.5);
  outcome.recovery_time_95 = censored_quantile(recovery, 0.95);
  outcome.drain_time_median = censored_quantile(drain, 0.5);
  return outcome;
}

SizeOutcome size_outcome(const Size& size,
                         double value,
                         const std::vector<CellResult>& cells) {
  const double rto = *size.scenario.objective->recovery_time;
  const SystemConfig& system = size.scenario.system;
  const double measured = to_seconds(system.horizon - system.warmup);
  SizeOutcome outcome;
  outcome.value = value;
  outcome.probability = mean_answer(size, cells);
  for (const CellResult& cell : cells) {
    outcome.cases.push_back(outcome_of(cell, rto, measured));
  }
  const std::int64_t runs = outcome.cases.front().replications;
  outcome.interval =
      bounded_mean_interval(std::min(outcome.probability * static_cast<double>(runs),
                                     static_cast<double>(runs)),
                            runs);
  return outcome;
}

// One step beyond the level, towards what does not suffice.
std::optional<double> step_short_of(const Size& size) {
  const bool rising = size.trend == Trend::rising;
  double value = 0;
  if (size.lever.is_whole) {
    value = size.found.value + (rising ? -1 : 1);
  } else {
    const Interval& interval = size.crossing.interval;
    value = rising ? interval.low : interval.high;
    if (value == size.found.value) {
      const double step = 2 * size.options.precision;
      value = size.found.value * (rising ? 1 - step : 1 + step);
    }
  }
  if (value < size.low || value > size.high) {
    return std::nullopt;
  }
  return value;
}

bool turns_consumers(const Lever& lever) {
  return lever.key == "consumers.count";
}

void reckon(Size& size) {
  size.headroom.clear();
  size.headroom_consumers = 0;
  for (const IncidentCase& one : size.reckoned.cases) {
    size.headroom.push_back(headroom_of(size.reckoned, one));
    size.headroom_consumers =
        std::max(size.headroom_consumers, size.headroom.back().consumers);
  }
}

}  // namespace

Size search_size(const Scenario& scenario,
                 const SizeOptions& options,
                 const RunScenarios& run) {
  if (!scenario.objective) {
    throw NoAnswer(
        "the scenario does not say what is healthy (expected objective.latency or "
        "producer.timeout)");
  }
  if (!scenario.objective->recovery_time) {
    throw NoAnswer(
        "the scenario has no objective.recovery_time (expected the time within which it "
        "is to recover: --set objective.recovery_time=30min)");
  }
  if (scenario.cases.empty()) {
    throw NoAnswer("the scenario has no incidents to recover from");
  }
  Size size{.scenario = scenario,
            .options = options,
            .lever = lever_of(scenario, options.lever),
            .low = 0,
            .high = 0,
            .trend = Trend::rising,
            .crossing = {},
            .nothing_to_find = {},
            .found = {},
            .short_of = {},
            .reckoned = scenario,
            .headroom = {},
            .headroom_consumers = 0,
            .at_headroom = {}};
  set_range(scenario, options, size);
  reckon(size);

  std::int64_t used = 0;
  switch (options.wanted) {
    case SizeOptions::Wanted::find_out:
      if (turns_consumers(size.lever)) {
        size.trend = Trend::rising;
      } else {
        find_trend(run, size);
        used = probe_runs;
      }
      break;
    case SizeOptions::Wanted::smallest:
      size.trend = Trend::rising;
      break;
    case SizeOptions::Wanted::largest:
      size.trend = Trend::falling;
      break;
  }
  if (!size.nothing_to_find.empty()) {
    return size;
  }

  const double start = turns_consumers(size.lever) && size.headroom_consumers > 0
                           ? size.headroom_consumers
                           : size.lever.today.value_or(size.low);
  const bool logarithmic = size.low > 0;
  std::vector<SearchTask> tasks;
  tasks.push_back(
      {.search = CrossingSearch{{.low = size.low,
                                 .high = size.high,
                                 .start = start,
                                 .spacing = size.lever.is_whole ? Spacing::whole
                                            : logarithmic       ? Spacing::logarithmic
                                                                : Spacing::linear,
                                 .trend = size.trend,
                                 .level = options.probability,
                                 .precision = logarithmic ? options.precision
                                                          : options.precision * size.high,
                                 .runs_at_once = 8,
                                 .most_runs = options.most_runs}},
       .scenarios_at =
           [&](double value) { return cases_at(scenario, size.lever, value); },
       .answer =
           [weights = weights_of(scenario), rto = *scenario.objective->recovery_time](
               const std::vector<const CellResult*>& cells, std::size_t replication) {
             return weighted_answer(weights, cells, replication, rto);
           }});
  // The replications of a probe are not used again.
  run_searches(tasks, [&](const std::vector<Scenario>& scenarios, std::size_t first) {
    return run(scenarios, first + static_cast<std::size_t>(used));
  });
  size.crossing = tasks.front().search.result();
  used += size.crossing.runs;
  if (size.crossing.at == CrossingAt::all_no) {
    size.nothing_to_find = fmt::format("{} from {} to {} does not suffice",
                                       size.lever.key,
                                       readable_value(size.lever, size.low),
                                       readable_value(size.lever, size.high));
  }

  size.found.value = size.crossing.estimate;
  if (!turns_consumers(size.lever)) {
    // The lever may be part of what the arithmetic reckons with.
    size.reckoned = at_value(scenario, size.lever, size.found.value);
    reckon(size);
  }
  // Fresh replications: those of the search were drawn until they told something.
  std::vector<double> values = {size.found.value};
  const std::optional<double> less = step_short_of(size);
  if (less) {
    values.push_back(*less);
  }
  const bool asks_headroom = turns_consumers(size.lever) && size.headroom_consumers > 0 &&
                             size.headroom_consumers >= size.low &&
                             size.headroom_consumers <= size.high;
  if (asks_headroom) {
    values.push_back(size.headroom_consumers);
  }
  const std::int64_t final_runs =
      std::clamp<std::int64_t>(options.most_runs / 4, 1, most_final_runs);
  const auto cells = run_at(size, values, used, final_runs, run);
  std::size_t next = 0;
  size.found = size_outcome(size, values[next], cells[next]);
  if (less) {
    ++next;
    size.short_of = size_outcome(size, values[next], cells[next]);
  }
  if (asks_headroom) {
    ++next;
    size.at_headroom = size_outcome(size, values[next], cells[next]);
  }
  return size;
}

std::size_t expected_size_runs(const Scenario& scenario, const SizeOptions& options) {
  constexpr std::size_t likely_search = 160;
  const auto most = static_cast<std::size_t>(options.most_runs);
  const std::size_t replications = std::min(most, likely_search) +
                                   3 * std::min<std::size_t>(most / 4, most_final_runs);
  return 2 * scenario.cases.size() * replications;
}

}  // namespace basin
