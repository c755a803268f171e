// Sizes as text and as JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/drain_words.h"
#include "experiments/json_parts.h"
#include "experiments/run_summary.h"
#include "experiments/size_search.h"

namespace basin {

namespace {

// What of a backlog, or of the recovery time, is worth a sentence.
constexpr double worth_telling = 0.05;

std::string percent(double fraction) {
  return fmt::format("{:.3g}%", 100 * fraction);
}
std::string percent_interval(const Interval& interval) {
  return fmt::format("{} to {}", percent(interval.low), percent(interval.high));
}

std::string plain_count(double value) {
  return count_text(std::round(value));
}

bool turns_consumers(const Size& size) {
  return size.lever.key == "consumers.count";
}

std::string wanted_word(const Size& size) {
  return size.trend == Trend::rising ? "smallest" : "largest";
}

std::string interval_of_level(const Size& size) {
  const Crossing& crossing = size.crossing;
  const auto text = [&](double value) { return readable_value(size.lever, value); };
  if (crossing.at == CrossingAt::all_yes) {
    return "the end of the range: all of it suffices";
  }
  if (crossing.bounded_low && crossing.bounded_high) {
    return crossing.interval.low == crossing.interval.high
               ? "95% interval: this one alone"
               : fmt::format("95% interval {} to {}",
                             text(crossing.interval.low),
                             text(crossing.interval.high));
  }
  if (crossing.bounded_low) {
    return "95% interval: from " + text(crossing.interval.low);
  }
  if (crossing.bounded_high) {
    return "95% interval: up to " + text(crossing.interval.high);
  }
  return "nothing ruled out";
}

void add_reasons(const Size& size,
                 const SizeOutcome& outcome,
                 std::size_t k,
                 std::vector<std::string>& reasons) {
  const CaseOutcome& seen = outcome.cases[k];
  const IncidentCase& one = size.scenario.cases[k];
  const double consumers =
      turns_consumers(size) ? outcome.value : total_count(size.reckoned.system.consumers);
  const double backlog = backlog_of(size.reckoned, one, consumers);
  const double rto = *size.scenario.objective->recovery_time;
  const std::string name = one.name + ": ";
  const double more = seen.extra_retries + seen.extra_redeliveries;
  if (more > worth_telling * std::max(backlog, 1.0) && more > 1) {
    const auto part = [](double messages, const char* by) {
      return messages >= 1 ? plain_count(messages) + by : std::string{};
    };
    const std::string retries = part(seen.extra_retries, " by retries");
    const std::string redeliveries = part(seen.extra_redeliveries, " by redelivery");
    reasons.push_back(fmt::format(
        "{}more messages than without the incident, {}{}{}, beside the {} that the "
        "arithmetic lets pile up",
        name,
        retries,
        retries.empty() || redeliveries.empty() ? "" : " and ",
        redeliveries,
        plain_count(backlog)));
  }
  if (seen.extra_waste > worth_telling * std::max(backlog, 1.0) && seen.extra_waste > 1) {
    reasons.push_back(
        fmt::format("{}consumers worked on {} messages that nobody waited for any more",
                    name,
                    plain_count(seen.extra_waste)));
  }
  if (seen.peak_depth > (1 + 2 * worth_telling) * backlog + 10 ||
      seen.peak_depth < (1 - 2 * worth_telling) * backlog - 10) {
    reasons.push_back(
        fmt::format("{}the queue peaked at {}, where the arithmetic has a backlog of {}",
                    name,
                    plain_count(seen.peak_depth),
                    plain_count(backlog)));
  }
  const double recovery = seen.recovery_time_median;
  const double drain = seen.drain_time_median;
  if (std::isfinite(recovery) && !(drain <= recovery + worth_telling * rto)) {
    reasons.push_back(fmt::format(
        "{}the recovery time counts goodput, which was back after {} in the median run, "
        "while the queue was empty {}",
        name,
        readable_span(recovery),
        std::isfinite(drain) ? "after " + readable_span(drain)
                             : std::string{"not even by the horizon"}));
  } else if (std::isfinite(drain) && !(recovery <= drain + worth_telling * rto)) {
    reasons.push_back(
        fmt::format("{}an empty queue is not yet a recovery: it was empty after {} in "
                    "the median run, "
                    "goodput was back {}",
                    name,
                    readable_span(drain),
                    std::isfinite(recovery) ? "after " + readable_span(recovery)
                                            : std::string{"not even by the horizon"}));
  }
  if (std::isfinite(recovery) && std::isfinite(seen.recovery_time_95) &&
      seen.recovery_time_95 - recovery > worth_telling * rto) {
    reasons.push_back(fmt::format(
        "{}runs spread: recovery took {} in the median and {} in the slowest twentieth, "
        "and the arithmetic knows means alone",
        name,
        readable_span(recovery),
        readable_span(seen.recovery_time_95)));
  } else if (std::isfinite(recovery) && !std::isfinite(seen.recovery_time_95)) {
    reasons.push_back(fmt::format(
        "{}runs spread: recovery took {} in the median, and some runs never recovered",
        name,
        readable_span(recovery)));
  }
  if (seen.sick_controls > 0) {
    reasons.push_back(
        fmt::format("{}{} of {} runs at {} are not healthy even without the incident",
                    name,
                    seen.sick_controls,
                    seen.replications,
                    readable_value(size.lever, outcome.value)));
  }
}

Json case_json(const Size& size, const SizeOutcome& outcome, std::size_t k) {
  const CaseOutcome& seen = outcome.cases[k];
  return {{"case", size.scenario.cases[k].name},
          {"recovered", seen.recovered},
          {"replications", seen.replications},
          {"low", seen.interval.low},
          {"high", seen.interval.high},
          {"recovery_time_median", seen.recovery_time_median},
          {"recovery_time_95", seen.recovery_time_95},
          {"drain_time_median", seen.drain_time_median},
          {"peak_depth", seen.peak_depth},
          {"extra_retries", seen.extra_retries},
          {"extra_redeliveries", seen.extra_redeliveries},
          {"extra_waste", seen.extra_waste},
          {"unhealthy_controls", seen.sick_controls}};
}

Json outcome_json(const Size& size, const SizeOutcome& outcome) {
  Json json = {{"value", outcome.value},
               {"probability", outcome.probability},
               {"low", outcome.interval.low},
               {"high", outcome.interval.high},
               {"cases", Json::array()}};
  for (std::size_t k = 0; k < outcome.cases.size(); ++k) {
    json["cases"].push_back(case_json(size, outcome, k));
  }
  return json;
}

std::string outcome_line(const Size& size,
                         const SizeOutcome& outcome,
                         const std::string& remark) {
  std::string line = fmt::format("at {:<25}{:<10}{:<20}{}",
                                 readable_value(size.lever, outcome.value),
                                 percent(outcome.probability),
                                 percent_interval(outcome.interval),
                                 remark);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string case_table(const Size& size) {
  std::string text =
      fmt::format("{:<20}{:>7}  {:<22}{:<14}{:>8}  {:>5}\n",
                  "case",
                  "weight",
                  "recovered at " + readable_value(size.lever, size.found.value),
                  "median after",
                  "backlog",
                  "needs");
  for (std::size_t k = 0; k < size.found.cases.size(); ++k) {
    const CaseOutcome& seen = size.found.cases[k];
    const IncidentCase& one = size.scenario.cases[k];
    const Headroom& headroom = size.headroom[k];
    const double p =
        static_cast<double>(seen.recovered) / static_cast<double>(seen.replications);
    text += fmt::format("{:<20}{:>7}  {:<22}{:<14}{:>8}  {:>5}\n",
                        one.name.substr(0, 19),
                        count_text(one.weight),
                        fmt::format("{} ({:.3g}-{:.3g}%)",
                                    percent(p),
                                    100 * seen.interval.low,
                                    100 * seen.interval.high),
                        std::isfinite(seen.recovery_time_median)
                            ? readable_span(seen.recovery_time_median)
                            : "never",
                        readable(headroom.backlog),
                        headroom.consumers > 0 ? count_text(headroom.consumers) : "-");
  }
  return text;
}

std::string arithmetic_text(const Size& size) {
  const Headroom& any = size.headroom.front();
  std::string text = fmt::format(
      "Arithmetic: ceil(lambda/mu + backlog/(mu RTO)) with lambda = {}, mu = {}",
      rate_text(any.arrival_rate),
      rate_text(any.service_rate));
  for (std::size_t k = 0; k < size.headroom.size(); ++k) {
    if (size.headroom[k].consumers == 0) {
      return text + fmt::format("; {}: {}.",
                                size.scenario.cases[k].name,
                                size.headroom[k].why_none);
    }
  }
  text += fmt::format(" asks for {}", plural(size.headroom_consumers, "consumer"));
  if (!turns_consumers(size)) {
    text += fmt::format("; there are {}",
                        count_text(total_count(size.reckoned.system.consumers)));
  }
  return text + ".";
}

}  // namespace

std::vector<std::string> size_reasons(const Size& size) {
  std::vector<std::string> reasons;
  if (!size.nothing_to_find.empty()) {
    return reasons;
  }
  const bool consumers = turns_consumers(size);
  if (consumers && size.headroom_consumers == size.found.value) {
    return reasons;
  }
  const SizeOutcome& outcome = size.at_headroom ? *size.at_headroom : size.found;
  for (std::size_t k = 0; k < outcome.cases.size(); ++k) {
    add_reasons(size, outcome, k, reasons);
  }
  return reasons;
}

std::vector<std::string> size_cautions(const Size& size) {
  std::vector<std::string> cautions;
  if (!size.nothing_to_find.empty()) {
    return cautions;
  }
  if (!size.crossing.reached) {
    cautions.push_back(fmt::format(
        "the search ended after {} replications (--max-runs) without telling the level's "
        "neighbours apart",
        size.crossing.runs));
  }
  if (size.crossing.breach) {
    const auto& [no, yes] = *size.crossing.breach;
    cautions.push_back(fmt::format(
        "not monotone: {} recovered at {}, but {} at {}; there is more than one level",
        percent(yes.mean),
        readable_value(size.lever, yes.at),
        percent(no.mean),
        readable_value(size.lever, no.at)));
  }
  const double rto = *size.scenario.objective->recovery_time;
  const double horizon = to_seconds(size.scenario.system.horizon);
  for (const IncidentCase& one : size.scenario.cases) {
    for (const std::size_t part : one.parts) {
      const Incident& incident = size.scenario.system.incidents[part];
      const double end = to_seconds(incident.start) + mean_of(incident.duration) +
                         (incident.occurrences - 1) * to_seconds(incident.every);
      if (end + rto + size.scenario.objective->hold > horizon) {
        cautions.push_back(fmt::format(
            "{} ends {} before the horizon, less than the recovery time of {} and the "
            "hold after it: later recoveries are not seen",
            incident.name,
            readable_span(horizon - end),
            readable_span(rto)));
      }
    }
  }
  return cautions;
}

std::string size_text(const Size& size) {
  const Scenario& scenario = size.scenario;
  const double rto = *scenario.objective->recovery_time;
  std::string text =
      fmt::format("{}: {}, RTO {}, {}, seed {}\n\n",
                  scenario.name,
                  size.lever.key,
                  readable_span(rto),
                  plural(static_cast<double>(scenario.cases.size()), "case"),
                  scenario.seed);
  const auto paragraph = [&](const std::string& sentence) {
    text += wrapped(sentence, 0, 0) + "\n";
  };
  if (!size.nothing_to_find.empty()) {
    paragraph("No level found: " + size.nothing_to_find + ".");
    paragraph(arithmetic_text(size));
    return text;
  }
  paragraph(fmt::format("The {} {} that recovers within {} in {} of the runs: {} ({}{}).",
                        wanted_word(size),
                        size.lever.key,
                        readable_span(rto),
                        percent(size.options.probability),
                        readable_value(size.lever, size.found.value),
                        interval_of_level(size),
                        size.lever.today
                            ? "; today " + readable_value(size.lever, *size.lever.today)
                            : ""));
  text += fmt::format("\n{:<28}{:<10}{}\n", "recovered in time", "share", "95% interval");
  text += outcome_line(size, size.found, "");
  if (size.short_of) {
    text += outcome_line(size, *size.short_of, "");
  }
  if (size.at_headroom) {
    text += outcome_line(size, *size.at_headroom, "the arithmetic's");
  }
  text += "\n" + case_table(size) + "\n";
  paragraph(arithmetic_text(size));
  const std::vector<std::string> reasons = size_reasons(size);
  if (!reasons.empty()) {
    const SizeOutcome& outcome = size.at_headroom ? *size.at_headroom : size.found;
    text += fmt::format("What the runs at {} show that it leaves out:\n",
                        readable_value(size.lever, outcome.value));
    for (const std::string& reason : reasons) {
      text += "- " + wrapped(reason, 2, 2) + "\n";
    }
  } else if (turns_consumers(size) && size.headroom_consumers == size.found.value) {
    text += "The simulation agrees with it.\n";
  }
  return text;
}

std::string size_json(const Size& size) {
  const Scenario& scenario = size.scenario;
  Json json = {
      {"verb", "size"},
      {"scenario", scenario.name},
      {"seed", scenario.seed},
      {"lever",
       {{"key", size.lever.key},
        {"unit", size.lever.unit},
        {"today", size.lever.today ? Json(*size.lever.today) : Json()},
        {"lowest_tried", size.low},
        {"highest_tried", size.high}}},
      {"wanted", wanted_word(size)},
      {"probability", size.options.probability},
      {"confidence", 0.95},
      {"max_runs", size.options.most_runs},
      {"objective", objective_json(*scenario.objective)},
      {"interval_methods",
       "level: by betting (analysis/stochastic_search.h); cases: Jeffreys; weighted "
       "mean: "
       "Jeffreys of as many replications, each as the share of weights it recovered "
       "from"},
      {"cases", Json::array()},
      {"nothing_to_find",
       size.nothing_to_find.empty() ? Json() : Json(size.nothing_to_find)},
      {"level", nullptr},
      {"found", nullptr},
      {"short_of", nullptr},
      {"headroom",
       {{"consumers", size.headroom_consumers}, {"at", nullptr}, {"reasons", nullptr}}},
      {"cautions", size_cautions(size)}};
  for (std::size_t k = 0; k < scenario.cases.size(); ++k) {
    const IncidentCase& one = scenario.cases[k];
    const Headroom& headroom = size.headroom[k];
    Json incidents = Json::array();
    for (const std::size_t part : one.parts) {
      incidents.push_back(scenario.system.incidents[part].name);
    }
    json["cases"].push_back(
        {{"name", one.name},
         {"weight", one.weight},
         {"incidents", std::move(incidents)},
         {"backlog", headroom.backlog},
         {"headroom_consumers",
          headroom.consumers > 0 ? Json(headroom.consumers) : Json()},
         {"why_none", headroom.why_none.empty() ? Json() : Json(headroom.why_none)}});
  }
  if (size.nothing_to_find.empty()) {
    const Crossing& crossing = size.crossing;
    json["level"] = {
        {"estimate", crossing.estimate},
        {"low", crossing.bounded_low ? Json(crossing.interval.low) : Json()},
        {"high", crossing.bounded_high ? Json(crossing.interval.high) : Json()},
        {"all_of_the_range_suffices", crossing.at == CrossingAt::all_yes},
        {"reached_precision", crossing.reached},
        {"runs", crossing.runs},
        {"points", Json::array()}};
    for (const TriedPoint& point : crossing.points) {
      json["level"]["points"].push_back(
          {{"value", point.at}, {"runs", point.runs}, {"recovered", point.mean}});
    }
    json["found"] = outcome_json(size, size.found);
    if (size.short_of) {
      json["short_of"] = outcome_json(size, *size.short_of);
    }
    if (size.at_headroom) {
      json["headroom"]["at"] = outcome_json(size, *size.at_headroom);
    }
    json["headroom"]["reasons"] = size_reasons(size);
  }
  return dumped(json);
}

}  // namespace basin
