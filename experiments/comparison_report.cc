#include "experiments/comparison_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/time.h"
#include "experiments/run_summary.h"

namespace basin {

namespace {

struct Row {
  std::string_view label;
  double Metrics::*metric;
  std::string_view unit;
};
// What matters first: what callers see, then what it costs, then the queue.
constexpr Row rows[] = {
    {"goodput ratio", &Metrics::goodput_ratio, ""},
    {"goodput", &Metrics::goodput, "/s"},
    {"latency mean", &Metrics::mean_latency, "s"},
    {"latency 50%", &Metrics::latency_p50, "s"},
    {"latency 99%", &Metrics::latency_p99, "s"},
    {"failed", &Metrics::failed_rate, "/s"},
    {"waste", &Metrics::waste_rate, "/s"},
    {"base", &Metrics::base_rate, "/s"},
    {"effective", &Metrics::effective_rate, "/s"},
    {"retries", &Metrics::retry_rate, "/s"},
    {"redelivered", &Metrics::redelivery_rate, "/s"},
    {"dead letters", &Metrics::dead_letter_rate, "/s"},
    {"expired", &Metrics::expired_rate, "/s"},
    {"refused", &Metrics::rejected_rate, "/s"},
    {"throughput", &Metrics::throughput, "/s"},
    {"wait mean", &Metrics::mean_wait, "s"},
    {"mean depth", &Metrics::mean_depth, ""},
    {"peak depth", &Metrics::peak_depth, ""},
    {"in flight", &Metrics::mean_in_flight, ""},
    {"utilization", &Metrics::utilization, ""},
};

constexpr std::size_t label_columns = 18;
constexpr std::size_t value_columns = 10;
constexpr std::size_t difference_columns = 32;
constexpr std::size_t verdict_label_columns = 20;
constexpr std::size_t verdict_columns = 30;

const PairedDifference& difference_of(const ComparedArms& arms, double Metrics::*metric) {
  const auto* const found =
      std::find_if(metric_table.begin(), metric_table.end(), [&](const MetricInfo& info) {
        return info.member == metric;
      });
  return arms.metrics[static_cast<std::size_t>(found - metric_table.begin())];
}

// Three digits are what an interval needs.
std::string short_number(double value) {
  if (std::abs(value) >= 1000 || !std::isfinite(value)) {
    return readable(value);
  }
  return fmt::format("{:.3g}", value);
}

std::string with_sign(double value) {
  return (value > 0 ? "+" : "") + short_number(value);
}

std::string difference_text(const MeanEstimate& difference, double scale) {
  std::string text = with_sign(difference.mean * scale);
  if (!std::isnan(difference.low)) {
    text += fmt::format(" ({} to {})",
                        short_number(difference.low * scale),
                        short_number(difference.high * scale));
  }
  return text;
}

std::string factor_text(double factor) {
  if (std::isnan(factor)) {
    return "-";
  }
  return factor > 999'999 ? ">1M" : short_number(factor);
}

bool has_nothing(const PairedDifference& difference) {
  return difference.missing == difference.pairs ||
         (difference.is_identical && difference.first.mean == 0);
}

std::string row_text(const Row& row, const PairedDifference& difference) {
  double scale = 1;
  std::string label{row.label};
  if (row.unit == "s") {
    const auto is_short = [](double mean) { return !std::isfinite(mean) || mean < 0.1; };
    const bool all_short =
        is_short(difference.first.mean) && is_short(difference.second.mean) &&
        (std::isfinite(difference.first.mean) || std::isfinite(difference.second.mean));
    scale = all_short ? 1e3 : 1;
    label += all_short ? ", ms" : ", s";
  } else {
    label += row.unit.empty() ? "" : fmt::format(", {}", row.unit);
  }
  const std::string why = why_undefined(difference);
  const std::string text =
      why.empty() ? difference_text(difference.difference, scale) : why;
  std::string line = fmt::format("{} {:<{}}{:>{}}{:>{}}  {:<{}}",
                                 difference.excludes_zero ? '*' : ' ',
                                 label,
                                 label_columns - 2,
                                 readable(difference.first.mean * scale),
                                 value_columns,
                                 readable(difference.second.mean * scale),
                                 value_columns,
                                 text,
                                 difference_columns);
  if (why.empty()) {
    line += " " + factor_text(difference.variance_reduction);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

// "…, …, …" in lines of at most 80 columns, the later ones indented.
std::string wrapped(std::string_view first, const std::vector<std::string>& words) {
  std::string text{first};
  std::size_t columns = text.size();
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string word = words[k] + (k + 1 < words.size() ? "," : ".");
    if (columns + 1 + word.size() > 80) {
      text += "\n ";
      columns = 1;
    }
    text += " " + word;
    columns += 1 + word.size();
  }
  return text + "\n";
}

std::string arms_text(const ComparedArms& arms, std::int64_t replications) {
  const std::string title =
      arms.of_a == arms.of_b
          ? fmt::format("{} arm", name_of(arms.of_a))
          : fmt::format("{}, {}", name_of(arms.of_a), name_of(arms.of_b));
  if (arms.is_identical()) {
    return fmt::format("\n{}: every metric is the same in every replication.\n", title);
  }
  std::string text = fmt::format("\n{:<{}}{:>{}}{:>{}}  {:<{}} {}\n",
                                 title,
                                 label_columns,
                                 "A",
                                 value_columns,
                                 "B",
                                 value_columns,
                                 replications > 1 ? "B - A (95% interval)" : "B - A",
                                 difference_columns,
                                 "VRF");
  std::vector<std::string> same;
  for (const Row& row : rows) {
    const PairedDifference& difference = difference_of(arms, row.metric);
    if (has_nothing(difference)) {
      continue;
    }
    if (difference.is_identical) {
      same.emplace_back(
          fmt::format("{} {}{}",
                      row.label,
                      readable(difference.first.mean),
                      std::isfinite(difference.first.mean) && !row.unit.empty()
                          ? (row.unit == "s" ? " s" : std::string{row.unit})
                          : ""));
      continue;
    }
    text += row_text(row, difference);
  }
  if (!same.empty()) {
    text += wrapped("The same in every replication:", same);
  }
  return text;
}

std::string share_text(std::int64_t count, const CellVerdict& verdict) {
  const Interval interval = jeffreys_interval(count, verdict.replications);
  return fmt::format("{} of {} ({:.0f}% to {:.0f}%)",
                     count,
                     verdict.replications,
                     100 * interval.low,
                     100 * interval.high);
}

std::string span_text(double seconds) {
  return std::isnan(seconds)   ? "-"
         : std::isinf(seconds) ? "not reached"
                               : readable_span(seconds);
}

std::string verdict_row(std::string_view label, std::string_view a, std::string_view b) {
  std::string line =
      fmt::format("{:<{}}{:<{}}{}", label, verdict_label_columns, a, verdict_columns, b);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string phase_text(const CellVerdict& verdict) {
  return fmt::format("{}, {} of {}",
                     name_of(verdict.phase),
                     verdict.phases[static_cast<std::size_t>(verdict.phase)].count,
                     verdict.replications);
}

std::string within_text(const CellVerdict& verdict) {
  return verdict.within_rto ? share_text(verdict.within_rto->count, verdict) : "-";
}

std::string rto_text(const Scenario& scenario) {
  const std::optional<double> rto = scenario.objective->recovery_time;
  return rto ? readable_span(*rto) : "none";
}

std::string outcomes_text(std::string_view what, const PairedOutcomes& outcomes) {
  return fmt::format(
      "{}: both {}, A alone {}, B alone {}, neither {}.\n"
      "  B - A {:+.0f}% ({:.0f}% to {:.0f}%); exact sign test of the discordant pairs "
      "p = {:.2g}.\n",
      what,
      outcomes.both,
      outcomes.first_alone,
      outcomes.second_alone,
      outcomes.neither,
      100 * outcomes.difference,
      100 * outcomes.interval.low,
      100 * outcomes.interval.high,
      outcomes.p_value);
}

std::string signed_span(double seconds) {
  return (seconds < 0 ? "-" : "") + readable_span(std::abs(seconds));
}

std::string conditional_text(std::string_view what,
                             const ConditionalDifference& difference) {
  if (difference.pairs == 0) {
    return "";
  }
  std::string text = fmt::format("{} where both are finite ({} pair{}): B - A {}{}",
                                 what,
                                 difference.pairs,
                                 difference.pairs == 1 ? "" : "s",
                                 difference.difference.mean > 0 ? "+" : "",
                                 signed_span(difference.difference.mean));
  if (!std::isnan(difference.difference.low)) {
    text += fmt::format(" ({} to {})",
                        signed_span(difference.difference.low),
                        signed_span(difference.difference.high));
  }
  return text + ".\n";
}

std::string verdicts_text(const ComparisonReport& report) {
  if (!report.comparison.recovered) {
    return "\nNo verdicts to compare.\n";
  }
  const CellVerdict& a = report.a.result->output.verdict;
  const CellVerdict& b = report.b.result->output.verdict;
  const PairedOutcomes& recovered = *report.comparison.recovered;
  std::string text = "\n" + verdict_row("", "A", "B");
  text += verdict_row("phase", phase_text(a), phase_text(b));
  if (!a.decided || !b.decided) {
    text += verdict_row("decided", a.decided ? "yes" : "no", b.decided ? "yes" : "no");
  }
  text += verdict_row("recovered",
                      share_text(recovered.both + recovered.first_alone, a),
                      share_text(recovered.both + recovered.second_alone, b));
  if (a.within_rto || b.within_rto) {
    const std::string rto_of_a = rto_text(*report.a.scenario);
    const std::string rto_of_b = rto_text(*report.b.scenario);
    if (rto_of_a != rto_of_b) {
      text += verdict_row("RTO", rto_of_a, rto_of_b);
    }
    text += verdict_row(rto_of_a == rto_of_b ? "within " + rto_of_a : "within its RTO",
                        within_text(a),
                        within_text(b));
  }
  const auto quantiles = [&](std::string_view what,
                             std::array<double, 3> CellVerdict::*of) {
    const auto row = [&](std::string_view label, std::size_t quantile) {
      return verdict_row(
          label, span_text((a.*of)[quantile]), span_text((b.*of)[quantile]));
    };
    text += row(fmt::format("{}, 50%", what), 1) + row("  90% by", 2);
  };
  quantiles("recovery time", &CellVerdict::recovery_time);
  if (report.a.judged() > 0 || report.b.judged() > 0) {
    quantiles("drain time", &CellVerdict::drain_time);
  }
  text += outcomes_text("Recovered", recovered);
  if (report.comparison.within_rto) {
    text += outcomes_text("Within the RTO", *report.comparison.within_rto);
  }
  text += conditional_text("Recovery time", report.comparison.recovery_time);
  text += conditional_text("Drain time", report.comparison.drain_time);
  return text;
}

std::string changes_text(const ComparisonReport& report) {
  constexpr std::size_t most = 8;
  const std::vector<ChangedValue> changes =
      changed_values(*report.a.scenario, *report.b.scenario);
  if (changes.empty()) {
    return "  They are the same scenario.\n";
  }
  const auto shown = [](const std::string& value) {
    return value.empty() ? std::string{"-"} : value;
  };
  std::string text;
  for (std::size_t k = 0; k < std::min(changes.size(), most); ++k) {
    text += fmt::format("  {}: {} in A, {} in B\n",
                        changes[k].key,
                        shown(changes[k].a),
                        shown(changes[k].b));
  }
  if (changes.size() > most) {
    text += fmt::format("  and {} more values differ\n", changes.size() - most);
  }
  return text;
}

}  // namespace

std::string why_undefined(const PairedDifference& difference) {
  if (difference.is_defined) {
    return "";
  }
  if (difference.infinite_first > 0 || difference.infinite_second > 0) {
    return fmt::format("infinite: {} of {} in A, {} in B",
                       difference.infinite_first,
                       difference.pairs,
                       difference.infinite_second);
  }
  return fmt::format(
      "nothing to average in {} of {}", difference.missing, difference.pairs);
}

std::string comparison_text(const ComparisonReport& report) {
  const Scenario& a = *report.a.scenario;
  const std::string horizon_of_a = readable_span(to_seconds(a.system.horizon));
  const std::string horizon_of_b =
      readable_span(to_seconds(report.b.scenario->system.horizon));
  std::string text = fmt::format(
      "A: {}\nB: {}\n{}{} replication{} of each, seed {}, the "
      "same random numbers; horizon {}\n",
      report.name_of_a,
      report.name_of_b,
      changes_text(report),
      a.replications,
      a.replications == 1 ? "" : "s",
      a.seed,
      horizon_of_a == horizon_of_b ? horizon_of_a : horizon_of_a + ", " + horizon_of_b);
  text += verdicts_text(report);
  // The judged arms first.
  std::vector<const ComparedArms*> ordered;
  for (const ComparedArms& arms : report.comparison.arms) {
    ordered.push_back(&arms);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* x, const auto* y) {
    const auto rank = [](const ComparedArms& arms) {
      return arms.of_a != arms.of_b          ? 0
             : arms.of_a == Arm::triggered   ? 1
             : arms.of_a == Arm::unamplified ? 2
                                             : 3;
    };
    return rank(*x) < rank(*y);
  });
  for (const ComparedArms* arms : ordered) {
    text += arms_text(*arms, a.replications);
  }
  text +=
      "\nVRF: factor by which the common random numbers shrink the variance of B - A.\n";
  if (a.replications > 1) {
    text +=
        "* marks an interval without zero; each holds for itself, and of twenty such\n"
        "intervals one misses its value by chance.\n";
  }
  return text;
}

}  // namespace basin
