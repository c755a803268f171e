// The arithmetic of backlogs, "The Mathematics of Backlogs" (2026), by simulation: with
// equal gaps and equal work the simulated numbers are the published ones, within 1%.
#include <cstdint>

#include <gtest/gtest.h>

#include "models/system.h"

namespace basin {
namespace {

using namespace std::chrono_literals;

// The slow suite runs the published numbers, the quick one a hundredth of all rates.
class Backlogs {
 public:
  explicit Backlogs(double scale) : scale_{scale} {}

  SystemConfig consumers(int count, double rate_each, double load) const {
    SystemConfig config;
    config.arrivals = DeterministicArrivals{scale_ * load};
    config.consumers.groups = {
        {.name = "", .count = count, .service = Deterministic{1 / (scale_ * rate_each)}}};
    config.sample_interval = 1s;
    config.horizon = 3'000s;
    return config;
  }

  static Incident outage(std::int64_t consumers, double seconds) {
    return {.name = "outage",
            .start = 60s,
            .duration = Deterministic{seconds},
            .effect = ConsumerOutage{.share = consumers}};
  }
  Incident backlog(double messages) const {
    return {.name = "backlog",
            .start = 60s,
            .effect = Backlog{static_cast<std::int64_t>(scale_ * messages)}};
  }

  double peak(const RunResult& result) const {
    return result.metrics.peak_depth / scale_;
  }
  static double drain(const RunResult& result) {
    return to_seconds(result.drained_at.value_or(never) -
                      result.last_incident_end.value());
  }

  // 25 consumers of 400/s at 10,000/s, 15 of them away for ten minutes.
  void lose_15_of_25() const {
    SystemConfig config = consumers(25, 400, 10'000);
    config.incidents = {outage(15, 600)};
    const RunResult result = simulate(config, {});
    EXPECT_NEAR(peak(result), 3.6e6, 3.6e4);
    EXPECT_FALSE(result.drained_at.has_value());
    EXPECT_NEAR(result.metrics.final_depth / scale_, 3.6e6, 3.6e4);
  }
  // The same loss with 30: 10 are left, and afterwards there is a surplus of 2,000/s.
  void lose_20_of_30() const {
    SystemConfig config = consumers(30, 400, 10'000);
    config.incidents = {outage(20, 600)};
    const RunResult result = simulate(config, {});
    EXPECT_NEAR(peak(result), 3.6e6, 3.6e4);
    EXPECT_NEAR(drain(result), 1'800, 18);
  }
  // 10,000/s come together for 360 s and take 1,800 s at a surplus of 2,000/s.
  void longest_incident() const {
    SystemConfig config = consumers(30, 400, 10'000);
    config.incidents = {outage(30, 360)};
    EXPECT_NEAR(drain(simulate(config, {})), 1'800, 18);
  }
  void drain_600_000() const {
    SystemConfig config = consumers(30, 500, 10'000);
    config.incidents = {backlog(600'000)};
    EXPECT_NEAR(drain(simulate(config, {})), 120, 1.2);
  }
  // A backlog of 50,000 at 5,000/s is a wait of 10 s for who comes next.
  void wait_behind_50_000() const {
    SystemConfig config = consumers(25, 200, 5'000);
    config.horizon = 300s;
    config.incidents = {backlog(50'000)};
    const RunResult result = simulate(config, {});
    EXPECT_NEAR(static_cast<double>(result.trajectory.oldest_age[300]), 10, 0.1);
  }

 private:
  double scale_;
};

TEST(BacklogArithmetic, losing_15_of_25_consumers_for_600_s_never_drains) {
  Backlogs{0.01}.lose_15_of_25();
}
TEST(BacklogArithmetic, thirty_consumers_drain_it_in_1800_s) {
  Backlogs{0.01}.lose_20_of_30();
}
TEST(BacklogArithmetic, an_incident_of_360_s_takes_the_whole_recovery_time) {
  Backlogs{0.01}.longest_incident();
}
TEST(BacklogArithmetic, a_surplus_of_5000_a_second_drains_600000_in_120_s) {
  Backlogs{0.01}.drain_600_000();
}
TEST(BacklogArithmetic, fifty_thousand_messages_are_10_s_at_5000_a_second) {
  Backlogs{0.01}.wait_behind_50_000();
}
TEST(BacklogArithmeticSlow, the_published_numbers_at_full_size) {
  const Backlogs published{1};
  published.lose_15_of_25();
  published.lose_20_of_30();
  published.longest_incident();
  published.drain_600_000();
  published.wait_behind_50_000();
}

}  // namespace
}  // namespace basin
