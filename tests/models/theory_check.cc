#include "tests/models/theory_check.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <ostream>
#include <thread>

#include <boost/math/distributions/students_t.hpp>
#include <gtest/gtest.h>

#include "models/system.h"

namespace basin {

std::vector<std::vector<double>> replicate(
    int replications, const std::function<std::vector<double>(std::uint64_t)>& run) {
  constexpr int threads = 2;
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(replications));
  std::vector<std::exception_ptr> failures(threads);
  std::vector<std::thread> workers;
  for (int first = 0; first < threads; ++first) {
    workers.emplace_back([&, first] {
      try {
        for (int row = first; row < replications; row += threads) {
          rows[static_cast<std::size_t>(row)] = run(static_cast<std::uint64_t>(row));
        }
      } catch (...) {
        failures[static_cast<std::size_t>(first)] = std::current_exception();
      }
    });
  }
  for (std::thread& worker : workers) {
    worker.join();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) {
      std::rethrow_exception(failure);
    }
  }
  return rows;
}

void PrintTo(const TheoryCase& theory, std::ostream* stream) {
  *stream << theory.source;
}

Interval interval_of(const std::vector<double>& estimates,
                     const std::vector<double>& controls) {
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) /
           static_cast<double>(values.size());
  };
  const auto n = static_cast<double>(estimates.size());
  const double center = mean(estimates);
  const double control = controls.empty() ? 0 : mean(controls);
  double yy = 0;
  double xy = 0;
  double xx = 0;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const double y = estimates[i] - center;
    const double x = controls.empty() ? 0 : controls[i] - control;
    yy += y * y;
    xy += x * y;
    xx += x * x;
  }
  const double slope = controls.empty() ? 0 : xy / xx;
  const double freedom = n - (controls.empty() ? 1 : 2);
  const double residual = (yy - slope * xy) / freedom;
  const double error =
      std::sqrt(residual * (1 / n + (controls.empty() ? 0 : control * control / xx)));
  const double t = boost::math::quantile(boost::math::complement(
      boost::math::students_t(freedom), (1 - interval_level) / 2));
  const double adjusted = center - slope * control;
  return {adjusted - t * error, adjusted + t * error};
}

void expect_agreement(const std::string& what,
                      const TheoryValue& value,
                      const Interval& interval,
                      double widest) {
  const double size = std::abs(value.exact);
  const double width = (interval.high - interval.low) / size;
  std::printf("  %-20s exact %-12.7g simulated %-12.7g in [%.7g, %.7g], width %.2f%%\n",
              value.name.c_str(),
              value.exact,
              0.5 * (interval.low + interval.high),
              interval.low,
              interval.high,
              100 * width);
  EXPECT_GE(value.exact, interval.low - value.resolution * size)
      << what << ", " << value.name;
  EXPECT_LE(value.exact, interval.high + value.resolution * size)
      << what << ", " << value.name;
  EXPECT_LE(width, widest) << what << ", " << value.name;
}

void check(const TheoryCase& theory, double widest) {
  std::printf("%s: %s\n", theory.name.c_str(), theory.source.c_str());
  // The control first.
  const auto rows = replicate(theory.replications, [&](std::uint64_t replication) {
    const RunResult result =
        simulate(theory.config, {.seed = theory.seed, .replication = replication});
    std::vector<double> row;
    row.push_back(theory.control ? theory.control->estimate(result) - theory.control->mean
                                 : 0.0);
    for (const TheoryValue& value : theory.values) {
      row.push_back(value.estimate(result));
    }
    return row;
  });
  const auto column = [&](std::size_t place) {
    std::vector<double> values;
    for (const std::vector<double>& row : rows) {
      values.push_back(row[place]);
    }
    return values;
  };
  const std::vector<double> controls = column(0);
  for (std::size_t place = 0; place < theory.values.size(); ++place) {
    const TheoryValue& value = theory.values[place];
    const bool controlled = theory.control && value.controlled;
    expect_agreement(
        theory.name,
        value,
        interval_of(column(place + 1), controlled ? controls : std::vector<double>{}),
        widest);
  }
}

std::function<double(const RunResult&)> sampled_probability(
    const SystemConfig& config, const std::function<bool(float, float)>& holds) {
  const auto first = static_cast<std::size_t>(config.warmup / config.sample_interval) + 1;
  return [first, holds](const RunResult& result) {
    const Trajectory& trajectory = result.trajectory;
    double held = 0;
    for (std::size_t i = first; i < trajectory.depth.size(); ++i) {
      held += holds(trajectory.depth[i], trajectory.in_flight[i]) ? 1.0 : 0.0;
    }
    return held / static_cast<double>(trajectory.depth.size() - first);
  };
}

}  // namespace basin
