#include "experiments/run_summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/intervals.h"
#include "engine/time.h"
#include "experiments/phase_map.h"
#include "experiments/report_json.h"
#include "experiments/sparkline.h"

namespace basin {

namespace {

struct Row {
  std::string_view label;
  double Metrics::*metric;
  std::string_view unit;
};
constexpr Row rows[] = {
    {"base arrivals", &Metrics::base_rate, "/s"},
    {"effective arrivals", &Metrics::effective_rate, "/s"},
    {"throughput", &Metrics::throughput, "/s"},
    {"goodput", &Metrics::goodput, "/s"},
    {"goodput ratio", &Metrics::goodput_ratio, ""},
    {"waste", &Metrics::waste_rate, "/s"},
    {"retries", &Metrics::retry_rate, "/s"},
    {"redeliveries", &Metrics::redelivery_rate, "/s"},
    {"mean depth", &Metrics::mean_depth, ""},
    {"peak depth", &Metrics::peak_depth, ""},
    {"mean wait", &Metrics::mean_wait, " s"},
    {"latency, median", &Metrics::latency_p50, " s"},
    {"latency, 99%", &Metrics::latency_p99, " s"},
    {"utilization", &Metrics::utilization, ""},
};

// No rate, count or time is below zero, and no share above one; an interval around a
// mean near the bound may be.
MeanEstimate within_bounds(MeanEstimate estimate, double Metrics::*metric) {
  estimate.low = std::max(estimate.low, 0.0);
  if (metric == &Metrics::goodput_ratio || metric == &Metrics::utilization) {
    estimate.high = std::min(estimate.high, 1.0);
  }
  return estimate;
}

std::string estimate_text(MeanEstimate estimate, std::string_view unit) {
  if (!std::isfinite(estimate.mean)) {
    return readable(estimate.mean);
  }
  if (unit == " s" && estimate.mean < 0.1) {
    unit = " ms";
    estimate = {.mean = estimate.mean * 1e3,
                .low = estimate.low * 1e3,
                .high = estimate.high * 1e3};
  }
  std::string mean = fmt::format("{}{}", readable(estimate.mean), unit);
  if (std::isnan(estimate.low)) {
    return mean;
  }
  return fmt::format(
      "{} ({} to {})", mean, readable(estimate.low), readable(estimate.high));
}

// Columns that a text in UTF-8 takes, all its characters being of width one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & '\xC0') != '\x80'; }));
}

std::string padded(std::string text, std::size_t columns) {
  text.append(columns - std::min(columns, width_of(text)), ' ');
  return text;
}

// Each column as wide as its widest text asks for.
std::string metric_table_text(const std::vector<Arm>& arms,
                              const std::vector<std::vector<ArmRecord>>& records,
                              const std::optional<SingleRun>& single) {
  constexpr std::size_t label_columns = 20;
  std::vector<std::string> lines{padded("mean (95% interval)", label_columns)};
  std::vector<const Row*> shown;
  for (const Row& row : rows) {
    const bool anything =
        std::any_of(records.begin(), records.end(), [&](const auto& arm) {
          return !(mean_estimate(metric_values(arm, row.metric)).mean == 0);
        });
    if (anything) {
      shown.push_back(&row);
      lines.push_back(padded(std::string{row.label}, label_columns));
    }
  }
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    std::vector<std::string> column{std::string{name_of(arms[arm])}};
    for (const Row* row : shown) {
      const MeanEstimate estimate = estimate_of(
          records[arm], row->metric, arms[arm] == Arm::control ? single : std::nullopt);
      column.push_back(estimate_text(within_bounds(estimate, row->metric), row->unit));
    }
    std::size_t width = 0;
    for (const std::string& text : column) {
      width = std::max(width, width_of(text));
    }
    for (std::size_t k = 0; k < lines.size(); ++k) {
      lines[k] += arm + 1 < arms.size() ? padded(column[k], width + 2) : column[k];
    }
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

std::vector<MarkedSpan> spans_of(const Scenario& scenario) {
  std::vector<MarkedSpan> spans;
  for (const Incident& incident : scenario.system.incidents) {
    for (int k = 0; k < std::min(incident.occurrences, 1000); ++k) {
      const double from = to_seconds(incident.start + k * incident.every);
      spans.push_back({.from = from, .to = from + mean_of(incident.duration)});
    }
  }
  return spans;
}

std::vector<MarkedSpan> spans_of_interventions(const Scenario& scenario) {
  std::vector<MarkedSpan> spans;
  for (const Intervention& intervention : scenario.system.interventions) {
    const bool is_over_at_once = std::holds_alternative<Purge>(intervention.effect);
    const Duration to_the_end = scenario.system.horizon - intervention.start;
    const double from = to_seconds(intervention.start);
    spans.push_back(
        {.from = from,
         .to = from + to_seconds(is_over_at_once
                                     ? Duration{0}
                                     : intervention.duration.value_or(to_the_end))});
  }
  return spans;
}

// Mean over replications; trajectories that ended early count while they last.
std::vector<double> mean_series(const std::vector<ArmRecord>& records,
                                std::vector<float> Trajectory::*member) {
  std::vector<double> sum;
  std::vector<double> count;
  for (const ArmRecord& record : records) {
    const std::vector<float>& series = record.trajectory.*member;
    sum.resize(std::max(sum.size(), series.size()));
    count.resize(sum.size());
    for (std::size_t k = 0; k < series.size(); ++k) {
      sum[k] += static_cast<double>(series[k]);
      count[k] += 1;
    }
  }
  for (std::size_t k = 0; k < sum.size(); ++k) {
    sum[k] /= count[k];
  }
  return sum;
}

std::string sparklines(const Scenario& scenario,
                       const std::vector<ArmRecord>& records,
                       const SummaryStyle& style) {
  struct Line {
    std::string_view label;
    std::vector<float> Trajectory::*member;
    std::string_view unit;
  };
  constexpr Line lines[] = {{"depth", &Trajectory::depth, ""},
                            {"goodput", &Trajectory::goodput, "/s"}};
  const std::size_t columns = std::clamp<std::size_t>(style.columns, 40, 120) - 28;
  std::string text;
  for (const Line& line : lines) {
    const std::vector<double> series = mean_series(records, line.member);
    if (series.size() < 2) {
      return "";
    }
    const double top = *std::max_element(series.begin(), series.end());
    text += fmt::format("{:<10}{}  up to {}{}\n",
                        line.label,
                        padded(sparkline(series, top, columns, style.utf8), columns),
                        readable(top),
                        line.unit);
  }
  const double horizon = to_seconds(scenario.system.horizon);
  if (!scenario.system.incidents.empty()) {
    text += fmt::format(
        "{:<10}{}\n", "incident", incident_marks(spans_of(scenario), horizon, columns));
  }
  if (!scenario.system.interventions.empty()) {
    text +=
        fmt::format("{:<10}{}\n",
                    "intervened",
                    incident_marks(spans_of_interventions(scenario), horizon, columns));
  }
  const std::string end = readable_span(horizon);
  text += fmt::format("{:<10}0{:>{}}\n", "", end, columns - 1);
  return text;
}

// What the operators' interventions cost in the triggered arm.
std::string intervention_text(const std::vector<ArmRecord>& records) {
  struct Part {
    std::int64_t InterventionCounts::*count;
    std::string_view what;
  };
  constexpr Part parts[] = {
      {&InterventionCounts::shed, "requests turned away"},
      {&InterventionCounts::purged, "messages purged"},
      {&InterventionCounts::expired, "messages dropped as too old"},
      {&InterventionCounts::retries_cancelled, "pending retries cancelled"}};
  std::string text;
  for (const Part& part : parts) {
    double sum = 0;
    for (const ArmRecord& record : records) {
      sum += static_cast<double>(record.interventions.*part.count);
    }
    if (sum > 0) {
      text += fmt::format("{}{} {}",
                          text.empty() ? "" : ", ",
                          readable(sum / static_cast<double>(records.size())),
                          part.what);
    }
  }
  return "Interventions: " + (text.empty() ? "nothing turned away or dropped" : text) +
         " (mean of the replications, to the end of the run).\n";
}

std::string probability_text(const Probability& probability) {
  return fmt::format("{:.0f}% ({:.0f}% to {:.0f}%)",
                     100 * probability.estimate,
                     100 * probability.interval.low,
                     100 * probability.interval.high);
}

std::string quantiles_text(const std::array<double, 3>& quantiles, double horizon) {
  if (std::isinf(quantiles[0])) {
    return "not reached by the horizon of " + readable_span(horizon);
  }
  const auto one = [](double value) {
    return std::isinf(value) ? "not reached" : readable_span(value);
  };
  return fmt::format("median {}, 10% by {}, 90% by {}",
                     one(quantiles[1]),
                     one(quantiles[0]),
                     one(quantiles[2]));
}

std::string verdict_text(const Scenario& scenario,
                         const std::vector<Arm>& arms,
                         const CellVerdict& verdict) {
  const double horizon = to_seconds(scenario.system.horizon);
  std::string text;
  for (std::size_t phase = 0; phase < phase_count; ++phase) {
    if (verdict.phases[phase].count > 0) {
      text += fmt::format("{:<27}{}\n",
                          name_of(static_cast<Phase>(phase)),
                          probability_text(verdict.phases[phase]));
    }
  }
  if (arms.size() > 1) {
    if (verdict.within_rto && scenario.objective->recovery_time) {
      text += fmt::format("{:<27}{}\n",
                          fmt::format("recovered within {}",
                                      readable_span(*scenario.objective->recovery_time)),
                          probability_text(*verdict.within_rto));
    }
    text += fmt::format(
        "{:<27}{}\n", "recovery time", quantiles_text(verdict.recovery_time, horizon));
    text += fmt::format(
        "{:<27}{}\n", "drain time", quantiles_text(verdict.drain_time, horizon));
  }
  return text;
}

std::string single_text(const SingleRun& single) {
  if (!single.mean_depth) {
    return fmt::format("One replication, and no intervals: {}.\n", single.why_none);
  }
  return fmt::format(
      "One replication: intervals of the control arm by batch means ({} batches, lag-1 "
      "{:.2f}).\n",
      single.batches,
      single.lag_one);
}

std::string warmup_text(const WarmupReport& warmup) {
  const std::string declared = readable_span(warmup.declared);
  if (!warmup.mser5) {
    return fmt::format("Warm-up {}; {}.\n", declared, warmup.why_none);
  }
  const std::string found = readable_span(*warmup.mser5);
  if (*warmup.enough) {
    return fmt::format("Warm-up {}: enough (MSER-5: {}).\n", declared, found);
  }
  return fmt::format(
      "Warm-up {}: too short (MSER-5: {}; the mean work is off by "
      "{:+.1f}%).\n",
      declared,
      found,
      100 * warmup.bias);
}

std::string precision_text(const PrecisionReport& precision) {
  std::string text = fmt::format(
      "Precision of {:g}% {} at look {} of {} (each at {:.4g}%, together {:g}%):\n",
      100 * precision.relative,
      precision.reached ? "reached" : "not reached",
      precision.looks.size(),
      precision.planned.size(),
      100 * precision.level_of_look,
      100 * precision.level);
  for (const PrecisionReport::Target& target : precision.targets) {
    text += fmt::format("  {}.{}: {}\n",
                        target.arm,
                        target.metric,
                        target.reached || std::isfinite(target.relative_half_width)
                            ? fmt::format("{:.2g}%", 100 * target.relative_half_width)
                            : target.why_not);
  }
  return text;
}

std::string explanation_text(const Explanation& explanation) {
  std::string text;
  if (explanation.amplified.count > 0) {
    text += fmt::format(
        "Amplified in {}: without retries and redelivery the same trigger passes.\n",
        probability_text(explanation.amplified));
  }
  if (explanation.no_surplus.count > 0) {
    text += fmt::format(
        "Stuck without retries and redelivery too in {}: there is no surplus to drain "
        "with.\n",
        probability_text(explanation.no_surplus));
  }
  if (text.empty()) {
    text = "Nothing to explain: no run is stuck.\n";
  }
  return text;
}

}  // namespace

std::string readable(double value) {
  if (std::isnan(value)) {
    return "-";
  }
  if (std::isinf(value)) {
    return "never";
  }
  if (std::abs(value) < 1000) {
    return fmt::format("{:.4g}", value);
  }
  if (std::abs(value) >= 999'999.5) {
    return std::abs(value) >= 999'999'999.5 ? fmt::format("{:.4g}e9", value / 1e9)
                                            : fmt::format("{:.4g}M", value / 1e6);
  }
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (std::size_t k = digits.size(); k > 3;) {
    k -= 3;
    digits.insert(k, ",");
  }
  return value < 0 ? "-" + digits : digits;
}

std::string readable_span(double seconds) {
  if (!std::isfinite(seconds)) {
    return readable(seconds);
  }
  if (seconds > 0 && seconds < 0.1) {
    return fmt::format("{:.3g} ms", seconds * 1e3);
  }
  if (seconds < 120) {
    return fmt::format("{:.3g} s", seconds);
  }
  if (seconds < 2 * 3600) {
    return fmt::format("{:.3g} min", seconds / 60);
  }
  return fmt::format("{:.3g} h", seconds / 3600);
}

std::string verdict_sentence(const Scenario& scenario, const CellResult& result) {
  const CellOutput& output = result.output;
  if (output.status == CellStatus::failed) {
    return "No verdict: " + output.message;
  }
  if (!output.has_verdict) {
    return "No verdict, since the scenario has no objective (objective.latency or "
           "producer.timeout).";
  }
  const CellVerdict& verdict = output.verdict;
  const Probability& leading = verdict.phases[static_cast<std::size_t>(verdict.phase)];
  std::string_view meaning = meaning_of(verdict.phase);
  if (verdict.phase == Phase::stable && scenario.system.incidents.empty()) {
    meaning = "healthy to the end";
  }
  return fmt::format("{}{}: {}, in {} of {} replications.",
                     name_of(verdict.phase),
                     verdict.decided ? "" : " (undecided)",
                     meaning,
                     leading.count,
                     verdict.replications);
}

std::string run_summary(const Scenario& scenario,
                        const std::vector<Arm>& arms,
                        const CellResult& result,
                        const SummaryStyle& style,
                        const RunStatistics& statistics) {
  const CellOutput& output = result.output;
  std::string sentence = verdict_sentence(scenario, result);
  if (output.has_verdict) {
    // The name of the phase stands out.
    const std::size_t end = sentence.find_first_of(" :");
    std::transform(
        sentence.begin(),
        sentence.begin() + static_cast<std::ptrdiff_t>(end),
        sentence.begin(),
        [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
    if (style.colour) {
      sentence.insert(end, "\x1b[0m");
      sentence.insert(0, "\x1b[1m");
    }
  }
  std::string text = fmt::format("{}: {} replication{}, seed {}, horizon {}\n\n{}\n",
                                 scenario.name,
                                 scenario.replications,
                                 scenario.replications == 1 ? "" : "s",
                                 scenario.seed,
                                 readable_span(to_seconds(scenario.system.horizon)),
                                 sentence);
  if (output.has_verdict) {
    text += "\n" + verdict_text(scenario, arms, output.verdict);
  }
  if (result.explanation) {
    text += explanation_text(*result.explanation);
  }
  text += "\n" + metric_table_text(arms, output.arms, statistics.single);
  if (statistics.single) {
    text += single_text(*statistics.single);
  }
  if (statistics.warmup) {
    text += warmup_text(*statistics.warmup);
  }
  if (statistics.precision) {
    text += precision_text(*statistics.precision);
  }
  if (!scenario.system.interventions.empty()) {
    text += intervention_text(output.arms[1]);
  }
  if (arms.size() > 1) {
    const double factor = variance_reduction(output, &Metrics::goodput_ratio);
    if (std::isfinite(factor)) {
      text += fmt::format(
          "Common random numbers: variance reduction factor {} (difference in goodput "
          "ratio).\n",
          readable(factor));
    }
  }
  const std::string lines =
      sparklines(scenario, output.arms[arms.size() > 1 ? 1 : 0], style);
  if (!lines.empty()) {
    text += fmt::format("\n{} arm, mean of the replications\n{}",
                        name_of(arms[arms.size() > 1 ? 1 : 0]),
                        lines);
  }
  return text;
}

}  // namespace basin
