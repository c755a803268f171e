#include "experiments/rescue_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/build_info.h"
#include "experiments/run_summary.h"
#include "experiments/units.h"

namespace basin {

namespace {

using Json = nlohmann::ordered_json;

// Requests per second; absent where arrivals have no finite mean rate.
std::optional<double> load_of(const RescueQuestion& question) {
  const double load = mean_rate(question.scenario.system.arrivals);
  return std::isfinite(load) && load > 0 ? std::optional{load} : std::nullopt;
}

std::string percent(double share) {
  return fmt::format("{:.3g}%", 100 * share);
}

// What is done, without its size, and its size.
std::string verb_of(const InterventionEffect& effect) {
  constexpr std::array<std::string_view, lever_count> verbs{
      "shed to", "add", "switch", "drop all older than", "purge"};
  return std::string{verbs.at(effect.index())};
}

struct SizeText {
  const RescueQuestion& question;

  std::string operator()(const Shed& shed) const {
    const auto load = load_of(question);
    const std::string share = percent(shed.admitted);
    return load ? fmt::format("{}/s ({})", readable(*load * shed.admitted), share)
                : share + " of the load";
  }
  std::string operator()(const AddConsumers& added) const {
    const std::string& group =
        question.scenario.system.consumers.groups[added.group].name;
    return fmt::format("{}{} consumer{}",
                       added.count,
                       group.empty() ? "" : " " + group,
                       added.count == 1 ? "" : "s");
  }
  std::string operator()(const RetriesOff&) const { return "retries off"; }
  std::string operator()(const DropExpired& drop) const {
    return readable_span(to_seconds(drop.age));
  }
  std::string operator()(const Purge& purge) const {
    return purge.fraction == 1 ? "all that waits"
                               : percent(purge.fraction) + " of what waits";
  }
};

std::string size_of(const InterventionEffect& effect, const RescueQuestion& question) {
  return std::visit(SizeText{question}, effect);
}

std::string text_of(const InterventionEffect& effect, const RescueQuestion& question) {
  std::string text = verb_of(effect) + " " + size_of(effect, question);
  if (std::holds_alternative<AddConsumers>(effect)) {
    text += fmt::format(" (now {})", total_count(question.scenario.system.consumers));
  }
  return text;
}

std::string plain_name(Lever lever) {
  switch (lever) {
    case Lever::shed:
      return "shed load";
    case Lever::add_consumers:
      return "add consumers";
    case Lever::retries_off:
      return "switch retries off";
    case Lever::drop_expired:
      return "drop what is too old";
    case Lever::purge:
      return "purge the queue";
  }
  return "?";
}

std::string chance_of(const Probability& recovered, std::int64_t of) {
  return fmt::format("{}/{} ({:.0f}-{:.0f}%)",
                     recovered.count,
                     of,
                     100 * recovered.interval.low,
                     100 * recovered.interval.high);
}

// "34.6 (34.3-35.8) min": the median and the quantiles around it.
std::string time_of(const RescueTrial& trial) {
  const auto& [low, median, high] = trial.recovery_time;
  if (std::isinf(low)) {
    return "never";
  }
  const double scale = std::isinf(median) ? low : median;
  const auto [unit, seconds] = scale < 120    ? std::pair{"s", 1.0}
                               : scale < 7200 ? std::pair{"min", 60.0}
                                              : std::pair{"h", 3600.0};
  const auto text = [divisor = seconds](double time) {
    return std::isinf(time) ? std::string{"never"}
                            : fmt::format("{:.3g}", time / divisor);
  };
  return fmt::format("{} ({}-{}) {}", text(median), text(low), text(high), unit);
}

std::string cost_of(const RescueTrial& trial) {
  std::string text;
  const auto add = [&](double count, std::string_view what) {
    if (count > 0) {
      text += fmt::format(
          "{}{} {}", text.empty() ? "" : ", ", readable(std::round(count)), what);
    }
  };
  add(trial.requests_shed, "req");
  add(trial.messages_dropped, "msg");
  add(trial.retries_cancelled, "ret");
  return text.empty() ? "-" : text;
}

class Table {
 public:
  explicit Table(const RescueQuestion& question) : question_{question} {
    text_ = row("", "back in time", "time to recover", "cost");
  }

