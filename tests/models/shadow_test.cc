// The system against the plain model of the same rules, over random small systems.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/plain_model.h"
#include "tests/models/random_config.h"

namespace basin {
namespace {

// The order within an instant is not part of the comparison.
std::vector<LoggedEvent> by_instant(std::vector<LoggedEvent> events) {
  std::sort(events.begin(), events.end(), [](const LoggedEvent& a, const LoggedEvent& b) {
    const auto key = [](const LoggedEvent& e) {
      return std::tuple{e.time, e.what, e.request.bits, e.attempt, e.consumer};
    };
    return key(a) < key(b);
  });
  return events;
}

// The first difference with the events before it; empty where there is none.
std::string difference(const std::vector<LoggedEvent>& actual,
                       const std::vector<LoggedEvent>& plain) {
  std::size_t i = 0;
  while (i < actual.size() && i < plain.size() && actual[i] == plain[i]) {
    ++i;
  }
  if (i == actual.size() && i == plain.size()) {
    return {};
  }
  std::string text = "both:\n";
  for (std::size_t k = i < 25 ? 0 : i - 25; k < i; ++k) {
    text += "  " + to_string(actual[k]) + "\n";
  }
  const auto rest = [&](const std::vector<LoggedEvent>& events) {
    std::string lines;
    for (std::size_t k = i; k < events.size() && k < i + 6; ++k) {
      lines += "  " + to_string(events[k]) + "\n";
    }
    return lines;
  };
  return text + "then the system:\n" + rest(actual) + "then the plain model:\n" +
         rest(plain);
}

std::string difference(const MessageCounts& actual, const MessageCounts& plain) {
  std::string text;
  const auto compare = [&](const char* name, std::int64_t a, std::int64_t b) {
    if (a != b) {
      text += std::string{name} + " " + std::to_string(a) + ", plain " +
              std::to_string(b) + "\n";
    }
  };
  compare("sent", actual.sent, plain.sent);
  compare("completed", actual.completed, plain.completed);
  compare("dead_lettered", actual.dead_lettered, plain.dead_lettered);
  compare("expired", actual.expired, plain.expired);
  compare("rejected", actual.rejected, plain.rejected);
  compare("lost", actual.lost, plain.lost);
  compare("purged", actual.purged, plain.purged);
  compare("waiting", actual.waiting, plain.waiting);
  compare("in_flight", actual.in_flight, plain.in_flight);
  compare("held", actual.held, plain.held);
  compare("completions", actual.completions, plain.completions);
  compare("redeliveries", actual.redeliveries, plain.redeliveries);
  return text;
}

// Quantiles come from a histogram (engine/histogram.h), the peak from floats.
double tolerance_of(const MetricInfo& info) {
  if (info.name.starts_with("latency_p")) {
    return 0.005;
  }
  return info.name == "peak_amplification" ? 1e-6 : 1e-9;
}

bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) && std::isnan(b);
  }
  return a == b ||
         std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b)) + 1e-12;
}

std::string difference(const Metrics& actual, const Metrics& plain) {
  std::string text;
  for (const MetricInfo& info : metric_table) {
    if (!close(actual.*info.member, plain.*info.member, tolerance_of(info))) {
      text += std::string{info.name} + " " + std::to_string(actual.*info.member) +
              ", plain " + std::to_string(plain.*info.member) + "\n";
    }
  }
  return text;
}

std::string difference(const Trajectory& actual, const Trajectory& plain) {
  std::string text;
  for (const TrajectoryInfo& info : trajectory_table) {
    const std::vector<float>& a = actual.*info.member;
    const std::vector<float>& b = plain.*info.member;
    if (a.size() != b.size()) {
      text += std::string{info.name} + " has " + std::to_string(a.size()) +
              " samples, plain " + std::to_string(b.size()) + "\n";
      continue;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::abs(a[i] - b[i]) > 1e-5F * std::max(1.0F, std::abs(b[i]))) {
        text += std::string{info.name} + " at sample " + std::to_string(i) + " is " +
                std::to_string(a[i]) + ", plain " + std::to_string(b[i]) + "\n";
        break;
      }
    }
  }
  return text;
}

std::string difference(const std::optional<SimTime>& actual,
                       const std::optional<SimTime>& plain,
                       const char* name) {
  if (actual == plain) {
    return {};
  }
  const auto show = [](const std::optional<SimTime>& t) {
    return t ? std::to_string(to_seconds(*t)) : std::string{"none"};
  };
  return std::string{name} + " " + show(actual) + ", plain " + show(plain) + "\n";
}

// Empty where the two agree in everything.
std::string disagreement(const SystemConfig& config, const RandomKey& key) {
  EventLog log;
  const RunResult run = simulate(config, key, {}, &log);
  const PlainResult plain = plain_run(config, key);
  std::string text = difference(by_instant(log.events()), by_instant(plain.events));
  if (!text.empty()) {
    return text;  // the numbers would only repeat it
  }
  text += difference(run.counts, plain.counts);
  if (run.interventions != plain.interventions) {
    text += "counts of interventions differ\n";
  }
  if (run.outcomes.created != plain.outcomes.created ||
      run.outcomes.succeeded != plain.outcomes.succeeded) {
    text += "outcomes differ\n";
  }
  text += difference(run.metrics, plain_metrics(config, plain));
  text += difference(run.trajectory, plain.trajectory);
  text += difference(
      run.first_incident_start, plain.first_incident_start, "first_incident_start");
  text += difference(run.last_incident_end, plain.last_incident_end, "last_incident_end");
  text += difference(run.drained_at, plain_drained_at(config, plain), "drained_at");
  return text;
}

// Long enough for logs to be cut and rings to wrap.
SystemConfig lengthened(SystemConfig config) {
  config.horizon *= 40;
  config.sample_interval *= 40;
  for (Incident& incident : config.incidents) {
    incident.occurrences *= 10;
    incident.every = incident.every * 5 + std::chrono::seconds{8};
  }
  for (Intervention& intervention : config.interventions) {
    intervention.start *= 20;
    if (intervention.duration) {
      *intervention.duration *= 20;
    }
  }
  return config;
}

using MakeConfig = SystemConfig (*)(std::uint64_t seed);

void compare_many(std::uint64_t first_seed, std::uint64_t count, MakeConfig make) {
  int failures = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + count && failures < 5;
       ++seed) {
    const SystemConfig config = make(seed);
    std::string text;
    try {
      text = disagreement(config, RandomKey{.seed = seed});
    } catch (const std::exception& error) {
      text = std::string{"threw: "} + error.what();
    }
    if (!text.empty()) {
      ++failures;
      ADD_FAILURE() << "seed " << seed << "\n" << describe(config) << "\n" << text;
    }
  }
}

TEST(Shadow, random_systems_run_as_the_plain_model_does) {
  compare_many(1, 2500, random_config);
}

TEST(ShadowSlow, many_random_systems_run_as_the_plain_model_does) {
  compare_many(1'000'000, 40'000, random_config);
}

TEST(ShadowSlow, long_random_systems_run_as_the_plain_model_does) {
  compare_many(
      2'000'000, 200, [](std::uint64_t seed) { return lengthened(random_config(seed)); });
}

}  // namespace
}  // namespace basin
