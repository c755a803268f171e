#include "experiments/cell_result.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>
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

ArmAssessment assessment_of(const RunResult& run, const Scenario& scenario, Arm arm) {
  const SystemConfig& system = scenario.system;
  const std::vector<float> work = work_in_system(run.trajectory);
  ArmView view{.created = run.outcomes.created,
               .succeeded = run.outcomes.succeeded,
               .bin = seconds(system.outcome_interval),
               .work = work,
               .sample = seconds(system.sample_interval),
               .warmup = seconds(system.warmup),
               .horizon = seconds(system.horizon),
               .first_incident_start = seconds(run.first_incident_start),
               .last_incident_end = seconds(run.last_incident_end),
               .truncated_at = seconds(run.truncated_at)};
  if (arm != Arm::control && scenario.recovery_counts_from) {
    view.last_incident_end = std::max(view.last_incident_end.value_or(0),
                                      seconds(*scenario.recovery_counts_from));
  }
  return assess_arm(view, *scenario.objective);
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

void add_verdict(ArmRecord& record, const ArmVerdict& verdict) {
  record.stuck = verdict.outcome == Outcome::stuck;
  if (record.stuck && !std::isnan(record.drain_time)) {
    record.drain_time = infinity;  // an instant without a queue is no drain
  }
  record.recovery_time = verdict.recovery_time;
}

// The verdicts of all replications, written into the records and the cell.
void judge(CellResult& cell, const std::vector<Arm>& arms) {
  std::vector<std::vector<ArmRecord>>& records = cell.output.arms;
  std::vector<ReplicationVerdict> verdicts;
  std::vector<ArmVerdict> triggered;
  std::vector<ArmVerdict> unamplified;
  std::vector<double> drain_times;
  for (std::size_t r = 0; r < records[0].size(); ++r) {
    const ArmAssessment& control = *records[0][r].assessment;
    verdicts.push_back(judge_replication(control, std::nullopt));
    for (std::size_t arm = 1; arm < arms.size(); ++arm) {
      ArmRecord& record = records[arm][r];
      const ReplicationVerdict verdict = judge_replication(control, record.assessment);
      add_verdict(record, verdict.triggered);
      if (arms[arm] == Arm::triggered) {
        verdicts.back() = verdict;
        triggered.push_back(verdict.triggered);
        drain_times.push_back(record.stuck ? infinity : record.drain_time);
      } else {
        unamplified.push_back(verdict.triggered);
      }
    }
    add_verdict(records[0][r], verdicts.back().control);
    cell.output.phases.push_back(verdicts.back().phase);
  }
  const ArmRecord& first = records[0][0];
  Objective objective;
  if (!std::isnan(first.recovery_objective)) {
    objective.recovery_time = first.recovery_objective;
  }
  cell.output.has_verdict = true;
  cell.output.verdict = judge_cell(verdicts, drain_times, objective);
  if (first.certain && verdicts.size() == 1) {
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

std::string blame(Arm arm,
                  std::size_t replication,
                  std::uint64_t seed,
                  std::string_view what) {
  return fmt::format(
      "{} arm, replication {}, seed {}: {}", name_of(arm), replication, seed, what);
}

ArmRecord record_of(const RunResult& run,
                    const Scenario& scenario,
                    Arm arm,
                    TrajectoriesToKeep trajectories) {
  ArmRecord record;
  record.present = true;
  record.metrics = run.metrics;
  record.interventions = run.interventions;
  record.truncated = run.truncated_at.has_value();
  record.recovery_time = not_a_number;
  record.drain_time = drain_time(run);
  record.certain = scenario.solver == Solver::fluid;
  if (trajectories != TrajectoriesToKeep::none) {
    record.trajectory = run.trajectory;
  }
  if (scenario.objective) {
    record.recovery_objective = scenario.objective->recovery_time.value_or(not_a_number);
    try {
      record.assessment = assessment_of(run, scenario, arm);
      record.recovery_time = record.assessment->recovery_time;
    } catch (const std::exception& error) {
      record.error = error.what();
    }
  }
  return record;
}

CellResult assemble_cell(const std::vector<Arm>& arms,
                         std::vector<std::vector<ArmRecord>> records) {
  BASIN_EXPECT(!arms.empty() && arms.size() == records.size());
  CellResult cell;
  cell.output.arms = std::move(records);
  cell.output.status = CellStatus::done;
  bool is_judged = true;
  for (const std::vector<ArmRecord>& of_arm : cell.output.arms) {
    BASIN_EXPECT(!of_arm.empty() && of_arm.size() == cell.output.arms[0].size());
    for (const ArmRecord& record : of_arm) {
      is_judged &= record.assessment.has_value();
      if (!record.present || !record.error.empty()) {
        if (cell.output.status == CellStatus::done) {
          cell.output.message = record.error;
        }
        cell.output.status = CellStatus::failed;
      }
    }
  }
  if (cell.output.status == CellStatus::done && is_judged) {
    judge(cell, arms);
  }
  return cell;
}

}  // namespace basin
