#include "tests/models/trace_check.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/plain_model.h"

namespace basin {
namespace {

std::string line_of(const LoggedEvent& event) {
  std::ostringstream out;
  out.precision(12);
  out << to_seconds(event.time) << " " << name_of(event.what) << " ";
  if (event.request.origin() != 0) {
    out << event.request.origin() << ":";
  }
  out << event.request.place();
  if (event.attempt != 0) {
    out << "." << event.attempt;
  }
  if (event.consumer >= 0) {
    out << " c" << event.consumer;
  }
  return out.str();
}

std::vector<std::string> in_order(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end(), [](const std::string& a, const std::string& b) {
    const double time_a = std::strtod(a.c_str(), nullptr);
    const double time_b = std::strtod(b.c_str(), nullptr);
    return time_a != time_b ? time_a < time_b : a < b;
  });
  return lines;
}

std::string trace_of(const std::vector<LoggedEvent>& events,
                     std::initializer_list<Happening> only) {
  std::vector<std::string> lines;
  for (const LoggedEvent& event : events) {
    if (only.size() == 0 ||
        std::find(only.begin(), only.end(), event.what) != only.end()) {
      lines.push_back(line_of(event));
    }
  }
  std::string text;
  for (const std::string& line : in_order(lines)) {
    text += line + "\n";
  }
  return text;
}

std::string trimmed(const std::string& expected) {
  std::vector<std::string> lines;
  std::istringstream in{expected};
  for (std::string line; std::getline(in, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) {
      lines.push_back(line.substr(begin));
    }
  }
  std::string text;
  for (const std::string& line : in_order(lines)) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

Duration seconds(double value) {
  return from_seconds(value);
}

SystemConfig small_system(std::vector<double> arrivals, double service) {
  SystemConfig config;
  config.arrivals = TraceArrivals{
      .times = std::make_shared<const std::vector<double>>(std::move(arrivals)),
      .length = 100};
  config.consumers.groups = {{.name = "", .count = 1, .service = Deterministic{service}}};
  config.horizon = seconds(100);
  config.sample_interval = seconds(10);
  return config;
}

Incident incident_between(double start, double end, IncidentEffect effect) {
  Incident incident;
  incident.start = seconds(start);
  incident.duration = Deterministic{end - start};
  incident.effect = std::move(effect);
  return incident;
}

void expect_trace(const SystemConfig& config,
                  const std::string& expected,
                  std::initializer_list<Happening> only) {
  EventLog log;
  simulate(config, RandomKey{.seed = 1}, {}, &log);
  EXPECT_EQ(trace_of(log.events(), only), trimmed(expected)) << "the system";
  EXPECT_EQ(trace_of(plain_run(config, RandomKey{.seed = 1}).events, only),
            trimmed(expected))
      << "the plain model";
}

}  // namespace basin
