#include "analysis/fluid_queue.h"

#include <cmath>
#include <numeric>

#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// One server of 300/s, callers who wait a second and try twice, gone from 50 s for 10 s.
FluidQueue retry_storm(double load, double outage = 10) {
  FluidQueue queue;
  queue.arrivals = [load](double from, double to) { return load * (to - from); };
  queue.consumers = [outage](double from, double to) {
    const double down = std::max(0.0, std::min(to, 50 + outage) - std::max(from, 50.0));
    return 1 - down / (to - from);
  };
  queue.speed = [](double, double) { return 1.0; };
  queue.service = 1.0 / 300;
  queue.timeout = 1;
  queue.attempts = 2;
  queue.success_within = 2;
  queue.horizon = 600;
  queue.step = 0.005;
  return queue;
}

double sum(const std::vector<double>& series, double step, double from, double to) {
  return std::accumulate(series.begin() + std::lround(from / step),
                         series.begin() + std::lround(to / step),
                         0.0);
}

double at(const std::vector<double>& series, double step, double time) {
  return series[static_cast<std::size_t>(std::lround(time / step)) - 1];
}

// Bronson et al., HotOS 2021, section 2.1: 560/s offered for good, the queue grows by
// 260/s.
TEST(FluidQueue, the_published_retry_storm_stays) {
  const FluidPath path = follow(retry_storm(280));
  const double h = path.step;
  expect_relative(sum(path.sent, h, 300, 400), 56'000, 1e-9);
  expect_relative((at(path.depth, h, 500) - at(path.depth, h, 300)) / 200, 260, 1e-9);
  EXPECT_EQ(sum(path.goodput, h, 100, 600), 0);
  // Depth at the end of the outage: 280 * (10 + 9).
  expect_relative(at(path.depth, h, 60), 5320, 1e-3);
}

// Half the load comes back: 2,660 messages less the 299 in time, falling by 20/s: 118 s.
TEST(FluidQueue, half_the_load_comes_back_after_118_seconds) {
  const FluidPath path = follow(retry_storm(140));
  const double h = path.step;
  EXPECT_EQ(sum(path.succeeded, h, 70, 60 + 116), 0);
  expect_relative(sum(path.succeeded, h, 60 + 121, 600), 140 * (600 - 181), 1e-9);
  EXPECT_LT(at(path.depth, h, 599), 1e-6);
}

TEST(FluidQueue, without_retries_a_backlog_drains_at_the_surplus) {
  FluidQueue queue = retry_storm(280);
  queue.attempts = 1;
  queue.success_within = 1;
  const FluidPath path = follow(queue);
  const double h = path.step;
  expect_relative(at(path.depth, h, 60), 2800, 1e-3);
  // 2,800 / 20 = 140 s; goodput 1 s of work earlier.
  EXPECT_GT(at(path.depth, h, 60 + 139), 0);
  EXPECT_LT(at(path.depth, h, 60 + 141), 0.1);
}

TEST(FluidQueue, nothing_is_lost_or_made) {
  FluidQueue queue = retry_storm(250);
  queue.attempts = 4;
  queue.retries_per_timeout = 0.7;
  queue.pauses = {{.low = 0, .high = 1}, {.low = 0.5, .high = 3}};
  queue.waiting_room = 900;
  queue.time_to_live = 2.5;
  queue.bursts = {{.at = 100, .messages = 500}};
  for (const auto refused : {FluidQueue::Refused::at_timeout,
                             FluidQueue::Refused::at_once,
                             FluidQueue::Refused::silent}) {
    queue.learns_of_refusal = refused;
    const FluidPath path = follow(queue);
    const auto all = [](const std::vector<double>& series) {
      return std::accumulate(series.begin(), series.end(), 0.0);
    };
    expect_relative(all(path.entered) + all(path.refused), all(path.sent) + 500, 1e-9);
    expect_relative(all(path.handed_out) + all(path.expired) + path.depth.back(),
                    all(path.entered),
                    1e-9);
    expect_relative(
        all(path.completed) + path.in_flight.back(), all(path.handed_out), 1e-9);
    EXPECT_LE(*std::max_element(path.depth.begin(), path.depth.end()), 1400 + 1e-6);
    // Every request created before the horizon succeeds or fails.
    const std::size_t end = path.steps_to_horizon;
    double decided = 0;
    for (std::size_t n = 0; n < end; ++n) {
      decided += path.succeeded[n];
      EXPECT_LE(path.succeeded[n], path.created[n] * 1.5 + 1e-9);
    }
    EXPECT_LE(decided, sum(path.created, path.step, 0, 600) * (1 + 1e-9));
  }
}

TEST(FluidQueue, a_short_queue_cannot_hold_a_storm_and_a_long_one_can) {
  FluidQueue queue = retry_storm(280);
  queue.waiting_room = 250;  // worked off in 0.83 s, before the timeout
  const FluidPath heals = follow(queue);
  expect_relative(sum(heals.succeeded, heals.step, 400, 500), 28'000, 1e-6);
  queue.waiting_room = 600;  // 2 s
  const FluidPath stays = follow(queue);
  EXPECT_EQ(sum(stays.succeeded, stays.step, 400, 500), 0);
}

TEST(FluidQueue, a_ttl_below_the_timeout_heals) {
  FluidQueue queue = retry_storm(280);
  queue.time_to_live = 0.9;
  const FluidPath path = follow(queue);
  expect_relative(sum(path.succeeded, path.step, 300, 500), 56'000, 1e-6);
}

TEST(FluidQueue, the_step_does_not_matter) {
  FluidQueue queue = retry_storm(140);
  const double coarse = [&] {
    queue.step = 0.02;
    const FluidPath path = follow(queue);
    return sum(path.succeeded, path.step, 0, 600);
  }();
  queue.step = 0.0025;
  const FluidPath fine = follow(queue);
  expect_relative(coarse, sum(fine.succeeded, fine.step, 0, 600), 0.01);
}

TEST(FluidQueue, names_the_reason_where_there_is_no_answer) {
  FluidQueue queue = retry_storm(280);
  queue.step = 0;
  EXPECT_THROW(follow(queue), NoAnswer);
  queue.step = 1e-9;
  EXPECT_THROW(follow(queue), NoAnswer);
  queue = retry_storm(280);
  queue.timeout.reset();
  EXPECT_THROW(follow(queue), NoAnswer);
}

}  // namespace
}  // namespace basin
