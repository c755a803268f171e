#include "experiments/rescue_search.h"

#include <algorithm>
#include <cmath>

#include "engine/contract.h"

namespace basin {

namespace {

// Scenarios with the interventions of the question, and what came of them.
class Trials {
 public:
  Trials(const RescueQuestion& question, const RunSideBySide& run)
      : question_{question}, run_{run} {}

  std::vector<RescueTrial> of(const std::vector<InterventionEffect>& effects) const {
    std::vector<Scenario> scenarios;
    scenarios.reserve(effects.size());
    for (const InterventionEffect& effect : effects) {
      scenarios.push_back(scenario_with(effect, std::nullopt));
    }
    std::vector<RescueTrial> trials;
    for (const CellResult& cell : run_(scenarios)) {
      trials.push_back(trial_of(cell));
    }
    return trials;
  }

  // Judged from the end of the intervention: whether the system stays healthy.
  RescueTrial once_over(const InterventionEffect& effect, Duration duration) const {
    Scenario scenario = scenario_with(effect, duration);
    scenario.recovery_counts_from = question_.at + duration;
    scenario.objective->recovery_time = scenario.objective->hold;
    return trial_of(run_({scenario}).front());
  }

 private:
  Scenario scenario_with(const InterventionEffect& effect,
                         std::optional<Duration> duration) const {
    Scenario scenario = question_.scenario;
    scenario.recovery_counts_from = question_.at;
    scenario.objective->recovery_time = question_.rto;
    scenario.system.interventions.push_back({.name = "whatif",
                                             .start = question_.at,
                                             .duration = duration,
                                             .effect = effect});
    return scenario;
  }

  static RescueTrial trial_of(const CellResult& cell) {
    if (cell.output.status != CellStatus::done || !cell.output.has_verdict) {
      throw RescueFailed(cell.output.message);
    }
    BASIN_EXPECT(cell.output.verdict.within_rto.has_value());
    RescueTrial trial{.recovered = *cell.output.verdict.within_rto,
                      .recovery_time = cell.output.verdict.recovery_time,
                      .recovery_times = {}};
    trial.unhealthy_controls = std::count_if(
        cell.output.phases.begin(), cell.output.phases.end(), [](Phase phase) {
          return phase == Phase::spontaneous || phase == Phase::overloaded;
        });
    const std::vector<ArmRecord>& records = cell.output.arms[1];
    const auto share = 1 / static_cast<double>(records.size());
    for (const ArmRecord& record : records) {
      const InterventionCounts& counts = record.interventions;
      trial.recovery_times.push_back(record.recovery_time);
      trial.requests_shed += share * static_cast<double>(counts.shed);
      trial.messages_dropped +=
          share * static_cast<double>(counts.purged + counts.expired);
      trial.retries_cancelled += share * static_cast<double>(counts.retries_cancelled);
    }
    return trial;
  }

  const RescueQuestion& question_;
  const RunSideBySide& run_;
};

// The interventions of a lever by strength, 1 the weakest.
struct Ladder {
  std::function<InterventionEffect(int)> effect;
  // Strengths to try until one is enough. From there on down it is a bisection.
  std::vector<int> probes;
  double precision =
      0;  // steps that need not be told apart, as a share of `offset` + step
  int offset = 0;
};

class LeverSearch {
 public:
  LeverSearch(Ladder ladder, double probability)
      : ladder_{std::move(ladder)}, probability_{probability} {}

  // What to try next; nothing when the search is over.
  std::optional<InterventionEffect> next() const {
    const std::optional<int> strength = next_strength();
    return strength ? std::optional{ladder_.effect(*strength)} : std::nullopt;
  }

  void take(const RescueTrial& trial) {
    const int strength = *next_strength();
    const bool is_enough = trial.recovered.estimate >= probability_;
    const TriedIntervention tried{ladder_.effect(strength), trial};
    if (is_enough) {
      enough_ = strength;
      answer_.enough = tried;
    } else {
      ++failed_probes_;
      too_little_ = strength;
      answer_.too_little = tried;
    }
  }

