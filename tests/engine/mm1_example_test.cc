// The example in the comment of engine/agenda.h, word for word: the lines between the two
// marks are compared with the header by the test agenda_example.
#include <cmath>

#include <gtest/gtest.h>

#include "engine/agenda.h"
#include "engine/level.h"
#include "engine/log.h"
#include "engine/random.h"
#include "engine/run_loop.h"

namespace basin {
namespace {

double example(const RandomKey& key) {
  // clang-format off
  // --- example begins
  enum Source : std::size_t { departure, arrival, source_count };
  Agenda<source_count> agenda;
  Level in_system;
  RandomStream gaps{key, {.purpose = 0}}, works{key, {.purpose = 1}};
  const auto draw = [](RandomStream& s, double mean) {
    return from_seconds(mean * unit_exponential(s()));
  };
  SimTime now{};
  agenda.set(arrival, now + draw(gaps, 1.25));
  run_until(agenda, now, SimTime{std::chrono::hours{24}}, [&](std::size_t source) {
    if (source == arrival) {
      agenda.set(arrival, now + draw(gaps, 1.25));
      in_system.add(1, now);
      if (in_system.value() == 1) {
        agenda.set(departure, now + draw(works, 1.0));
      }
    } else {
      in_system.add(-1, now);
      agenda.set(departure, in_system.value() > 0 ? now + draw(works, 1.0) : never);
    }
  });
  // in_system.mean(SimTime{}, now) is near rho / (1 - rho) = 4
  // --- example ends
  // clang-format on
  return in_system.mean(SimTime{}, now);
}

// M/M/1 of load 0.8: mean number 4; the mean over a span T has the variance 1800/T (2 rho
// (1 + rho) / ((1 - rho)^4 mu); Whitt, "Planning queueing simulations", 1989). A day:
// 0.14.
TEST(AgendaExample, is_an_mm1_queue) {
  constexpr int days = 200;
  double sum = 0;
  for (std::uint64_t day = 0; day < days; ++day) {
    sum += example({.seed = 5, .replication = day});
  }
  const double error = std::sqrt(1800.0 / (86'400.0 * days));
  EXPECT_NEAR(sum / days, 4.0, 3.29 * error);  // 0.1%
  EXPECT_LT(3.29 * error, 0.04);
}

}  // namespace
}  // namespace basin
