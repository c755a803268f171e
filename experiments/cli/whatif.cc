#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/rescue_report.h"
#include "experiments/rescue_search.h"
#include "experiments/run_summary.h"
#include "experiments/units.h"

namespace basin {

namespace {

template <class Parse>
auto value_of(const Arguments& arguments, std::string_view option, Parse parse)
    -> std::optional<decltype(parse(std::string_view{}))> {
  const std::optional<std::string> text = arguments.text_of(option);
  if (!text) {
    return std::nullopt;
  }
  try {
    return parse(*text);
  } catch (const UnitError& error) {
    throw UsageError(fmt::format("--{}: {}", option, error.what()));
  }
}

Duration span_of(std::string_view text) {
  return parse_duration(text).span;
}

double share_between(double low, double high, std::string_view text) {
  const double share = parse_percentage(text);
  if (!(share >= low && share <= high)) {
    throw UnitError(fmt::format(
        "\"{}\" is out of range (expected {:g}% to {:g}%)", text, 100 * low, 100 * high));
  }
  return share;
}

// The end of the incidents and a hold; and how it was found.
std::pair<Duration, std::string> usual_time(const Scenario& scenario) {
  const std::optional<double> end = mean_end_of_incidents(scenario.system);
  if (!end) {
    throw UsageError("whatif needs --at: the scenario has no incident to act after");
  }
  if (!std::isfinite(*end)) {
    throw UsageError("whatif needs --at: an incident has no finite mean duration");
  }
  return {
      from_seconds(*end + scenario.objective->hold),
      fmt::format("{} after the last incident", readable_span(scenario.objective->hold))};
}

void check_time(const Scenario& scenario, Duration at) {
  if (at < scenario.system.warmup) {
    throw UsageError(fmt::format("--at {} lies in the warm-up (expected at least {})",
                                 format_duration(at),
                                 format_duration(scenario.system.warmup)));
  }
  const Duration latest = latest_judgeable(scenario);
  if (at > latest) {
    throw UsageError(fmt::format(
        "--at {} is too late for a recovery to be judged (expected at most {}: "
        "objective.hold and objective.tail come after it; or a longer "
        "simulation.horizon)",
        format_duration(at),
        format_duration(latest)));
  }
}

// The control is the same for everything that is tried: it is run once a replication.
Simulate remembering_controls(Simulate simulate) {
  struct Memory {
    std::mutex mutex;
    std::map<std::uint64_t, RunResult> by_replication;
  };
  return [simulate = std::move(simulate), memory = std::make_shared<Memory>()](
             const SystemConfig& config, const RandomKey& key, const RunLimits& limits) {
    if (is_disturbed(config)) {
      return simulate(config, key, limits);
    }
    {
      const std::lock_guard lock{memory->mutex};
      const auto known = memory->by_replication.find(key.replication);
      if (known != memory->by_replication.end()) {
        return known->second;
      }
    }
    RunResult result = simulate(config, key, limits);
    const std::lock_guard lock{memory->mutex};
    memory->by_replication.emplace(key.replication, result);
    return result;
  };
}

}  // namespace

int whatif_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  RescueQuestion question{.scenario = scenario_of(arguments, "whatif")};
  Scenario& scenario = question.scenario;
  if (!scenario.objective) {
    throw UsageError(
        "whatif needs to know what success is (objective.latency or producer.timeout)");
  }
  if (arguments.explain || arguments.trajectories_given) {
    throw UsageError("whatif has no use for --explain and --trajectories");
  }
  if (scenario.solver == Solver::fluid) {
    throw UsageError(
        "whatif tries interventions, which are not in the fluid limit; take --solver event");
  }
  if (!scenario.axes.empty()) {
    if (!arguments.quiet) {
      complain(fmt::format("note: {} has axes that whatif leaves aside", scenario.name));
    }
    scenario.axes.clear();
  }
  question.precision = value_of(arguments, "precision", [](std::string_view text) {
                         return share_between(0.001, 0.5, text);
                       }).value_or(question.precision);
  question.probability = value_of(arguments, "probability", [](std::string_view text) {
                           return share_between(0.01, 1, text);
                         }).value_or(question.probability);
  std::string why_then;
  if (const auto at = value_of(arguments, "at", span_of)) {
    question.at = *at;
  } else {
    std::tie(question.at, why_then) = usual_time(scenario);
  }
  check_time(scenario, question.at);
  const double left = to_seconds(scenario.system.horizon - question.at);
  question.rto = value_of(arguments, "rto", [](std::string_view text) {
                   const double rto = parse_duration(text).seconds;
                   if (rto == 0) {
                     throw UnitError("\"" + std::string{text} + "\" is not above zero");
                   }
                   return rto;
                 }).value_or(scenario.objective->recovery_time.value_or(left));
  if (question.rto > left && !arguments.quiet) {
    complain(
        fmt::format("note: the horizon ends {} after operators act; what takes longer "
                    "counts as not back",
                    readable_span(left)));
  }

  RunnerOptions options = runner_options(arguments);
  options.simulate = remembering_controls(std::move(options.simulate));
  options.explain = false;
  options.trajectories = TrajectoriesToKeep::none;
  const std::unique_ptr<Progress> progress = make_progress(arguments.progress, stderr);
  try {
    const RescueAnswer answer =
        search_rescue(question, [&](const std::vector<Scenario>& candidates) {
          std::vector<CellResult> cells = run_on_terminal(candidates, options, *progress);
          progress->clear();
          return cells;
        });
    print(arguments.json ? rescue_json(question, answer)
                         : rescue_text(question, answer, why_then));
  } catch (const RescueFailed& failed) {
    complain(failed.what());
    return exit_some_failed;
  }
  return exit_done;
}

}  // namespace basin
