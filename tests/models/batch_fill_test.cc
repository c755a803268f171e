// The batch-fill loop: the rules of SQS alone, without a retry, hold a system down.
// Batches are handled one message after another, 4 s each; at low load a batch holds one
// message, behind a backlog ten, and those that are not begun when the lease ends are
// delivered again: 10 - floor(V / 4 s) of each ten. So a backlog of full batches stays
// somewhere between a load of floor(V / 4 s) / 10 and 1 / (1 + (10 - floor(V / 4 s)) /
// 10).
//
// Expected outcomes: an independent simulator with 50 consumers, a surge of five times
// the load for 60 s, and redelivery at the original place.
#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "models/system.h"
#include "tests/models/theory_check.h"

namespace basin {
namespace {

using namespace std::chrono_literals;

struct Setting {
  double load;  // share of what 50 consumers can do, 12.5/s
  Duration visibility;
  int batch = 10;
  RedeliverAt redeliver_at = RedeliverAt::original;
  std::optional<Duration> heartbeat = std::nullopt;
  bool surge = true;
};

// Of 10 replications, those in which under half of the last requests are done within 120
// s of their creation; a full batch takes 40 s.
int stuck(const Setting& setting) {
  const double rate = setting.load * 12.5;
  SystemConfig config;
  config.arrivals = PoissonArrivals{rate};
  config.queue.visibility_timeout = setting.visibility;
  config.queue.receive_batch = setting.batch;
  config.queue.redeliver_at = setting.redeliver_at;
  config.consumers.groups = {{.name = "", .count = 50, .service = Deterministic{4}}};
  config.consumers.heartbeat = setting.heartbeat;
  config.success_within = 120s;
  config.horizon = 4h;
  if (setting.surge) {
    config.incidents = {{.name = "surge",
                         .start = 600s,
                         .duration = Deterministic{60},
                         .effect = ArrivalSurge{4 * rate}}};
  }
  int count = 0;
  for (const auto& row : replicate(10, [&](std::uint64_t replication) {
         const RunResult result =
             simulate(config, {.seed = 33, .replication = replication});
         const std::size_t bins = result.outcomes.created.size();
         double created = 0;
         double succeeded = 0;
         for (std::size_t bin = bins - bins / 10; bin < bins; ++bin) {
           created += result.outcomes.created[bin];
           succeeded += result.outcomes.succeeded[bin];
         }
         return std::vector<double>{succeeded < 0.5 * created ? 1.0 : 0.0};
       })) {
    count += row[0] > 0 ? 1 : 0;
  }
  return count;
}

TEST(BatchFill, a_lease_of_30_s_recovers_at_66_percent_and_never_at_85) {
  EXPECT_EQ(stuck({.load = 0.66, .visibility = 30s}), 0);
  EXPECT_EQ(stuck({.load = 0.85, .visibility = 30s}), 10);
}

TEST(BatchFill, a_lease_of_20_s_recovers_at_48_percent_and_never_at_74) {
  EXPECT_EQ(stuck({.load = 0.48, .visibility = 20s}), 0);
  EXPECT_EQ(stuck({.load = 0.74, .visibility = 20s}), 10);
}

TEST(BatchFill, without_the_surge_all_of_them_are_stable) {
  for (const double load : {0.66, 0.85}) {
    EXPECT_EQ(stuck({.load = load, .visibility = 30s, .surge = false}), 0) << load;
  }
  for (const double load : {0.48, 0.74}) {
    EXPECT_EQ(stuck({.load = load, .visibility = 20s, .surge = false}), 0) << load;
  }
}

TEST(BatchFill, batches_that_fit_the_lease_recover_at_85_percent) {
  EXPECT_EQ(stuck({.load = 0.85, .visibility = 30s, .batch = 1}), 0);
  EXPECT_EQ(stuck({.load = 0.85, .visibility = 30s, .batch = 7}), 0);
  EXPECT_EQ(stuck({.load = 0.85, .visibility = 60s}), 0);
}

TEST(BatchFill, a_heartbeat_recovers_at_85_percent) {
  EXPECT_EQ(stuck({.load = 0.85, .visibility = 30s, .heartbeat = 10s}), 0);
}

TEST(BatchFill,
     redelivery_at_the_back_recovers_at_80_percent_where_the_original_place_does_not) {
  EXPECT_EQ(stuck({.load = 0.80, .visibility = 30s}), 10);
  EXPECT_EQ(stuck({.load = 0.80, .visibility = 30s, .redeliver_at = RedeliverAt::back}),
            0);
}

}  // namespace
}  // namespace basin