  void add(const std::string& what, const RescueTrial& trial, const std::string& time) {
    text_ += row(what,
                 chance_of(trial.recovered, question_.scenario.replications),
                 time,
                 cost_of(trial));
  }
  void add(const std::string& what, const RescueTrial& trial) {
    add(what, trial, time_of(trial));
  }
  void add(const std::string& what, const std::string& words) {
    text_ += fmt::format("{:<30} {}\n", what, words);
  }
  std::string text() const { return text_; }

 private:
  static std::string row(std::string_view what,
                         std::string_view chance,
                         std::string_view time,
                         std::string_view cost) {
    std::string line = fmt::format("{:<30} {:<15} {:<21} {}", what, chance, time, cost);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  }

  const RescueQuestion& question_;
  std::string text_;
};

void add_lever(Table& table, const LeverAnswer& lever, const RescueQuestion& question) {
  if (!lever.left_out.empty()) {
    table.add(plain_name(lever.lever), "not tried: " + lever.left_out);
    return;
  }
  if (!lever.enough) {
    if (lever.too_little) {
      table.add(text_of(lever.too_little->effect, question), lever.too_little->trial);
    }
    table.add("", "is not enough, nor is less of it");
    return;
  }
  table.add(text_of(lever.enough->effect, question), lever.enough->trial);
  if (lever.too_little) {
    table.add("  but not " + size_of(lever.too_little->effect, question),
              lever.too_little->trial);
  }
}

std::string sentence(const RescueQuestion& question, const RescueAnswer& answer) {
  if (answer.recovers_by_itself) {
    return "It comes back by itself: nothing needs to be done.";
  }
  const auto helps = std::count_if(
      answer.levers.begin(), answer.levers.end(), [](const LeverAnswer& lever) {
        return lever.enough.has_value();
      });
  const std::string share = percent(question.probability);
  const bool is_late = std::isfinite(answer.nothing.recovery_time[1]);
  const std::string_view state = is_late ? "Too late by itself" : "Stuck";
  return helps == 0
             ? fmt::format(
                   "{}, and nothing of this brings it back in time in {} of the runs.",
                   state,
                   share)
             : fmt::format(
                   "{}. The least of each kind that brings it back in {} of the runs:",
                   state,
                   share);
}

// Where the load alone takes the system down, nothing holds for long.
std::string note_on_controls(const RescueQuestion& question, const RescueAnswer& answer) {
  const std::int64_t unhealthy = answer.nothing.unhealthy_controls;
  return unhealthy == 0
             ? std::string{}
             : fmt::format("Without the incidents it is unhealthy in {} of {} as well.\n",
                           unhealthy,
                           question.scenario.replications);
}

constexpr std::string_view legend =
    "\nBack in time: of the replications, with a 95% interval. Time to recover: median\n"
    "(10%-90%). Cost, mean to the end of the run: req requests turned away, msg\n"
    "messages dropped, ret pending retries cancelled.\n";

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of(const RescueTrial& trial) {
  Json times = Json::array();
  for (const double time : trial.recovery_times) {
    times.push_back(finite(time));
  }
  return {{"recovered",
           {{"count", trial.recovered.count},
            {"estimate", trial.recovered.estimate},
            {"low", trial.recovered.interval.low},
            {"high", trial.recovered.interval.high}}},
          {"recovery_time",
           {{"p10", finite(trial.recovery_time[0])},
            {"p50", finite(trial.recovery_time[1])},
            {"p90", finite(trial.recovery_time[2])},
            {"replications", std::move(times)}}},
          {"requests_shed", trial.requests_shed},
          {"messages_dropped", trial.messages_dropped},
          {"retries_cancelled", trial.retries_cancelled}};
}

// The size of an intervention under the names that a scenario has for it.
Json size_json(const InterventionEffect& effect, const RescueQuestion& question) {
  Json json = Json::object();
  if (const auto* shed = std::get_if<Shed>(&effect)) {
    const auto load = load_of(question);
    json["fraction"] = shed->admitted;
    json["to"] = load ? Json(*load * shed->admitted) : Json(nullptr);
  } else if (const auto* added = std::get_if<AddConsumers>(&effect)) {
    json["count"] = added->count;
  } else if (const auto* drop = std::get_if<DropExpired>(&effect)) {
    json["age"] = to_seconds(drop->age);
  } else if (const auto* purge = std::get_if<Purge>(&effect)) {
    json["fraction"] = purge->fraction;
  }
  return json;
}

Json json_of(const std::optional<TriedIntervention>& tried,
             const RescueQuestion& question) {
  if (!tried) {
    return nullptr;
  }
  Json json = size_json(tried->effect, question);
  json.update(json_of(tried->trial));
  return json;
}

Json json_of(const LeverAnswer& lever, const RescueQuestion& question) {
  return {{"kind", name_of(lever.lever)},
          {"not_tried", lever.left_out.empty() ? Json(nullptr) : Json(lever.left_out)},
          {"enough", json_of(lever.enough, question)},
          {"not_enough", json_of(lever.too_little, question)}};
}

Json json_of(const std::optional<BackToFull>& back) {
  if (!back) {
    return nullptr;
  }
  Json json = {
      {"shed_for", to_seconds(back->shed_for)},
      {"not_tried", back->left_out.empty() ? Json(nullptr) : Json(back->left_out)}};
  if (back->left_out.empty()) {
    json["stays_healthy"] = json_of(back->trial)["recovered"];
    json["requests_shed"] = back->trial.requests_shed;
  }
  return json;
}

}  // namespace

std::string rescue_text(const RescueQuestion& question,
                        const RescueAnswer& answer,
                        const std::string& why_then) {
  const Scenario& scenario = question.scenario;
  std::string text = fmt::format(
      "{}: {} replication{}, seed {}, horizon {}\nOperators act at {}{};\nback in time "
      "is "
      "within {} of that.\n\n{}\n{}\n",
      scenario.name,
      scenario.replications,
      scenario.replications == 1 ? "" : "s",
      scenario.seed,
      readable_span(to_seconds(scenario.system.horizon)),
      format_duration(question.at),
      why_then.empty() ? "" : " (" + why_then + ")",
      readable_span(question.rto),
      sentence(question, answer),
      note_on_controls(question, answer));
  Table table{question};
  table.add("do nothing", answer.nothing);
  for (const LeverAnswer& lever : answer.levers) {
    add_lever(table, lever, question);
    if (lever.lever == Lever::shed && answer.return_of_load) {
      const BackToFull& back = *answer.return_of_load;
      const std::string what =
          fmt::format("  full load after {}", readable_span(to_seconds(back.shed_for)));
      if (back.left_out.empty()) {
        table.add(what, back.trial, "stays healthy");
      } else {
        table.add(what, back.left_out);
      }
    }
  }
  return text + table.text() + std::string{legend};
}

std::string rescue_json(const RescueQuestion& question, const RescueAnswer& answer) {
  const Scenario& scenario = question.scenario;
  Json json = {{"verb", "whatif"},
               {"version", build_info().version},
               {"semantics_version", semantics_version},
               {"scenario", scenario.name},
               {"seed", scenario.seed},
               {"replications", scenario.replications},
               {"horizon", to_seconds(scenario.system.horizon)},
               {"at", to_seconds(question.at)},
               {"rto", question.rto},
               {"probability", question.probability},
               {"precision", question.precision},
               {"recovers_by_itself", answer.recovers_by_itself},
               {"unhealthy_controls", answer.nothing.unhealthy_controls},
               {"nothing", json_of(answer.nothing)},
               {"interventions", Json::array()},
               {"full_load_again", json_of(answer.return_of_load)}};
  for (const LeverAnswer& lever : answer.levers) {
    json["interventions"].push_back(json_of(lever, question));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace basin
