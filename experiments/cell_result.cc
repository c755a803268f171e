#include "experiments/cell_result.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <variant>

#include <fmt/format.h>

#include "engine/contract.h"
#include "engine/time.h"

namespace basin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The nearest double, so that whole seconds are whole: windows begin at such instants.
double seconds(Duration span) {
  return static_cast<double>(span.count()) / 1e9;
}

std::optional<double> seconds(const std::optional<SimTime>& instant) {
  return instant ? std::optional<double>{seconds(instant->time_since_epoch())}
                 : std::nullopt;
}

// From the end of the last incident; infinite if not drained by the horizon.
double drain_time(const RunResult& run) {
  if (!run.last_incident_end) {
    return not_a_number;
  }
  return run.drained_at ? seconds(*run.drained_at - *run.last_incident_end) : infinity;
}

// A run and its work, as the verdict reads them.
struct JudgedRun {
  const RunResult* run;
  std::vector<float> work;
  ArmView view;
};

JudgedRun view_of(const RunResult& run, const Scenario& scenario, Arm arm) {
  const SystemConfig& system = scenario.system;
  JudgedRun judged{.run = &run, .work = work_in_system(run.trajectory), .view = {}};
  judged.view = {.created = run.outcomes.created,
                 .succeeded = run.outcomes.succeeded,
                 .bin = seconds(system.outcome_interval),
                 .work = judged.work,
                 .sample = seconds(system.sample_interval),
                 .warmup = seconds(system.warmup),
                 .horizon = seconds(system.horizon),
                 .first_incident_start = seconds(run.first_incident_start),
                 .last_incident_end = seconds(run.last_incident_end),
                 .truncated_at = seconds(run.truncated_at)};
  if (arm != Arm::control && scenario.recovery_counts_from) {
    judged.view.last_incident_end = std::max(judged.view.last_incident_end.value_or(0),
                                             seconds(*scenario.recovery_counts_from));
  }
  return judged;
}

ArmRecord record_of(const RunResult& run, TrajectoriesToKeep trajectories) {
  ArmRecord record;
  record.present = true;
  record.metrics = run.metrics;
  record.interventions = run.interventions;
  record.truncated = run.truncated_at.has_value();
  record.recovery_time = not_a_number;
  record.drain_time = drain_time(run);
  if (trajectories != TrajectoriesToKeep::none) {
    record.trajectory = run.trajectory;
  }
  return record;
}

void add_verdict(ArmRecord& record, const ArmVerdict& verdict) {
  record.stuck = verdict.outcome == Outcome::stuck;
  if (record.stuck && !std::isnan(record.drain_time)) {
    record.drain_time = infinity;  // an instant without a queue is no drain
  }
  record.recovery_time = verdict.recovery_time;
}

std::string blame(Arm arm,
                  std::size_t replication,
                  std::uint64_t seed,
                  std::string_view what) {
  return fmt::format(
      "{} arm, replication {}, seed {}: {}", name_of(arm), replication, seed, what);
}

// One run without chance in it says all there is to say.
void make_certain(CellVerdict& verdict) {
  verdict.decided = true;
  for (Probability& phase : verdict.phases) {
    phase.interval = {.low = phase.estimate, .high = phase.estimate};
  }
  if (verdict.within_rto) {
    verdict.within_rto->interval = {.low = verdict.within_rto->estimate,
                                    .high = verdict.within_rto->estimate};
  }
}

