#include "experiments/drain_plan_text.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "experiments/drain_words.h"

namespace basin {

namespace {

std::string needed_text(const Answer& needed, double there) {
  if (!needed.is_finite()) {
    return "no number of consumers: " + needed.why_infinite;
  }
  const double more = needed.value - there;
  return plural(needed.value, "consumer") +
         (more > 0   ? fmt::format(" ({} more)", count_text(more))
          : more < 0 ? fmt::format(" ({} to spare)", count_text(-more))
                     : " (as there are)");
}

std::string order_row(std::string_view label, const Order& order) {
  const std::string then = count_text(order.backlog_then) + " waiting by then; ";
  if (!order.more_from_arrival.is_finite()) {
    return row(label, then + "no number: " + order.more_from_arrival.why_infinite);
  }
  std::string text = then + "order " + count_text(order.more_from_arrival.value);
  if (!order.more_from_now.is_finite()) {
    text += ", RTO counted from then: " + order.more_from_now.why_infinite;
  } else if (order.more_from_now.value != order.more_from_arrival.value) {
    text += fmt::format(", or {} if the RTO counts from now",
                        count_text(order.more_from_now.value));
  }
  return row(label, text);
}

// "; 30 without retries", where that differs.
std::string without_retries(const DrainAnswers& answers,
                            const std::optional<Answer> DrainPlan::*number,
                            std::string (*words)(double)) {
  if (!answers.plan_with_retries) {
    return {};
  }
  const Answer& with = *(*answers.plan_with_retries.*number);
  const Answer& without = *(answers.plan.*number);
  if (!without.is_finite() || (with.is_finite() && with.value == without.value)) {
    return {};
  }
  return "; " + words(without.value) + " without retries";
}

std::string longest_incident_text(const DrainProblem& problem,
                                  const DrainAnswers& answers) {
  const Answer& longest = *plan_to_follow(answers).longest_incident;
  if (!longest.is_finite()) {
    return fmt::format("any: {} ({})", longest.why_infinite, problem.accumulation_from);
  }
  if (longest.value == 0 && answers.surplus <= 0) {
    return "none: without a surplus nothing that piles up drains";
  }
  const std::string growing = problem.accumulation_assumed
                                  ? problem.accumulation_from
                                  : fmt::format("growing by {}{}",
                                                rate_text(problem.accumulation),
                                                problem.accumulation_from == "given"
                                                    ? ""
                                                    : ", " + problem.accumulation_from);
  return fmt::format("{}, {}{}",
                     longest.value == 0 ? "less than 1 s" : span_text(longest.value),
                     growing,
                     without_retries(answers, &DrainPlan::longest_incident, span_text));
}

}  // namespace

std::string recovery_rows(const DrainProblem& problem, const DrainAnswers& answers) {
  if (!problem.recovery_time) {
    return {};
  }
  const DrainPlan& plan = plan_to_follow(answers);
  std::string text = row("RTO", span_text(*problem.recovery_time));
  if (plan.consumers_to_recover) {
    text +=
        row("  needed for it",
            needed_text(*plan.consumers_to_recover, problem.flow.consumers) +
                without_retries(answers, &DrainPlan::consumers_to_recover, count_text));
  }
  text += row("  longest incident", longest_incident_text(problem, answers));
  if (plan.order_if_over) {
    text += row("order now", "they arrive in " + span_text(*problem.provisioning_lag));
    text += order_row("  incident over", *plan.order_if_over);
    if (plan.order_if_it_lasts) {
      text += order_row("  incident lasts", *plan.order_if_it_lasts);
    }
  }
  return text;
}

std::string shed_rows(const DrainProblem& problem, const DrainAnswers& answers) {
  const std::optional<Shedding>& shedding = plan_to_follow(answers).shedding;
  if (!shedding) {
    return {};
  }
  const std::string ttl = span_text(*problem.time_to_live);
  const std::string text =
      shedding->shed
          ? fmt::format(
                "shed {}: the drain outlasts the TTL of {}, and only {} drain in it",
                count_text(shedding->excess),
                ttl,
                count_text(shedding->drains_within))
          : fmt::format("drain: it ends within the TTL of {}, as for up to {}",
                        ttl,
                        count_text(shedding->drains_within));
  return row("shed or drain", text) +
         row("  bound by TTL",
             count_text(shedding->depth_bound) +
                 ": no deeper, where expired messages are dropped");
}

}  // namespace basin
