#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "models/system.h"

namespace basin {
namespace {

using std::chrono::seconds;

// 10,000 requests per second on 32 consumers of 400/s, with leases and producers' timers.
SystemConfig fleet_behind(std::int64_t messages) {
  SystemConfig config;
  config.arrivals = PoissonArrivals{10'000};
  config.producer.timeout = seconds{30};
  config.queue.visibility_timeout = seconds{30};
  config.consumers.groups = {{.name = "", .count = 32, .service = Exponential{1.0 / 400}}};
  config.success_within = seconds{30};
  config.horizon = seconds{60};
  config.sample_interval = seconds{1};
  config.incidents.push_back({.name = "backlog", .effect = Backlog{messages}});
  return config;
}

TEST(Memory, ten_million_waiting_messages_fit_in_a_gigabyte) {
  const RunResult result =
      simulate(fleet_behind(10'000'000), {.seed = 1}, {.memory_bytes = 1'000'000'000});
  EXPECT_FALSE(result.truncated_at.has_value());
  EXPECT_GT(result.metrics.peak_depth, 9'900'000);
}

TEST(Memory, the_limit_stops_the_run_where_it_is_passed) {
  // About 24 bytes a message: 100 MB hold some 4 million.
  const RunResult result =
      simulate(fleet_behind(10'000'000), {.seed = 1}, {.memory_bytes = 100'000'000});
  ASSERT_TRUE(result.truncated_at.has_value());
  EXPECT_EQ(to_seconds(*result.truncated_at), 0);
  EXPECT_LT(result.counts.waiting, 5'000'000);
}

TEST(Memory, a_backlog_that_grows_is_stopped_at_the_instant_it_passes_the_limit) {
  SystemConfig config = fleet_behind(0);
  config.consumers.groups.front().count = 5;  // 2,000/s of 10,000/s
  config.horizon = seconds{3600};
  const RunResult result = simulate(config, {.seed = 1}, {.memory_bytes = 50'000'000});
  ASSERT_TRUE(result.truncated_at.has_value());
  const double at = to_seconds(*result.truncated_at);
  // It grows by 8,000 messages a second, 24 bytes each beside those of open requests.
  EXPECT_GT(at, 100);
  EXPECT_LT(at, 400);
  // Series end there: a sample a second, the first at 0.
  EXPECT_NEAR(static_cast<double>(result.trajectory.depth.size()), at, 2);
}

}  // namespace
}  // namespace basin
