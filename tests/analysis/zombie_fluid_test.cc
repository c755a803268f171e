#include "analysis/zombie_fluid.h"

#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// numpy's eigenvalues of the Jacobian agree.
TEST(ZombieFluid, saddles) {
  const ZombieSaddle some = saddle({.arrival_rate = 0.6,
                                    .service_rate = 1,
                                    .timeout_rate = 0.05,
                                    .retry_probability = 0.8});
  expect_relative(some.live, 10);
  expect_relative(some.zombie, 10);
  expect_relative(some.stable_rate, -0.07358898943540674);
  expect_relative(some.unstable_rate, 0.01358898943540674);
  expect_relative(some.window_low, 0.2);
  expect_relative(some.window_high, 1);
  const ZombieSaddle all = saddle({.arrival_rate = 0.8,
                                   .service_rate = 1,
                                   .timeout_rate = 0.02,
                                   .retry_probability = 1});
  expect_relative(all.live, 10);
  expect_relative(all.zombie, 2.5);
  expect_relative(all.stable_rate, -0.09366563145999495);
  expect_relative(all.unstable_rate, 0.01366563145999495);
}

constexpr ZombieFluid model{.arrival_rate = 0.6,
                            .service_rate = 1,
                            .timeout_rate = 0.05,
                            .retry_probability = 0.8};

// DOP853 at 1e-12 and bisection give the same, to about 8 digits.
TEST(ZombieFluid, the_shortest_trigger_that_tips_it) {
  expect_relative(critical_trigger(model, 2), 13.5465815909, 1e-8);
}

TEST(ZombieFluid, the_saddle_does_not_move_and_its_sides_part) {
  const ZombieState still = state_after(model, {.live = 10, .zombie = 10}, 5);
  expect_relative(still.live, 10, 1e-9);
  expect_relative(still.zombie, 10, 1e-9);
  EXPECT_LT(state_after(model, {.live = 9, .zombie = 9}, 500).live, 1);
  EXPECT_GT(state_after(model, {.live = 11, .zombie = 11}, 500).zombie, 20);
}

TEST(ZombieFluid, an_unsaturated_server_is_linear) {
  // n < 1: da/dt = lambda - (mu + theta (1 - q)) a.
  const ZombieState at = state_after(model, {}, 1);
  expect_relative(at.live, 0.6 / 1.01 * -std::expm1(-1.01), 1e-10);
}

TEST(ZombieFluid, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(saddle({.arrival_rate = 0.1,
                       .service_rate = 1,
                       .timeout_rate = 0.05,
                       .retry_probability = 0.8}),
               NoAnswer);
  EXPECT_THROW(critical_trigger(model, 0.5), NoAnswer);
  EXPECT_THROW(saddle({.arrival_rate = 0.6, .service_rate = 1, .timeout_rate = 0}),
               NoAnswer);
}

}  // namespace
}  // namespace basin
