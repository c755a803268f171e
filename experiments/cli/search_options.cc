#include "experiments/cli/search_options.h"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "analysis/no_answer.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/units.h"

namespace basin {

namespace {

// Options that are read as if by --sweep say so in their messages.
std::string renamed(std::string text) {
  constexpr std::string_view option = "--sweep #1";
  if (const std::size_t at = text.find(option); at != std::string::npos) {
    text.replace(at, option.size(), "--over");
  }
  return text;
}

}  // namespace

Scenario searched_scenario(const Arguments& arguments, const char* verb) {
  if (!arguments.overrides.sweep.empty()) {
    throw UsageError(std::string{verb} + " takes no --sweep");
  }
  Scenario scenario = scenario_of(arguments, verb);
  if (!scenario.axes.empty() && !arguments.quiet) {
    complain(fmt::format("note: {} has axes that {} leaves aside", scenario.name, verb));
  }
  scenario.axes.clear();
  note_certainty(scenario, arguments);
  return scenario;
}

double percent_option(const Arguments& arguments,
                      std::string_view name,
                      double fallback) {
  const std::optional<std::string> text = arguments.text_of(name);
  if (!text) {
    return fallback;
  }
  const bool percent = text->ends_with('%');
  try {
    const double value = parse_number(text->substr(0, text->size() - (percent ? 1 : 0)));
    return percent ? value / 100 : value;
  } catch (const UnitError&) {
    throw UsageError(
        fmt::format("--{} takes a number such as 1% or 0.01, not '{}'", name, *text));
  }
}

std::int64_t count_option(const Arguments& arguments,
                          std::string_view name,
                          std::int64_t fallback) {
  const std::optional<std::string> text = arguments.text_of(name);
  if (!text) {
    return fallback;
  }
  std::int64_t value = 0;
  try {
    value = parse_whole(*text);
  } catch (const UnitError&) {
    value = 0;
  }
  if (value < 1 || value > 1'000'000) {
    throw UsageError(fmt::format(
        "--{} takes a whole number from 1 to 1000000, not '{}'", name, *text));
  }
  return value;
}

int run_search(const Arguments& arguments,
               const std::function<std::size_t()>& expected_runs,
               const std::function<SearchReport(const RunScenarios&)>& search) {
  RunnerOptions options = runner_options(arguments);
  options.trajectories = TrajectoriesToKeep::none;
  options.explain = false;
  const std::unique_ptr<Progress> bar = make_progress(arguments.progress, stderr);
  try {
    SearchProgress progress{*bar, expected_runs()};
    const SearchReport report =
        search([&](const std::vector<Scenario>& scenarios, std::size_t first) {
          options.first_replication = first;
          return run_on_terminal(scenarios, options, progress);
        });
    bar->clear();
    if (!arguments.quiet) {
      for (const std::string& caution : report.cautions) {
        complain("note: " + caution);
      }
    }
    print(arguments.json ? report.json : report.text);
  } catch (const NoAnswer& error) {
    bar->clear();
    throw UsageError(error.what());
  } catch (const ScenarioError& error) {
    bar->clear();
    throw UsageError(renamed(error.what()));
  } catch (const SearchError& error) {
    bar->clear();
    complain(error.what());
    return exit_some_failed;
  } catch (const StoppedBySignal&) {
    bar->clear();
    throw;
  }
  return exit_done;
}

}  // namespace basin
