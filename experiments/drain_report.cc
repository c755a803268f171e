#include "experiments/drain_report.h"

#include <string_view>

#include <fmt/format.h>

#include "experiments/drain_plan_text.h"
#include "experiments/drain_words.h"

namespace basin {

namespace {

std::string span_or_never(const Answer& answer) {
  return answer.is_finite() ? span_text(answer.value) : "never: " + answer.why_infinite;
}

std::string flow_rows(const DrainProblem& problem, const DrainAnswers& answers) {
  const Flow& flow = problem.flow;
  std::string surplus = rate_text(answers.surplus);
  if (answers.surplus <= 0 && answers.consumers_to_drain.is_finite()) {
    surplus += fmt::format("; it takes {} to have one",
                           plural(answers.consumers_to_drain.value, "consumer"));
  }
  return row("arrivals", rate_text(flow.arrival_rate)) +
         row("capacity",
             fmt::format("{}: {} of {}{}",
                         rate_text(answers.capacity),
                         plural(flow.consumers, "consumer"),
                         rate_text(flow.service_rate),
                         flow.consumers == 1 ? "" : " each")) +
         row("utilization",
             answers.utilization.is_finite() ? percent_text(answers.utilization.value)
                                             : answers.utilization.why_infinite) +
         row("surplus", surplus);
}

std::string backlog_rows(const DrainProblem& problem, const DrainAnswers& answers) {
  if (!problem.backlog) {
    return {};
  }
  std::string text =
      row("backlog",
          count_text(*problem.backlog) +
              (problem.backlog_from.empty() ? "" : ", " + problem.backlog_from)) +
      row(answers.retries ? "drain, no retries" : "time to drain",
          span_or_never(*answers.drain_time));
  if (*problem.backlog > 0) {
    const Answer& draining = *answers.draining_wait;
    const Answer& steady = *answers.steady_wait;
    std::string wait = "never: " + draining.why_infinite;
    if (draining.is_finite()) {
      wait = span_text(draining.value) + " with all consumers at work";
      if (steady.is_finite()) {
        wait += "; " + span_text(steady.value) + " if depth stays";
      }
    }
    text += row("wait at the back", wait);
  }
  return text;
}

std::string retry_rows(const DrainProblem& problem, const DrainAnswers& answers) {
  if (!answers.retries) {
    return {};
  }
  const RetryOutlook& outlook = *answers.retries;
  std::string text = row("with retries",
                         fmt::format("{} for each attempt that waits {} in vain",
                                     count_text(*problem.retries_per_timeout),
                                     span_text(*problem.timeout))) +
                     row("  time to drain",
                         outlook.steps_to_drain.is_finite()
                             ? fmt::format("{} ({} steps of 1 s)",
                                           span_text(outlook.steps_to_drain.value),
                                           count_text(outlook.steps_to_drain.value))
                             : "never: " + outlook.steps_to_drain.why_infinite);
  std::string critical = "none: without a surplus it drains not even without retries";
  std::string depth = "none: without a surplus no backlog drains";
  if (answers.surplus > 0) {
    critical = outlook.critical_retries.is_finite()
                   ? count_text(outlook.critical_retries.value) +
                         ": from there on this backlog does not drain"
                   : "none: " + outlook.critical_retries.why_infinite;
    const Answer& any = outlook.critical_retries_at_any_depth;
    if (any.is_finite() && outlook.critical_retries.is_finite() &&
        difference(any.value, outlook.critical_retries.value) != 0) {
      critical += fmt::format("; below {} any does", count_text(any.value));
    }
    depth = outlook.critical_depth.is_finite()
                ? count_text(outlook.critical_depth.value) +
                      ": from there on it does not drain; shed to below it"
                : "none: " + outlook.critical_depth.why_infinite;
  }
  text += row("  critical retries", critical);
  text += row("  critical backlog", depth);
  text += row("  arrivals",
              fmt::format("up to {}, when every attempt times out",
                          rate_text(outlook.saturated_arrival_rate)));
  text +=
      row("  peak",
          outlook.peak_depth > *problem.backlog
              ? fmt::format("{} after {} steps of 1 s ({}), and growing; {} one before",
                            count_text(outlook.peak_depth),
                            count_text(problem.steps),
                            span_text(problem.steps),
                            count_text(outlook.depth_before_last))
              : fmt::format("{}, at the start; {} after {} steps",
                            count_text(outlook.peak_depth),
                            count_text(outlook.final_depth),
                            count_text(problem.steps)));
  return text;
}

std::string alarm_and_bump_rows(const DrainProblem& problem,
                                const DrainAnswers& answers) {
  std::string text;
  if (answers.depth_at_objective) {
    text += row("alarm at a depth of",
                fmt::format("{}, a wait of {} (the SLA)",
                            count_text(*answers.depth_at_objective),
                            span_text(*problem.wait_objective)));
  }
  const Bump& bump = answers.bump;
  std::string effect = "surplus " + rate_text(bump.surplus);
  if (bump.surplus_change.is_finite()) {
    effect += fmt::format(" ({}{})",
                          bump.surplus_change.value > 0 ? "+" : "",
                          percent_text(bump.surplus_change.value));
  }
  if (problem.backlog) {
    const Answer& drain = plan_to_follow(answers).drain_time_after_bump;
    effect +=
        drain.is_finite() ? ", drains in " + span_text(drain.value) : ", never drains";
  }
  text +=
      row(fmt::format(
              "arrivals {}{}", problem.bump < 0 ? "" : "+", percent_text(problem.bump)),
          effect);
  if (answers.bump_to_zero && *answers.bump_to_zero > 0 && *answers.bump_to_zero < 100) {
    text += row("  no surplus left", "at +" + percent_text(*answers.bump_to_zero));
  }
  return text;
}

std::string missing_rows(const DrainProblem& problem) {
  std::string text;
  const auto missing =
      [&](bool is_missing, std::string_view flag, std::string_view what) {
        if (is_missing) {
          text += fmt::format("  {:<26} {}\n", flag, what);
        }
      };
  const bool retries = problem.retries_per_timeout && problem.timeout;
  missing(!problem.backlog, "--backlog 3.6M", "time to drain (or --incident 10min)");
  missing(!problem.recovery_time,
          "--rto 30min",
          "consumers needed, longest incident that fits");
  missing(problem.recovery_time && problem.accumulation_assumed,
          "--lost-consumers 15",
          "incidents milder than all consumers gone");
  missing(!problem.wait_objective, "--sla 10s", "the depth to alarm on");
  missing(!problem.time_to_live, "--ttl 10min", "shed or drain");
  missing(problem.recovery_time && !problem.provisioning_lag,
          "--provisioning-lag 5min",
          "consumers to order now");
  missing(!retries && !problem.retries_per_timeout,
          "--retries-per-timeout 0.25",
          "what callers that retry do to it");
  missing(!retries && !problem.timeout, "--timeout 30s", "when they retry");
  return text.empty() ? text : "\nNot given:\n" + text;
}

}  // namespace

std::string drain_headline(const DrainProblem& problem, const DrainAnswers& answers) {
  const std::optional<Answer> drain = time_to_drain(answers);
  if (!drain) {
    return answers.surplus > 0
               ? fmt::format("Any backlog drains, by {} messages a second.",
                             count_text(answers.surplus))
               : fmt::format("A backlog never drains: {}.",
                             basin::drain_time(problem.flow, 1).why_infinite);
  }
  if (!drain->is_finite()) {
    const std::optional<Answer>& needed = plan_to_follow(answers).consumers_to_recover;
    const double more = needed ? needed->value - problem.flow.consumers : 0;
    return fmt::format("Never drains: {}{}.",
                       drain->why_infinite,
                       !needed || !needed->is_finite() || more <= 0
                           ? ""
                           : fmt::format("; with {} more {} it does, in {}",
                                         count_text(more),
                                         more == 1 ? "consumer" : "consumers",
                                         span_text(*problem.recovery_time)));
  }
  if (*problem.backlog == 0) {
    return "Nothing to drain: the backlog is empty.";
  }
  std::string text = "Drains in " + span_text(drain->value);
  if (answers.retries) {
    text += fmt::format(" with {} retries a timeout",
                        count_text(*problem.retries_per_timeout));
  }
  if (problem.recovery_time) {
    text += fmt::format(
        ", {} the RTO of {}",
        difference(drain->value, *problem.recovery_time) <= 0 ? "within" : "past",
        span_text(*problem.recovery_time));
  }
  return text + ".";
}

std::string drain_text(const DrainProblem& problem, const DrainAnswers& answers) {
  std::string text = wrapped(drain_headline(problem, answers), 0, 0) + "\n\n";
  if (!problem.scenario.empty()) {
    text += row("scenario", problem.scenario);
  }
  text += flow_rows(problem, answers) + backlog_rows(problem, answers) +
          retry_rows(problem, answers) + recovery_rows(problem, answers) +
          shed_rows(problem, answers);
  text += alarm_and_bump_rows(problem, answers) + missing_rows(problem);
  for (const std::string& note : problem.notes) {
    text += "\n" + wrapped("Note: " + note + ".", 0, 0) + "\n";
  }
  return text;
}

}  // namespace basin
