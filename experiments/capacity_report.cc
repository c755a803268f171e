// Capacities as text and as JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "experiments/capacity_search.h"
#include "experiments/drain_words.h"
#include "experiments/json_parts.h"
#include "experiments/run_summary.h"

namespace basin {

namespace {

constexpr double short_horizon = 3600;  // s
constexpr double visible_shift = 0.01;

struct Named {
  const char* key;
  const char* label;
  const Crossing* crossing;
};

std::vector<Named> crossings_of(const CapacityRow& row) {
  std::vector<Named> named = {
      {"advertised", "advertised (no trigger)", &row.advertised},
      {"hidden_saturated", "hidden, saturated start", &row.saturated}};
  if (row.own_trigger) {
    named.push_back({"hidden_own_trigger", "hidden, own trigger", &*row.own_trigger});
  }
  return named;
}

// Five significant digits: a percent of a load is to be seen.
std::string number_text(double value) {
  return std::abs(value) < 1000 ? fmt::format("{:.4g}", value) : count_text(value);
}
std::string load_text(const Lever& load, double value) {
  if (load.unit == "s") {
    return span_text(value);
  }
  return number_text(value) + (load.unit == "1/s" ? "/s" : "");
}

std::string estimate_text(const Lever& load, const Crossing& crossing) {
  switch (crossing.at) {
    case CrossingAt::inside:
      return load_text(load, crossing.estimate);
    case CrossingAt::all_yes:
      return "over " + load_text(load, crossing.estimate);
    case CrossingAt::all_no:
      return "below " + load_text(load, crossing.estimate);
  }
  return "";
}

std::string interval_text(const Lever& load, const Crossing& crossing) {
  switch (crossing.at) {
    case CrossingAt::inside:
      break;
    case CrossingAt::all_yes:
      return "carried up to the highest tried";
    case CrossingAt::all_no:
      return "not even the lowest tried";
  }
  if (!crossing.bounded_low && !crossing.bounded_high) {
    return "nothing ruled out";
  }
  if (!crossing.bounded_low) {
    return "up to " + load_text(load, crossing.interval.high);
  }
  if (!crossing.bounded_high) {
    return "from " + load_text(load, crossing.interval.low);
  }
  return fmt::format("{} to {}",
                     number_text(crossing.interval.low),
                     load_text(load, crossing.interval.high));
}

std::string single_table(const Lever& load, const CapacityRow& row) {
  std::string text = fmt::format(
      "{:<26}{:<16}{:<31}{:>5}\n", "capacity", "highest load", "95% interval", "runs");
  for (const Named& one : crossings_of(row)) {
    text += fmt::format("{:<26}{:<16}{:<31}{:>5}\n",
                        one.label,
                        estimate_text(load, *one.crossing),
                        interval_text(load, *one.crossing),
                        one.crossing->runs);
  }
  return text;
}

// "150.3 (149.6 to 151.1)"
std::string cell_text(const Crossing& crossing) {
  if (crossing.at != CrossingAt::inside) {
    return (crossing.at == CrossingAt::all_yes ? "over " : "below ") +
           number_text(crossing.estimate);
  }
  const std::string low = crossing.bounded_low ? number_text(crossing.interval.low) : "?";
  const std::string high =
      crossing.bounded_high ? number_text(crossing.interval.high) : "?";
  return fmt::format("{} ({}-{})", number_text(crossing.estimate), low, high);
}

std::string row_table(const Capacity& capacity) {
  const bool own = capacity.rows.front().own_trigger.has_value();
  std::size_t width = 6;
  for (const CapacityRow& row : capacity.rows) {
    width = std::max(width, row.value.size());
  }
  width = std::min<std::size_t>(width, 12);
  std::string text = fmt::format("Over {}; loads{} with 95% intervals.\n\n",
                                 capacity.over->key,
                                 capacity.load.unit == "1/s" ? " per second" : "");
  text += fmt::format("{:<{}} {:<20}  {:<20}{}  {:>5}\n",
                      "value",
                      width,
                      "advertised",
                      "hidden, saturated",
                      own ? fmt::format("  {:<20}", "hidden, own trigger") : "",
                      "C/A");
  for (const CapacityRow& row : capacity.rows) {
    text += fmt::format("{:<{}} {:<20}  {:<20}{}  {:>5}\n",
                        row.value,
                        width,
                        cell_text(row.advertised),
                        cell_text(row.saturated),
                        own ? fmt::format("  {:<20}", cell_text(*row.own_trigger)) : "",
                        number_text(row.theory.capacity / row.theory.attempts));
  }
  return text;
}

std::string theory_text(const Capacity& capacity, const CapacityRow& row) {
  const Lever& load = capacity.load;
  const CapacityTheory& theory = row.theory;
  if (theory.attempts == 1) {
    return fmt::format("Flow balance: consumers work off C = {}; nobody retries (A = 1).",
                       load_text(load, theory.capacity));
  }
  return fmt::format(
      "Flow balance: consumers work off C = {}; saturated, a request takes A = 1 + r + … "
      "+ r^(N-1) = {} attempts; C/A = {}.",
      load_text(load, theory.capacity),
      number_text(theory.attempts),
      load_text(load, theory.capacity / theory.attempts));
}

// Where today's load stands against one capacity.
std::string margin_sentence(const Capacity& capacity,
                            const CapacityRow& row,
                            const Crossing& crossing,
                            const std::string& name,
                            bool hidden) {
  const std::string today = load_text(capacity.load, row.today);
  const double over = row.today / crossing.estimate - 1;
  // The interval decides; the ends that were not ruled out are no bounds.
  const bool is_above = crossing.bounded_high && row.today > crossing.interval.high;
  const bool is_below = crossing.bounded_low && row.today < crossing.interval.low;
  if (is_above && crossing.at != CrossingAt::all_yes) {
    return fmt::format(
        "Today's load of {} is {} above the {}: {}.",
        today,
        percent_text(std::round(over * 1000) / 1000),
        name,
        hidden ? "if tipped, it stays down" : "it is not healthy even without a trigger");
  }
  if (is_below) {
    return fmt::format(
        "Today's load of {} is {}{} below the {}.",
        today,
        crossing.at == CrossingAt::all_yes ? "at least " : "",
        percent_text(std::round(1000 - 1000 * row.today / crossing.estimate) / 1000),
        name);
  }
  return fmt::format("Today's load of {} cannot be told apart from the {}.", today, name);
}

Json crossing_json(const Crossing& crossing, double today) {
  Json json = {
      {"estimate", crossing.estimate},
      {"low", crossing.bounded_low ? Json(crossing.interval.low) : Json()},
      {"high", crossing.bounded_high ? Json(crossing.interval.high) : Json()},
      {"at",
       crossing.at == CrossingAt::inside    ? "inside"
       : crossing.at == CrossingAt::all_yes ? "carried up to the highest load tried"
                                            : "not carried at the lowest load tried"},
      {"reached_precision", crossing.reached},
      {"runs", crossing.runs},
      {"today_margin", crossing.estimate / today - 1},
      {"points", Json::array()},
      {"breach", nullptr}};
  for (const TriedPoint& point : crossing.points) {
    json["points"].push_back(
        {{"load", point.at}, {"runs", point.runs}, {"carried", point.mean}});
  }
  if (crossing.breach) {
    const auto& [no, yes] = *crossing.breach;
    json["breach"] = {
        {"not_carried", {{"load", no.at}, {"runs", no.runs}, {"carried", no.mean}}},
        {"carried", {{"load", yes.at}, {"runs", yes.runs}, {"carried", yes.mean}}}};
  }
  return json;
}

Json row_json(const Capacity& capacity, const CapacityRow& row) {
  Json json = Json::object();
  if (capacity.over) {
    json["value"] = row.value;
  }
  json["today"] = row.today;
  json["hidden_own_trigger"] = nullptr;
  for (const Named& one : crossings_of(row)) {
    json[one.key] = crossing_json(*one.crossing, row.today);
  }
  json["theory"] = {
      {"capacity", row.theory.capacity},
      {"attempts", row.theory.attempts},
      {"capacity_over_attempts", row.theory.capacity / row.theory.attempts}};
  json["saturated_start"] = {{"delay_seconds", row.saturated_delay},
                             {"messages", row.saturated_messages},
                             {"refused", row.messages_refused},
                             {"edge_shift", edge_shift(capacity, row)}};
  return json;
}

std::string where(const CapacityRow& row) {
  return row.value.empty() ? "" : "at " + row.value + ": ";
}

}  // namespace

std::vector<std::string> capacity_cautions(const Capacity& capacity) {
  std::vector<std::string> cautions;
  const double horizon = to_seconds(capacity.scenario.system.horizon);
  if (horizon < short_horizon) {
    cautions.push_back(
        fmt::format("the horizon is {}: an edge is a statement about its horizon, and "
                    "below an hour it reads low behind a backlog and high where a "
                    "collapse takes long to come; --set simulation.horizon=1h",
                    readable_span(horizon)));
  }
  for (const CapacityRow& row : capacity.rows) {
    const double shift = edge_shift(capacity, row);
    if (row.saturated.at == CrossingAt::inside &&
        shift > visible_shift * row.saturated.estimate) {
      cautions.push_back(fmt::format(
          "{}the saturated start has to be worked off by the horizon, which lowers the "
          "hidden capacity by about {}, {} of it; a longer horizon or a shorter "
          "--saturated-delay",
          where(row),
          load_text(capacity.load, shift),
          percent_text(std::round(1000 * shift / row.saturated.estimate) / 1000)));
    }
    if (row.messages_refused) {
      cautions.push_back(
          fmt::format("{}the queue's capacity holds less than the {} messages of the "
                      "saturated start; "
                      "the rest was refused",
                      where(row),
                      count_text(row.saturated_messages)));
    }
    for (const Named& one : crossings_of(row)) {
      if (one.crossing->breach) {
        const auto& [no, yes] = *one.crossing->breach;
        cautions.push_back(fmt::format(
            "{}{}: not monotone: carried in {:.0f}% of the runs at {}, but in {:.0f}% at "
            "{}; there is more than one edge",
            where(row),
            one.label,
            100 * yes.mean,
            load_text(capacity.load, yes.at),
            100 * no.mean,
            load_text(capacity.load, no.at)));
      }
      if (!one.crossing->reached) {
        cautions.push_back(fmt::format(
            "{}{}: the precision of {} was not reached in {} runs (--max-runs): the edge "
            "is not sharp",
            where(row),
            one.label,
            percent_text(capacity.options.precision),
            one.crossing->runs));
      }
    }
  }
  return cautions;
}

std::string capacity_text(const Capacity& capacity) {
  const Scenario& scenario = capacity.scenario;
  std::string text = fmt::format("{}: capacity in {}, horizon {}, seed {}\n\n",
                                 scenario.name,
                                 capacity.load.key,
                                 readable_span(to_seconds(scenario.system.horizon)),
                                 scenario.seed);
  const auto paragraph = [&](const std::string& sentence) {
    text += wrapped(sentence, 0, 0) + "\n";
  };
  const CapacityRow& first = capacity.rows.front();
  if (capacity.over) {
    text += row_table(capacity) + "\n";
  } else {
    text += single_table(capacity.load, first) + "\n";
    paragraph(theory_text(capacity, first));
    text += "\n";
    paragraph(
        margin_sentence(capacity, first, first.advertised, "advertised capacity", false));
    paragraph(margin_sentence(
        capacity, first, first.saturated, "hidden capacity (saturated start)", true));
    if (first.own_trigger) {
      paragraph(margin_sentence(
          capacity, first, *first.own_trigger, "hidden capacity (own trigger)", true));
    }
    text += "\n";
  }
  std::string start =
      fmt::format("Saturated start: a queue of {} messages, {} of work for all consumers",
                  count_text(first.saturated_messages),
                  span_text(first.saturated_delay));
  if (capacity.over) {
    start += fmt::format(" (at {})", first.value);
  }
  if (scenario.system.producer.timeout) {
    start += fmt::format("; the timeout is {}",
                         span_text(to_seconds(*scenario.system.producer.timeout)));
  }
  paragraph(start +
            fmt::format(". Working it off by the horizon lowers that edge by {} = "
                        "depth / (horizon * A).",
                        load_text(capacity.load, edge_shift(capacity, first))));
  return text;
}

std::string capacity_json(const Capacity& capacity) {
  const Scenario& scenario = capacity.scenario;
  Json json = {{"verb", "capacity"},
               {"scenario", scenario.name},
               {"seed", scenario.seed},
               {"horizon_seconds", to_seconds(scenario.system.horizon)},
               {"load",
                {{"key", capacity.load.key},
                 {"unit", capacity.load.unit},
                 {"today", *capacity.load.today},
                 {"lowest_tried", capacity.low},
                 {"highest_tried", capacity.high}}},
               {"precision", capacity.options.precision},
               {"confidence", 0.95},
               {"max_runs", capacity.options.most_runs},
               {"objective", objective_json(*scenario.objective)},
               {"cautions", capacity_cautions(capacity)}};
  if (capacity.over) {
    json["over"] = {{"key", capacity.over->key},
                    {"unit", capacity.over->unit},
                    {"values", capacity.over->values}};
    json["rows"] = Json::array();
    for (std::size_t k = 0; k < capacity.rows.size(); ++k) {
      Json row = row_json(capacity, capacity.rows[k]);
      row["si_value"] = capacity.over->si_values[k];
      json["rows"].push_back(std::move(row));
    }
  } else {
    json.update(row_json(capacity, capacity.rows.front()));
  }
  return dumped(json);
}

}  // namespace basin
