#include "experiments/theory_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace basin {

namespace {

using Json = nlohmann::ordered_json;

// One value a replication, NaN where there is none.
std::vector<double> measured(const std::string& metric,
                             const std::vector<ArmRecord>& records) {
  std::vector<double> values;
  for (const ArmRecord& record : records) {
    if (!record.present) {
      continue;
    }
    if (metric == "recovery_time") {
      values.push_back(record.recovery_time);
    } else if (metric == "drain_time") {
      values.push_back(record.drain_time);
    } else {
      const auto* info = std::find_if(
          metric_table.begin(), metric_table.end(), [&](const MetricInfo& one) {
            return one.name == metric;
          });
      values.push_back(record.metrics.*info->member);
    }
  }
  return values;
}

bool lies_outside(double value, const MeanEstimate& estimate) {
  // A mean without spread is compared up to the rounding of sums.
  const double slack = 1e-9 * std::abs(estimate.mean);
  return value < estimate.low - slack || value > estimate.high + slack;
}

std::string value_text(const TheoryValue& value) {
  if (value.unit == "s") {
    return readable_span(value.value);
  }
  if (value.unit == "1/s") {
    return readable(value.value) + "/s";
  }
  return readable(value.value);
}

std::string interval_text(const TheoryValue& value, const MeanEstimate& estimate) {
  if (value.unit == "s") {
    return fmt::format("{} ({} to {})",
                       readable_span(estimate.mean),
                       readable_span(estimate.low),
                       readable_span(estimate.high));
  }
  return fmt::format("{} ({} to {})",
                     readable(estimate.mean),
                     readable(estimate.low),
                     readable(estimate.high));
}

bool raises_alarm(const TheoryForm& form, const TheoryValue& value) {
  return form.standing == Standing::exact && !value.is_quantile;
}

// What becomes of a comparison, in words; empty where they agree.
std::string mark_of(const TheoryForm& form,
                    const TheoryValue& value,
                    const Comparison& comparison) {
  if (!comparison.excluded) {
    return "";
  }
  if (raises_alarm(form, value)) {
    return comparison.excluded_beyond_chance ? "!! EXCLUDED, beyond chance"
                                             : "! EXCLUDED at 95%";
  }
  if (comparison.simulated.mean == 0) {
    return "differs";
  }
  return fmt::format("{:+.1f}%", 100 * (value.value / comparison.simulated.mean - 1));
}

// Breaks at blanks; further lines are indented.
std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::string result(indent, ' ');
  std::size_t used = indent;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (used > indent && used + 1 + word.size() > columns) {
      result += "\n" + std::string(indent, ' ');
      used = indent;
    }
    if (used > indent) {
      result += ' ';
      ++used;
    }
    result += word;
    used += word.size();
    begin = end + 1;
  }
  return result + "\n";
}

std::string form_text(const TheoryForm& form,
                      const std::vector<Arm>& arms,
                      const CellResult* result,
                      std::size_t columns) {
  std::string text =
      wrapped(fmt::format("{}: {} ({})", form.name, form.subject, name_of(form.standing)),
              columns,
              0);
  for (const TheoryValue& value : form.values) {
    std::string line = fmt::format("  {:<33}{:>11}", value.quantity, value_text(value));
    if (result != nullptr) {
      const std::optional<Comparison> comparison = compare_with(value, arms, *result);
      if (comparison) {
        line += fmt::format("  {}", interval_text(value, comparison->simulated));
        const std::string mark = mark_of(form, value, *comparison);
        if (!mark.empty()) {
          line += "  " + mark;
        }
      }
    }
    text += line + "\n";
  }
  for (const std::string& note : form.notes) {
    text += wrapped(note, columns, 2);
  }
  return text;
}

std::string closing_text(const Exclusions& exclusions) {
  if (exclusions.compared == 0) {
    return "The simulation measures none of the exact values above.\n";
  }
  if (exclusions.excluded == 0) {
    return fmt::format(
        "Simulation and exact theory agree: all {} exact values lie within the 95% "
        "intervals.\n",
        exclusions.compared);
  }
  if (exclusions.beyond_chance == 0) {
    return fmt::format(
        "{} of {} exact values lie outside of the simulation's 95% intervals, all within "
        "those\nof 99.9%: one in twenty does so by chance.\n",
        exclusions.excluded,
        exclusions.compared);
  }
  return fmt::format(
      "!! THEORY AND SIMULATION DISAGREE: {} of {} exact values lie outside of the "
      "simulation's\n!! intervals beyond chance (99.9%). Is the warm-up long enough? The "
      "forms are those of\n!! the steady state; if it is, please report this as a bug.\n",
      exclusions.beyond_chance,
      exclusions.compared);
}

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json value_json(const TheoryForm& form,
                const TheoryValue& value,
                const std::vector<Arm>& arms,
                const CellResult* result) {
  Json json = {{"quantity", value.quantity},
               {"unit", value.unit},
               {"value", number(value.value)},
               {"infinite", std::isinf(value.value)}};
  if (value.metric.empty()) {
    return json;
  }
  json["metric"] = value.metric;
  json["arm"] = name_of(value.arm);
  if (result == nullptr) {
    return json;
  }
  json["simulated"] = nullptr;
  if (const std::optional<Comparison> comparison = compare_with(value, arms, *result)) {
    json["simulated"] = {
        {"mean", number(comparison->simulated.mean)},
        {"low", number(comparison->simulated.low)},
        {"high", number(comparison->simulated.high)},
        {"excludes_theory", comparison->excluded},
        {"excludes_theory_at_99_9", comparison->excluded_beyond_chance},
        {"alarm", raises_alarm(form, value) && comparison->excluded_beyond_chance}};
  }
  return json;
}

}  // namespace

