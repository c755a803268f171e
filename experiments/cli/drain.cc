#include <optional>
#include <string>

#include <fmt/format.h>

#include "analysis/no_answer.h"
#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/drain_report.h"
#include "experiments/units.h"

namespace basin {

namespace {

double parse_span(std::string_view text) {
  return parse_duration(text).seconds;
}

double parse_positive_span(std::string_view text) {
  const double seconds = parse_span(text);
  if (seconds == 0) {
    throw UnitError("\"" + std::string{text} +
                    "\" is not above zero (expected a duration such as \"30s\")");
  }
  return seconds;
}

double parse_retries(std::string_view text) {
  const double retries = parse_number(text);
  if (retries < 0) {
    throw UnitError("\"" + std::string{text} +
                    "\" is negative (expected a mean number of retries such as 0.25)");
  }
  return retries;
}

double parse_bump(std::string_view text) {
  const double fraction = parse_percentage(text);
  if (fraction < -1) {
    throw UnitError("\"" + std::string{text} +
                    "\" takes away more than all arrivals (expected at least -100%)");
  }
  return fraction;
}

double parse_steps(std::string_view text) {
  const double steps = parse_count(text);
  if (steps < 1) {
    throw UnitError("\"" + std::string{text} + "\" is too few (expected at least 1)");
  }
  return steps;
}

std::optional<double> value_of(const Arguments& arguments,
                               std::string_view option,
                               double (*parse)(std::string_view)) {
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

DrainValues values_of(const Arguments& arguments) {
  const auto value = [&](std::string_view option, double (*parse)(std::string_view)) {
    return value_of(arguments, option, parse);
  };
  return {.arrival_rate = value("arrival-rate", parse_rate),
          .consumers = value("consumers", parse_count),
          .service_rate = value("service-rate", parse_rate),
          .backlog = value("backlog", parse_count),
          .recovery_time = value("rto", parse_positive_span),
          .wait_objective = value("sla", parse_span),
          .time_to_live = value("ttl", parse_positive_span),
          .bump = value("bump", parse_bump),
          .accumulation = value("accumulation", parse_rate),
          .lost_consumers = value("lost-consumers", parse_count),
          .incident = value("incident", parse_span),
          .provisioning_lag = value("provisioning-lag", parse_span),
          .retries_per_timeout = value("retries-per-timeout", parse_retries),
          .timeout = value("timeout", parse_positive_span),
          .steps = value("steps", parse_steps)};
}

void expect_a_flow(const Arguments& arguments, const DrainValues& values) {
  std::string missing;
  const auto check = [&](bool there, const char* text) {
    if (!there) {
      missing += (missing.empty() ? "" : ", ") + std::string{text};
    }
  };
  check(values.arrival_rate.has_value(), "--arrival-rate (such as 10k/s)");
  check(values.consumers.has_value(), "--consumers (such as 32)");
  check(values.service_rate.has_value(), "--service-rate (of one, such as 400/s)");
  if (!missing.empty()) {
    throw UsageError("drain needs a scenario, or else " + missing);
  }
  if (!arguments.overrides.set.empty() || !arguments.overrides.sweep.empty()) {
    throw UsageError("--set, --sweep, --seed and --replications need a scenario");
  }
}

DrainProblem problem_of(const Arguments& arguments) {
  const DrainValues values = values_of(arguments);
  if (values.accumulation && values.lost_consumers) {
    throw UsageError("--accumulation and --lost-consumers say the same; give one");
  }
  std::optional<Scenario> scenario;
  if (arguments.words.empty()) {
    expect_a_flow(arguments, values);
  } else {
    scenario = scenario_of(arguments, "drain");
    if (!scenario->axes.empty()) {
      complain(fmt::format("note: {} has axes that drain leaves aside", scenario->name));
    }
  }
  DrainProblem problem = drain_problem(scenario ? &*scenario : nullptr, values);
  if (values.retries_per_timeout && !problem.timeout) {
    throw UsageError("--retries-per-timeout needs --timeout (such as 30s)");
  }
  return problem;
}

}  // namespace

int drain_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  try {
    const DrainProblem problem = problem_of(arguments);
    const DrainAnswers answers = answer(problem);
    print(arguments.json ? drain_json(problem, answers) : drain_text(problem, answers));
  } catch (const NoAnswer& error) {
    throw UsageError(error.what());
  }
  return exit_done;
}

}  // namespace basin