// The verdicts of all replications, written into the records and the cell.
void judge(CellResult& cell,
           const Scenario& scenario,
           const std::vector<Arm>& arms,
           const std::vector<const ArmRuns*>& runs) {
  std::vector<ReplicationVerdict> verdicts;
  std::vector<ArmVerdict> triggered;
  std::vector<ArmVerdict> unamplified;
  std::vector<double> drain_times;
  const auto replications = runs.front()->results.size();
  for (std::size_t r = 0; r < replications; ++r) {
    std::vector<JudgedRun> judged;
    judged.reserve(runs.size());
    for (std::size_t k = 0; k < runs.size(); ++k) {
      judged.push_back(view_of(*runs[k]->results[r], scenario, arms[k]));
    }
    const ArmView& control = judged[0].view;
    std::size_t arm = 0;
    try {
      // The control first, by itself, so that what is wrong with it is not laid at
      // another arm's door.
      verdicts.push_back(judge_replication(control, std::nullopt, *scenario.objective));
      for (arm = 1; arm < arms.size(); ++arm) {
        const ReplicationVerdict verdict =
            judge_replication(control, judged[arm].view, *scenario.objective);
        if (arms[arm] == Arm::triggered) {
          verdicts.back() = verdict;
          triggered.push_back(verdict.triggered);
          drain_times.push_back(verdict.triggered.outcome == Outcome::stuck
                                    ? infinity
                                    : drain_time(*judged[arm].run));
        } else {
          unamplified.push_back(verdict.triggered);
        }
        add_verdict(cell.output.arms[arm][r], verdict.triggered);
      }
    } catch (const std::exception& error) {
      cell.output.status = CellStatus::failed;
      cell.output.message = blame(arms[arm], r, scenario.seed, error.what());
      return;
    }
    add_verdict(cell.output.arms[0][r], verdicts.back().control);
    cell.output.phases.push_back(verdicts.back().phase);
  }
  cell.output.has_verdict = true;
  cell.output.verdict = judge_cell(verdicts, drain_times, *scenario.objective);
  if (scenario.solver == Solver::fluid && verdicts.size() == 1) {
    make_certain(cell.output.verdict);
  }
  if (!unamplified.empty()) {
    cell.explanation = explain(triggered, unamplified);
  }
}

}  // namespace

SystemConfig system_of_arm(const SystemConfig& system, Arm arm) {
  SystemConfig result = system;
  switch (arm) {
    case Arm::control:
      result.incidents.clear();
      result.interventions.clear();
      break;
    case Arm::triggered:
      break;
    case Arm::unamplified:
      result.producer.max_attempts = 1;
      result.queue.visibility_timeout.reset();
      result.queue.max_receives.reset();
      result.consumers.heartbeat.reset();
      // Lost acknowledgements act through leases alone.
      std::erase_if(result.incidents, [](const Incident& incident) {
        return std::holds_alternative<AckLoss>(incident.effect);
      });
      break;
  }
  return result;
}

std::vector<float> work_in_system(const Trajectory& trajectory) {
  std::vector<float> work(trajectory.depth.size());
  for (std::size_t k = 0; k < work.size(); ++k) {
    work[k] =
        trajectory.depth[k] + trajectory.in_flight[k] + trajectory.retries_pending[k];
  }
  return work;
}

CellResult assemble_cell(const Scenario& scenario,
                         const std::vector<Arm>& arms,
                         const std::vector<const ArmRuns*>& runs,
                         TrajectoriesToKeep trajectories) {
  BASIN_EXPECT(!arms.empty() && arms.size() == runs.size());
  CellResult cell;
  cell.output.status = CellStatus::done;
  for (std::size_t arm = 0; arm < arms.size(); ++arm) {
    std::vector<ArmRecord>& records = cell.output.arms.emplace_back();
    for (std::size_t r = 0; r < runs[arm]->results.size(); ++r) {
      if (runs[arm]->results[r]) {
        records.push_back(record_of(*runs[arm]->results[r], trajectories));
        continue;
      }
      records.emplace_back();
      if (cell.output.message.empty()) {
        cell.output.status = CellStatus::failed;
        cell.output.message = blame(arms[arm], r, scenario.seed, runs[arm]->errors[r]);
      }
    }
  }
  if (cell.output.status == CellStatus::done && scenario.objective) {
    judge(cell, scenario, arms, runs);
  }
  return cell;
}

}  // namespace basin
