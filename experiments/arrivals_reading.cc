#include "experiments/arrivals_reading.h"

#include <algorithm>
#include <cmath>

#include "engine/contract.h"
#include "experiments/distribution_reading.h"

namespace basin {
namespace {

double rate_owed(const Section& arrivals) {
  const auto rate = arrivals.optional_number("rate");
  if (!rate) {
    arrivals.fail("rate", "is missing (expected a rate such as \"100/s\")");
  }
  return *rate;
}

double positive_rate_owed(const Section& arrivals) {
  const double rate = rate_owed(arrivals);
  if (!(rate > 0)) {
    arrivals.fail("rate",
                  "is zero (expected more than 0/s with process " +
                      std::string(arrivals.text("process")) + ")");
  }
  return rate;
}

// arrivals.rate over the mean that the process has by itself; 1 where no rate is said.
double rescaling(const Section& arrivals, double own_rate) {
  const auto rate = arrivals.optional_number("rate");
  if (!rate) {
    return 1;
  }
  if (!(own_rate > 0) || !std::isfinite(own_rate)) {
    arrivals.fail("rate",
                  "cannot be reached: the process has a mean rate of zero by itself");
  }
  const double factor = *rate / own_rate;
  if (!std::isfinite(factor)) {
    arrivals.fail("rate",
                  "cannot be reached: the process has a mean rate of almost zero");
  }
  return factor;
}

Distribution gap_of(double rate, double scv) {
  if (scv < 1) {
    return Gamma{.shape = 1 / scv, .mean = 1 / rate};
  }
  if (scv > 1) {
    return balanced_means(1 / rate, scv);
  }
  return Exponential{.mean = 1 / rate};
}

Arrivals read_renewal(const Section& arrivals, DataFiles& files) {
  if (!arrivals.has("gap")) {
    if (!arrivals.has("scv")) {
      arrivals.fail("gap", "is missing (expected gap, or rate and scv)");
    }
    return RenewalArrivals{
        .gap = gap_of(positive_rate_owed(arrivals), arrivals.number("scv"))};
  }
  Distribution gap = read_distribution(arrivals, "gap", files);
  if (arrivals.has("rate")) {
    const double rate = positive_rate_owed(arrivals);
    const double mean = mean_of(gap);
    if (!std::isfinite(mean)) {
      arrivals.fail("rate", "cannot be reached: the gap has an infinite mean");
    }
    gap = scaled(std::move(gap), 1 / (rate * mean));
  }
  return RenewalArrivals{.gap = std::move(gap)};
}

Arrivals read_batches(const Section& arrivals) {
  BatchPoissonArrivals result{
      .rate = positive_rate_owed(arrivals),
      .batch_mean = arrivals.number("batch_mean"),
      .size = arrivals.choice<BatchPoissonArrivals::Size>("batch_size")};
  if (result.size == BatchPoissonArrivals::Size::constant &&
      result.batch_mean != std::floor(result.batch_mean)) {
    arrivals.fail("batch_mean",
                  "is not whole (expected a whole number with batch_size constant)");
  }
  return result;
}

// Every state can be reached from every other, so that there is a long run.
bool is_irreducible(const std::vector<std::vector<double>>& transitions) {
  const std::size_t n = transitions.size();
  const auto reaches_all = [&](bool forward) {
    std::vector<bool> seen(n, false);
    std::vector<std::size_t> open{0};
    seen[0] = true;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      for (std::size_t j = 0; j < n; ++j) {
        if (!seen[j] && i != j && (forward ? transitions[i][j] : transitions[j][i]) > 0) {
          seen[j] = true;
          open.push_back(j);
        }
      }
    }
    return std::find(seen.begin(), seen.end(), false) == seen.end();
  };
  return reaches_all(true) && reaches_all(false);
}

Arrivals read_mmpp(const Section& arrivals) {
  MmppArrivals result;
  result.rates = arrivals.at("rates").rows.front();
  result.transitions = arrivals.at("transitions").rows;
  const std::size_t states = result.rates.size();
  bool is_square = result.transitions.size() == states;
  for (const std::vector<double>& row : result.transitions) {
    is_square = is_square && row.size() == states;
  }
  if (!is_square) {
    arrivals.fail("transitions",
                  "does not fit rates (expected " + std::to_string(states) + " rows of " +
                      std::to_string(states) + " rates, one a state)");
  }
  if (!is_irreducible(result.transitions)) {
    arrivals.fail(
        "transitions",
        "leaves a state that cannot be reached from another (expected a chain in "
        "which every state can)");
  }
  if (const auto state = arrivals.optional_whole("initial_state")) {
    if (static_cast<std::size_t>(*state) >= states) {
      arrivals.fail("initial_state",
                    "is not a state (expected 0 to " + std::to_string(states - 1) + ")");
    }
    result.initial_state = static_cast<int>(*state);
  }
  const double factor = rescaling(arrivals, arrivals.has("rate") ? mean_rate(result) : 1);
  for (double& rate : result.rates) {
    rate *= factor;
  }
  return result;
}

Arrivals read_on_off(const Section& arrivals, DataFiles& files) {
  OnOffArrivals result{.on_rate = 1,
                       .off_rate = arrivals.number("off_rate"),
                       .on = read_distribution(arrivals, "on", files),
                       .off = read_distribution(arrivals, "off", files)};
  const auto on_rate = arrivals.optional_number("on_rate");
  if (on_rate) {
    result.on_rate = *on_rate;
  } else if (!arrivals.has("rate")) {
    arrivals.fail("on_rate", "is missing (expected on_rate or rate)");
  } else if (result.off_rate > 0) {
    arrivals.fail("on_rate",
                  "is missing (expected with off_rate, as rate rescales both)");
  }
  for (const std::string_view key : {"on", "off"}) {
    if (!std::isfinite(mean_of(key == "on" ? result.on : result.off))) {
      arrivals.fail(key, "has an infinite mean (expected a finite one)");
    }
  }
  const double factor = rescaling(arrivals, arrivals.has("rate") ? mean_rate(result) : 1);
  result.on_rate *= factor;
  result.off_rate *= factor;
  return result;
}

Arrivals read_schedule(const Section& arrivals) {
  ScheduleArrivals result;
  result.period = arrivals.optional_number("period");
  double earliest = 0;
  for (const Section* step : arrivals.list("steps")) {
    const ScheduleArrivals::Step next{.at = step->seconds("at"),
                                      .rate = step->number("rate"),
                                      .ramp = step->seconds("ramp")};
    if (result.steps.empty()) {
      if (next.at != 0) {
        step->fail("at", "of the first step is not 0s");
      }
      if (next.ramp > 0 && !result.period) {
        step->fail("ramp",
                   "of the first step has no rate before it (expected none without "
                   "arrivals.period)");
      }
    } else if (next.at <= result.steps.back().at || next.at < earliest) {
      step->fail("at",
                 "is not after the step before and its ramp (expected steps in order)");
    }
    earliest = next.at + next.ramp;
    result.steps.push_back(next);
  }
  if (result.period &&
      (*result.period < earliest || *result.period <= result.steps.back().at)) {
    arrivals.fail("period",
                  "ends before the last step and its ramp (expected a longer one)");
  }
  if (const auto factor = arrivals.optional_number("factor")) {
    result.factor = *factor;
  } else if (arrivals.has("rate")) {
    result.factor = rescaling(arrivals, mean_rate(result));
  }
  return result;
}

// A looped trace goes on one mean gap after its last request, which keeps its rate.
double length_of(const std::vector<double>& times) {
  const auto count = static_cast<double>(times.size());
  return times.back() * count / (count - 1);
}

Arrivals read_trace(const Section& arrivals, DataFiles& files) {
  const bool counts = arrivals.text("format") == "counts";
  if (counts != arrivals.has("interval")) {
    arrivals.fail("interval",
                  counts ? "is missing (expected with format counts: what a count is for)"
                         : "belongs to format counts");
  }
  Column column;
  try {
    column = files.column(arrivals.text("file"),
                          arrivals.text("column"),
                          counts ? ColumnContent::numbers : ColumnContent::timestamps,
                          counts ? 1 : seconds_of_unit(arrivals.text("unit")));
  } catch (const DataFileError& error) {
    arrivals.fail("file", error.what());
  }
  Arrivals result;
  if (counts) {
    result =
        CountTraceArrivals{.counts = column, .interval = arrivals.seconds("interval")};
  } else {
    if (!(column->back() > 0)) {
      arrivals.fail("file", "spans no time (expected at least two different times)");
    }
    result = TraceArrivals{.times = column, .length = length_of(*column)};
  }
  const auto finish = [&](auto& trace) {
    trace.time_scale = arrivals.number("time_scale");
    trace.loop = arrivals.flag("loop");
    if (const auto scale = arrivals.optional_number("rate_scale")) {
      trace.rate_scale = *scale;
    } else if (arrivals.has("rate")) {
      trace.rate_scale = rescaling(arrivals, mean_rate(trace));
    }
  };
  if (counts) {
    finish(std::get<CountTraceArrivals>(result));
  } else {
    finish(std::get<TraceArrivals>(result));
  }
  return result;
}

}  // namespace

Arrivals read_arrivals(const Section& arrivals, DataFiles& files) {
  const std::string_view process = arrivals.text("process");
  if (process == "poisson") {
    return PoissonArrivals{.rate = rate_owed(arrivals)};
  }
  if (process == "deterministic") {
    return DeterministicArrivals{.rate = positive_rate_owed(arrivals)};
  }
  if (process == "renewal") {
    return read_renewal(arrivals, files);
  }
  if (process == "batch_poisson") {
    return read_batches(arrivals);
  }
  if (process == "mmpp") {
    return read_mmpp(arrivals);
  }
  if (process == "on_off") {
    return read_on_off(arrivals, files);
  }
  if (process == "hawkes") {
    return HawkesArrivals{.rate = positive_rate_owed(arrivals),
                          .branching = arrivals.number("branching"),
                          .decay = arrivals.number("decay")};
  }
  if (process == "schedule") {
    return read_schedule(arrivals);
  }
  BASIN_EXPECT(process == "trace");
  return read_trace(arrivals, files);
}

}  // namespace basin
