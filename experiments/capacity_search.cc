#include "experiments/capacity_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analysis/no_answer.h"
#include "experiments/scenario_reader.h"
#include "experiments/theory_facts.h"
#include "models/arrivals.h"

namespace basin {

namespace {

// Of the searches that most scenarios need.
constexpr std::size_t likely_runs = 64;

// A schedule that does not repeat has no mean rate, only rates that a factor multiplies.
std::string default_load(const Scenario& scenario) {
  const auto* schedule = std::get_if<ScheduleArrivals>(&scenario.system.arrivals);
  return schedule != nullptr && !schedule->period ? "arrivals.factor" : "arrivals.rate";
}

// Requests a second; of a schedule that does not repeat its highest rate.
double rate_of(const Arrivals& arrivals) {
  const auto* schedule = std::get_if<ScheduleArrivals>(&arrivals);
  if (schedule == nullptr || schedule->period) {
    return mean_rate(arrivals);
  }
  double highest = 0;
  for (const ScheduleArrivals::Step& step : schedule->steps) {
    highest = std::max(highest, step.rate * schedule->factor);
  }
  return highest;
}

Lever load_lever(const Scenario& scenario, const CapacityOptions& options) {
  const std::string key = options.load.value_or(default_load(scenario));
  Lever load = lever_of(scenario, key);
  if (load.is_whole) {
    throw NoAnswer("the load " + key +
                   " is a whole number (expected a key that scales it smoothly, such as "
                   "arrivals.rate)");
  }
  if (!load.today || !(*load.today > 0)) {
    throw NoAnswer("there is no load today in " + key +
                   " (expected a key with a value above 0; --load names another)");
  }
  constexpr double more = 1.01;
  const double now = rate_of(scenario.system.arrivals);
  const double then =
      rate_of(at_value(scenario, load, more * *load.today).system.arrivals);
  if (!(std::abs(then - more * now) <= 1e-4 * now)) {
    throw NoAnswer(
        fmt::format("{} does not scale the load: with 1% more of it the arrivals go from "
                    "{}/s to {}/s "
                    "(expected a key such as arrivals.rate)",
                    key,
                    now,
                    then));
  }
  return load;
}

bool is_yes(const CellResult& cell, std::size_t replication) {
  return cell.output.phases[replication] == Phase::stable;
}

// Waits far beyond the timeout, and beyond what counts as success.
double default_delay(const Scenario& scenario) {
  const SystemConfig& system = scenario.system;
  double longest = 0;
  if (system.producer.timeout) {
    longest = to_seconds(*system.producer.timeout);
  }
  if (system.success_within) {
    longest = std::max(longest, to_seconds(*system.success_within));
  }
  if (longest == 0) {
    longest = 20;
  }
  double slowest = 0;
  for (const ConsumerGroup& group : system.consumers.groups) {
    slowest = std::max(slowest, mean_of(group.service));
  }
  return 3 * longest + slowest;
}

Scenario untriggered(Scenario scenario) {
  scenario.system.incidents.clear();
  scenario.system.interventions.clear();
  return scenario;
}

Scenario behind_backlog(Scenario scenario, double delay) {
  scenario = untriggered(std::move(scenario));
  scenario.system.incidents.push_back(
      Incident{.name = "saturated-start",
               .start = scenario.system.warmup,
               .effect = Saturated{.delay = from_seconds(delay)}});
  return scenario;
}

SearchTask task_for(CrossingOptions range,
                    double start,
                    std::function<Scenario(double)> scenario_at) {
  range.start = start;
  return {.search = CrossingSearch{range},
          .scenarios_at =
              [at = std::move(scenario_at)](double value) {
                std::vector<Scenario> one;
                one.push_back(at(value));
                return one;
              },
          .answer =
              [](const std::vector<const CellResult*>& cells, std::size_t replication) {
                return is_yes(*cells.front(), replication) ? 1.0 : 0.0;
              }};
}

CapacityTheory theory_of(const Scenario& scenario, const Lever& load) {
  const TheoryFacts facts = facts_of(scenario);
  const double per_unit = rate_of(scenario.system.arrivals) / *load.today;
  return {.capacity = facts.capacity / per_unit, .attempts = facts.attempts};
}

CrossingOptions range_of(const Scenario& scenario,
                         const Lever& load,
                         const CapacityTheory& theory,
                         const CapacityOptions& options) {
  CrossingOptions range;
  range.precision = options.precision;
  range.most_runs = options.most_runs;
  const double scale = std::isfinite(theory.capacity) && theory.capacity > 0
                           ? theory.capacity
                           : *load.today;
  // A batch that is processed at once makes a consumer worth several.
  const SystemConfig& system = scenario.system;
  const double several = system.consumers.processing == Processing::concurrent
                             ? system.queue.receive_batch
                             : 1;
  range.low = options.from ? parse_lever_value(scenario, load, *options.from)
                           : std::max(scale / 500, load.least);
  range.high = options.to ? parse_lever_value(scenario, load, *options.to)
                          : std::min(2 * several * scale, load.most);
  if (!(range.low > 0) || !(range.low < range.high)) {
    throw NoAnswer(
        fmt::format("there is no range of loads from {} to {} (expected --from "
                    "above 0 and below --to)",
                    readable_value(load, range.low),
                    readable_value(load, range.high)));
  }
  at_value(scenario, load, range.low);  // both ends can be read
  at_value(scenario, load, range.high);
  return range;
}

struct RowPlan {
  Scenario scenario;
  Lever load;
  CapacityRow row;
  CrossingOptions range;
};

RowPlan plan_of(const Scenario& scenario,
                const CapacityOptions& options,
                const std::string& value) {
  RowPlan plan{.scenario = scenario,
               .load = load_lever(scenario, options),
               .row = {},
               .range = {}};
  plan.row.value = value;
  plan.row.today = *plan.load.today;
  plan.row.theory = theory_of(scenario, plan.load);
  plan.range = range_of(scenario, plan.load, plan.row.theory, options);
  plan.row.saturated_delay = options.saturated_delay
                                 ? to_seconds(*options.saturated_delay)
                                 : default_delay(scenario);
  plan.row.saturated_messages = std::ceil(
      plan.row.saturated_delay * total_service_rate(scenario.system.consumers) - 1e-9);
  const std::optional<std::int64_t> room = scenario.system.queue.capacity;
  plan.row.messages_refused =
      room && static_cast<double>(*room) < plan.row.saturated_messages;
  return plan;
}

void add_tasks(const RowPlan& plan, std::vector<SearchTask>& tasks) {
  const auto at = [scenario = plan.scenario, load = plan.load](double value) {
    return at_value(scenario, load, value);
  };
  const double edge = plan.row.theory.capacity / plan.row.theory.attempts;
  tasks.push_back(task_for(plan.range,
                           0.97 * plan.row.theory.capacity,
                           [at](double value) { return untriggered(at(value)); }));
  tasks.push_back(
      task_for(plan.range, edge, [at, delay = plan.row.saturated_delay](double value) {
        return behind_backlog(at(value), delay);
      }));
  if (!plan.scenario.system.incidents.empty()) {
    tasks.push_back(task_for(plan.range, edge, at));
  }
}

}  // namespace

double edge_shift(const Capacity& capacity, const CapacityRow& row) {
  // What the consumers do in the delay, in the load's unit.
  return row.saturated_delay * row.theory.capacity /
         (to_seconds(capacity.scenario.system.horizon) * row.theory.attempts);
}

Capacity search_capacity(const Scenario& scenario,
                         const CapacityOptions& options,
                         const RunScenarios& run) {
  if (!scenario.objective) {
    throw NoAnswer(
        "the scenario does not say what is healthy (expected objective.latency or "
        "producer.timeout)");
  }
  std::vector<RowPlan> plans;
  std::optional<OverAxis> over;
  if (options.over) {
    over = over_axis(scenario, *options.over);
    if (over->key == load_lever(scenario, options).key) {
      throw NoAnswer("--over " + over->key + " is the load itself");
    }
    for (const std::string& value : over->values) {
      plans.push_back(
          plan_of(with_values(scenario, {over->key + "=" + value}), options, value));
    }
  } else {
    plans.push_back(plan_of(scenario, options, ""));
  }
  std::vector<SearchTask> tasks;
  for (const RowPlan& plan : plans) {
    add_tasks(plan, tasks);
  }
  run_searches(tasks, run);

  Capacity capacity{.scenario = scenario,
                    .load = plans.front().load,
                    .low = plans.front().range.low,
                    .high = plans.front().range.high,
                    .options = options,
                    .over = over,
                    .rows = {}};
  std::size_t next = 0;
  for (RowPlan& plan : plans) {
    plan.row.advertised = tasks[next++].search.result();
    plan.row.saturated = tasks[next++].search.result();
    if (!plan.scenario.system.incidents.empty()) {
      plan.row.own_trigger = tasks[next++].search.result();
    }
    capacity.rows.push_back(std::move(plan.row));
  }
  return capacity;
}

std::size_t expected_capacity_runs(const Scenario& scenario,
                                   const CapacityOptions& options) {
  const std::size_t rows =
      options.over ? over_axis(scenario, *options.over).values.size() : 1;
  return rows * likely_runs * (scenario.system.incidents.empty() ? 3 : 5);
}

}  // namespace basin