std::optional<Comparison> compare_with(const TheoryValue& value,
                                       const std::vector<Arm>& arms,
                                       const CellResult& result) {
  const auto arm = std::find(arms.begin(), arms.end(), value.arm);
  if (value.metric.empty() || arm == arms.end() || result.output.arms.empty()) {
    return std::nullopt;
  }
  const std::vector<double> values = measured(
      value.metric, result.output.arms[static_cast<std::size_t>(arm - arms.begin())]);
  const MeanEstimate estimate = mean_estimate(values);
  if (values.size() < 2 || !std::isfinite(estimate.mean) ||
      !std::isfinite(estimate.low)) {
    return std::nullopt;
  }
  return Comparison{
      .simulated = estimate,
      .excluded = lies_outside(value.value, estimate),
      .excluded_beyond_chance = lies_outside(value.value, mean_estimate(values, 0.999))};
}

Exclusions exact_exclusions(const std::vector<TheoryForm>& forms,
                            const std::vector<Arm>& arms,
                            const CellResult& result) {
  Exclusions exclusions;
  for (const TheoryForm& form : forms) {
    for (const TheoryValue& value : form.values) {
      if (!raises_alarm(form, value)) {
        continue;
      }
      if (const auto comparison = compare_with(value, arms, result)) {
        ++exclusions.compared;
        exclusions.excluded += comparison->excluded ? 1U : 0U;
        exclusions.beyond_chance += comparison->excluded_beyond_chance ? 1U : 0U;
      }
    }
  }
  return exclusions;
}

std::string theory_text(const Scenario& scenario,
                        const std::vector<TheoryForm>& forms,
                        const std::vector<Arm>& arms,
                        const CellResult* result,
                        const SummaryStyle& style) {
  const std::size_t columns = std::clamp<std::size_t>(style.columns, 60, 120);
  std::string text = scenario.name + ": what theory says";
  if (result != nullptr) {
    text += fmt::format(
        ", beside the simulation's mean and 95% interval ({} replications, "
        "seed {})",
        scenario.replications,
        scenario.seed);
  }
  text += "\n";
  for (const TheoryForm& form : forms) {
    if (form.applies()) {
      text += "\n" + form_text(form, arms, result, columns);
    }
  }
  std::string others;
  for (const TheoryForm& form : forms) {
    if (!form.applies()) {
      others += wrapped(fmt::format("{}: {}", form.name, form.why_not), columns, 2);
    }
  }
  if (!others.empty()) {
    text += "\nDoes not apply\n" + others;
  }
  if (result != nullptr) {
    text += "\n" + closing_text(exact_exclusions(forms, arms, *result));
  }
  return text;
}

std::string theory_json(const Scenario& scenario,
                        const std::vector<TheoryForm>& forms,
                        const std::vector<Arm>& arms,
                        const CellResult* result) {
  Json json = {{"verb", "theory"},
               {"scenario", scenario.name},
               {"simulated", result != nullptr},
               {"seed", scenario.seed},
               {"replications", scenario.replications},
               {"forms", Json::array()}};
  for (const TheoryForm& form : forms) {
    Json one = {{"name", form.name},
                {"subject", form.subject},
                {"source", form.source},
                {"standing", name_of(form.standing)},
                {"applies", form.applies()},
                {"why_not", form.applies() ? Json(nullptr) : Json(form.why_not)},
                {"notes", form.notes},
                {"values", Json::array()}};
    for (const TheoryValue& value : form.values) {
      one["values"].push_back(value_json(form, value, arms, result));
    }
    json["forms"].push_back(std::move(one));
  }
  if (result != nullptr) {
    const Exclusions exclusions = exact_exclusions(forms, arms, *result);
    json["exact_values"] = {{"compared", exclusions.compared},
                            {"outside_95", exclusions.excluded},
                            {"outside_99_9", exclusions.beyond_chance}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace basin
