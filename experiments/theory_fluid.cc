// The fluid limit of the scenario itself: what becomes of it without chance, the shortest
// incident that tips it, and the load up to which it comes back from a deep backlog.

#include <cmath>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/time.h"
#include "experiments/cell_result.h"
#include "experiments/fluid_run.h"
#include "experiments/run_summary.h"
#include "experiments/runner.h"
#include "experiments/theory.h"
#include "experiments/theory_facts.h"
#include "experiments/theory_filling.h"

namespace basin {

namespace {

// One replication of all arms, judged. NoAnswer where it cannot be run or judged.
CellResult fluid_cell(Scenario scenario) {
  scenario.replications = 1;
  scenario.solver = Solver::fluid;
  const std::vector<Arm> arms = arms_of(scenario, false);
  std::vector<std::vector<ArmRecord>> records;
  for (const Arm arm : arms) {
    try {
      records.push_back({record_of(
          fluid_run(system_of_arm(scenario.system, arm), key_of(scenario, {}, 0)),
          scenario,
          arm,
          TrajectoriesToKeep::none)});
    } catch (const NoAnswer&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw NoAnswer(error.what());
    }
  }
  CellResult cell = assemble_cell(arms, std::move(records));
  if (cell.output.status == CellStatus::failed) {
    throw NoAnswer(cell.output.message);
  }
  return cell;
}

bool comes_back(const Scenario& scenario) {
  const CellResult cell = fluid_cell(scenario);
  return cell.output.phases.front() == Phase::stable ||
         cell.output.phases.front() == Phase::draining;
}

// The value between `low`, where it holds, and `high`, where it does not, to one part in
// five hundred; absent where the ends are not so.
std::optional<double> edge_between(double low,
                                   double high,
                                   const std::function<bool(double)>& holds) {
  if (!holds(low) || holds(high)) {
    return std::nullopt;
  }
  while (high - low > 0.002 * high) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::optional<double> critical_duration(const Scenario& scenario) {
  const SystemConfig& system = scenario.system;
  if (system.incidents.size() != 1 || system.incidents.front().occurrences > 1) {
    return std::nullopt;
  }
  const IncidentEffect& effect = system.incidents.front().effect;
  if (!std::holds_alternative<ConsumerOutage>(effect) &&
      !std::holds_alternative<Slowdown>(effect) &&
      !std::holds_alternative<ArrivalSurge>(effect)) {
    return std::nullopt;
  }
  // Long enough to be tipped, and to be judged afterwards.
  const double rest = to_seconds(system.horizon - system.incidents.front().start);
  const double judged = std::max(scenario.objective->hold,
                                 scenario.objective->tail * to_seconds(system.horizon)) +
                        scenario.objective->window;
  return edge_between(0, std::max(0.0, rest - judged) / 2, [&](double duration) {
    Scenario other = scenario;
    other.system.incidents.front().duration = Deterministic{.mean = duration};
    return comes_back(other);
  });
}

// From a start behind three timeouts of work.
std::optional<double> saturated_edge(const Scenario& scenario, const TheoryFacts& facts) {
  if (facts.loop.empty() || facts.waiting_room ||
      !(std::holds_alternative<PoissonArrivals>(scenario.system.arrivals) ||
        std::holds_alternative<DeterministicArrivals>(scenario.system.arrivals))) {
    return std::nullopt;
  }
  return edge_between(
      facts.capacity / facts.attempts / 2, facts.capacity, [&](double load) {
        Scenario other = scenario;
        other.system.arrivals = DeterministicArrivals{.rate = load};
        other.system.incidents = {
            {.name = "saturated",
             .start = scenario.system.warmup,
             .duration = Deterministic{.mean = 0},
             .effect = Saturated{.delay = std::chrono::duration_cast<Duration>(
                                     std::chrono::duration<double>(
                                         3 * (facts.timeout + facts.service_mean)))}}};
        return comes_back(other);
      });
}

}  // namespace

std::vector<TheoryForm> fluid_forms(const Scenario& scenario) {
  const TheoryFacts facts = facts_of(scenario);
  TheoryForm form{.name = "Fluid limit",
                  .subject = "the scenario itself without chance",
                  .source = "delay equation, method of steps (basin run --solver fluid)",
                  .standing = Standing::fluid};
  const std::optional<FluidMisfit> misfit = fluid_misfit(scenario);
  form.why_not = first_reason(
      {misfit ? misfit->table + "." + misfit->key + ": " + misfit->problem : "",
       facts.arrival_rate == 0 ? "nothing arrives" : "",
       scenario.objective ? "" : "the scenario has no objective to be judged by"});
  return {filled(std::move(form), [&](TheoryForm& to) {
    const CellResult cell = fluid_cell(scenario);
    const bool triggered = cell.output.arms.size() > 1;
    const ArmRecord& record = cell.output.arms[triggered ? 1 : 0].front();
    const Arm arm = triggered ? Arm::triggered : Arm::control;
    to.values = {
        {"goodput ratio", "1", record.metrics.goodput_ratio, "goodput_ratio", arm},
        {"peak depth", "messages", record.metrics.peak_depth, "peak_depth", arm},
        {"throughput", "1/s", record.metrics.throughput, "throughput", arm}};
    if (triggered) {
      to.values.push_back(
          {"recovery time", "s", record.recovery_time, "recovery_time", arm});
      to.values.push_back({"drain time", "s", record.drain_time, "drain_time", arm});
    }
    to.notes.push_back(fmt::format("Verdict: {}.", name_of(cell.output.phases.front())));
    // Some forty runs more, where one is short.
    constexpr double most_timeouts = 5000;
    const double longest = std::min(facts.timeout, to_seconds(scenario.system.horizon));
    if (facts.loop.empty() ||
        to_seconds(scenario.system.horizon) > most_timeouts * longest) {
      return;
    }
    if (const auto duration = critical_duration(scenario)) {
      to.values.push_back({"shortest incident that tips it", "s", *duration});
    }
    if (const auto load = saturated_edge(scenario, facts)) {
      to.values.push_back({"comes back from saturation below", "1/s", *load});
      to.notes.push_back(fmt::format(
          "Saturated: behind three timeouts of work, judged at the horizon of {}.",
          readable_span(to_seconds(scenario.system.horizon))));
    }
  })};
}

}  // namespace basin