  LeverAnswer answer(Lever lever) const {
    LeverAnswer answer = answer_;
    answer.lever = lever;
    return answer;
  }

 private:
  std::optional<int> next_strength() const {
    if (!enough_) {
      return failed_probes_ < ladder_.probes.size()
                 ? std::optional{ladder_.probes[failed_probes_]}
                 : std::nullopt;
    }
    const int gap = *enough_ - too_little_;
    const double same = ladder_.precision * (ladder_.offset + *enough_);
    return gap <= std::max(1.0, same) ? std::nullopt
                                      : std::optional{too_little_ + gap / 2};
  }

  Ladder ladder_;
  double probability_;
  std::size_t failed_probes_ = 0;
  int too_little_ = 0;  // 0: nothing at all
  std::optional<int> enough_;
  LeverAnswer answer_;
};

int steps_of(double precision) {
  return static_cast<int>(std::ceil(1 / precision - 1e-9));
}

Ladder shed_ladder(double precision) {
  return {.effect =
              [precision](int strength) {
                return Shed{.admitted = std::max(1 - strength * precision, 0.0)};
              },
          .probes = {steps_of(precision) - 1}};
}

Ladder purge_ladder(double precision) {
  return {.effect =
              [precision](int strength) {
                return Purge{.fraction = std::min(strength * precision, 1.0)};
              },
          .probes = {steps_of(precision)}};
}

Ladder consumers_ladder(const SystemConfig& system, double precision) {
  const int present = total_count(system.consumers);
  const double places = 1e7 / system.queue.receive_batch;
  const double room = std::min(1e6, places) - present;
  const int most = static_cast<int>(std::min(room, std::max(1000.0, 10.0 * present)));
  std::vector<int> probes;
  for (int count = 1; count < most; count *= 2) {
    probes.push_back(count);
  }
  if (most > 0) {
    probes.push_back(most);
  }
  return {.effect = [](int strength) { return AddConsumers{.count = strength}; },
          .probes = std::move(probes),
          .precision = precision,
          .offset = present};
}

Ladder drop_ladder(Duration longest, double precision) {
  const int steps = steps_of(precision);
  std::vector<int> probes;
  // A lower age is not always better: messages that could still be in time go too.
  for (const double share : {1.0, 0.75, 0.5, 0.25, 0.1}) {
    const int strength = 1 + static_cast<int>(std::floor((1 - share) * steps));
    if (probes.empty() || strength > probes.back()) {
      probes.push_back(std::min(strength, steps));
    }
  }
  return {.effect =
              [longest, precision](int strength) {
                const double share = 1 - (strength - 1) * precision;
                const auto age =
                    std::llround(share * static_cast<double>(longest.count()));
                return DropExpired{.age = Duration{std::max<std::int64_t>(age, 1)}};
              },
          .probes = std::move(probes)};
}

// After which a message is of no use to anybody.
std::optional<Duration> longest_useful_age(const SystemConfig& system) {
  std::optional<Duration> age =
      system.producer.timeout ? system.producer.timeout : system.success_within;
  if (age && system.queue.message_ttl) {
    age = std::min(*age, *system.queue.message_ttl);
  }
  return age;
}

struct Planned {
  Lever lever;
  std::optional<LeverSearch> search;
  std::string left_out;
};

std::vector<Planned> planned_levers(const RescueQuestion& question) {
  const SystemConfig& system = question.scenario.system;
  const auto search = [&](Ladder ladder) {
    return LeverSearch{std::move(ladder), question.probability};
  };
  std::vector<Planned> levers;
  levers.push_back({Lever::shed, search(shed_ladder(question.precision)), ""});
  levers.push_back(
      {Lever::add_consumers, search(consumers_ladder(system, question.precision)), ""});
  if (system.producer.timeout && system.producer.max_attempts > 1) {
    levers.push_back({Lever::retries_off,
                      search({.effect = [](int) { return RetriesOff{}; }, .probes = {1}}),
                      ""});
  } else {
    levers.push_back({Lever::retries_off, std::nullopt, "there are none"});
  }
  if (const auto age = longest_useful_age(system)) {
    levers.push_back(
        {Lever::drop_expired, search(drop_ladder(*age, question.precision)), ""});
  } else {
    levers.push_back({Lever::drop_expired,
                      std::nullopt,
                      "neither producer.timeout nor objective.latency says what is old"});
  }
  levers.push_back({Lever::purge, search(purge_ladder(question.precision)), ""});
  return levers;
}

// Long enough for the replications that recovered in time, and a fifth more.
Duration shed_long_enough(const RescueQuestion& question, const RescueTrial& trial) {
  double slowest = question.scenario.objective->hold;
  for (const double time : trial.recovery_times) {
    if (time <= question.rto) {
      slowest = std::max(slowest, time);
    }
  }
  return std::chrono::seconds{std::llround(std::ceil(1.2 * slowest))};
}

BackToFull return_of_load(const RescueQuestion& question,
                          const TriedIntervention& shed,
                          const Trials& trials) {
  BackToFull result;
  result.shed_for = shed_long_enough(question, shed.trial);
  if (question.at + result.shed_for > latest_judgeable(question.scenario)) {
    result.left_out = "the horizon ends too soon after it to tell";
    return result;
  }
  result.trial = trials.once_over(shed.effect, result.shed_for);
  return result;
}

}  // namespace

std::string_view name_of(Lever lever) {
  switch (lever) {
    case Lever::shed:
      return "shed";
    case Lever::add_consumers:
      return "add_consumers";
    case Lever::retries_off:
      return "retries_off";
    case Lever::drop_expired:
      return "drop_expired";
    case Lever::purge:
      return "purge";
  }
  return "?";
}

std::optional<double> mean_end_of_incidents(const SystemConfig& system) {
  std::optional<double> latest;
  for (const Incident& incident : system.incidents) {
    const double end = to_seconds(incident.start) +
                       (incident.occurrences - 1) * to_seconds(incident.every) +
                       mean_of(incident.duration);
    latest = std::max(latest.value_or(end), end);
  }
  return latest;
}

Duration latest_judgeable(const Scenario& scenario) {
  const double horizon = to_seconds(scenario.system.horizon);
  const double after =
      std::max(scenario.objective->hold, scenario.objective->tail * horizon);
  return scenario.system.horizon - from_seconds(after);
}

RescueAnswer search_rescue(const RescueQuestion& question, const RunSideBySide& run) {
  BASIN_EXPECT(question.scenario.axes.empty() && question.scenario.objective);
  BASIN_EXPECT(question.precision >= 0.001 && question.precision <= 0.5);
  const Trials trials{question, run};
  RescueAnswer answer;
  answer.nothing = trials.of({Shed{.admitted = 1}}).front();  // turns nobody away
  answer.recovers_by_itself = answer.nothing.recovered.estimate >= question.probability;
  if (answer.recovers_by_itself) {
    return answer;
  }

  std::vector<Planned> levers = planned_levers(question);
  while (true) {
    std::vector<LeverSearch*> asking;
    std::vector<InterventionEffect> effects;
    for (Planned& lever : levers) {
      if (const auto effect = lever.search ? lever.search->next() : std::nullopt) {
        asking.push_back(&*lever.search);
        effects.push_back(*effect);
      }
    }
    if (asking.empty()) {
      break;
    }
    const std::vector<RescueTrial> results = trials.of(effects);
    for (std::size_t k = 0; k < asking.size(); ++k) {
      asking[k]->take(results[k]);
    }
  }

  for (const Planned& lever : levers) {
    answer.levers.push_back(lever.search ? lever.search->answer(lever.lever)
                                         : LeverAnswer{.lever = lever.lever,
                                                       .left_out = lever.left_out,
                                                       .enough = {},
                                                       .too_little = {}});
  }
  if (const auto& shed = answer.levers.front().enough) {
    answer.return_of_load = return_of_load(question, *shed, trials);
  }
  return answer;
}

}  // namespace basin
