#include "experiments/sensitivity_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/contract.h"
#include "experiments/grid.h"
#include "experiments/json_parts.h"
#include "experiments/scenario_source.h"

namespace basin {
namespace {

struct Input {
  std::string key;
  std::vector<std::string> with;
  std::size_t axis = 0;
  const std::vector<double>* values = nullptr;  // by the axis's index
};

std::vector<Input> inputs_of(const std::vector<Axis>& axes) {
  std::vector<Input> inputs;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].key == point_axis) {
      for (const AxisKey& key : axes[axis].with) {
        inputs.push_back(
            {.key = key.key, .with = {}, .axis = axis, .values = &key.si_values});
      }
      continue;
    }
    inputs.push_back({.key = axes[axis].key,
                      .with = {},
                      .axis = axis,
                      .values = &axes[axis].si_values});
    for (const AxisKey& key : axes[axis].with) {
      inputs.back().with.push_back(key.key);
    }
  }
  return inputs;
}

// The place among the values, so that a word such as none, which is infinite, is one too.
std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<double> result;
  for (const double value : values) {
    result.push_back(
        static_cast<double>(std::ranges::lower_bound(sorted, value) - sorted.begin()));
  }
  return result;
}

bool is_sample(const Scenario& scenario) {
  const ScenarioSource* source = scenario.document.source.get();
  const SourceNode* sweep = source == nullptr ? nullptr : source->root.find("sweep");
  return sweep == nullptr || sweep->find("points") == nullptr;
}

// 0.62 of the largest length; nothing below a half of a mark.
std::string bar(double share) {
  constexpr double longest = 30;
  const double marks = std::round(std::clamp(share, 0.0, 1.0) * longest);
  return marks < 1 ? "" : "  " + std::string(static_cast<std::size_t>(marks), '#');
}

}  // namespace

bool has_points(const std::vector<Axis>& axes) {
  return std::ranges::any_of(axes,
                             [](const Axis& axis) { return axis.key == point_axis; });
}

SensitivityReport sensitivity_of(const Scenario& scenario,
                                 std::span<const double> recovery) {
  const Grid grid(scenario.axes);
  BASIN_EXPECT(recovery.size() == grid.size());
  SensitivityReport report;
  report.is_sample = is_sample(scenario);
  const std::vector<Input> inputs = inputs_of(scenario.axes);
  std::vector<std::vector<double>> by_index;
  for (const Input& input : inputs) {
    by_index.push_back(ranks(*input.values));
  }
  std::vector<std::vector<double>> values(inputs.size());
  std::vector<double> output;
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    if (std::isnan(recovery[cell])) {
      report.has_gaps = true;
      continue;
    }
    output.push_back(recovery[cell]);
    const std::vector<std::size_t> indices = grid.indices_of(cell);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      values[i].push_back(by_index[i][indices[inputs[i].axis]]);
    }
  }
  report.points = output.size();
  report.rest = 1;
  try {
    const std::vector<SensitivityIndex> found = first_order_sensitivity(values, output);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      report.rows.push_back(
          {.key = inputs[i].key, .with = inputs[i].with, .index = found[i]});
      report.rest -= std::max(found[i].estimate, 0.0);
    }
  } catch (const NoSensitivity& reason) {
    report.why_none = reason.what();
  }
  std::ranges::stable_sort(
      report.rows, std::greater<>{}, [](const auto& row) { return row.index.estimate; });
  return report;
}

std::string sensitivity_text(const SensitivityReport& report) {
  if (!report.why_none.empty()) {
    return "Sensitivity of recovery: none, since " + report.why_none + "\n";
  }
  std::size_t width = std::string_view("no key alone").size();
  for (const SensitivityReport::Row& row : report.rows) {
    width = std::max(width, row.key.size());
  }
  std::string text = fmt::format(
      "Sensitivity of recovery over {} points: the share of its variance that each key "
      "explains\nby itself (95% interval)\n\n",
      report.points);
  for (const SensitivityReport::Row& row : report.rows) {
    if (row.index.is_constant) {
      text += fmt::format("  {:<{}}  the same in all points\n", row.key, width);
      continue;
    }
    const double share = std::clamp(row.index.estimate, 0.0, 1.0);
    text += fmt::format("  {:<{}}  {:.2f}  ({:.2f} to {:.2f}){}\n",
                        row.key,
                        width,
                        share,
                        row.index.interval.low,
                        row.index.interval.high,
                        bar(share));
    for (const std::string& key : row.with) {
      text += fmt::format("    with {}, which moves with it\n", key);
    }
  }
  text += fmt::format("  {:<{}}  {:.2f}  keys together, and chance\n",
                      "no key alone",
                      width,
                      std::max(report.rest, 0.0));
  if (!report.is_sample || report.has_gaps) {
    text += fmt::format(
        "\nThe keys are not spread independently ({}): what one explains may be "
        "another's.\n",
        report.has_gaps ? "cells were left out or have no result" : "points of a file");
  }
  return text;
}

std::string sensitivity_json(const SensitivityReport& report) {
  const bool is_known = report.why_none.empty();
  Json json = {{"points", report.points},
               {"method", "first order, variance between groups of neighbours"},
               {"independent", report.is_sample && !report.has_gaps},
               {"keys", Json::array()},
               {"rest", is_known ? Json(report.rest) : Json(nullptr)},
               {"reason", is_known ? Json(nullptr) : Json(report.why_none)}};
  for (const SensitivityReport::Row& row : report.rows) {
    const bool is_constant = row.index.is_constant;
    Json one = {{"key", row.key},
                {"with", row.with},
                {"first_order", is_constant ? Json(nullptr) : Json(row.index.estimate)},
                {"low", is_constant ? Json(nullptr) : Json(row.index.interval.low)},
                {"high", is_constant ? Json(nullptr) : Json(row.index.interval.high)}};
    json["keys"].push_back(std::move(one));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace basin
