#include "analysis/fluid_trigger.h"

#include <cmath>
#include <vector>

#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

constexpr FluidTrigger burst{
    .arrival_rate = 0.8, .capacity = 1, .trigger_rate = 1.5, .trigger_time = 100};

TEST(FluidTrigger, builds_a_backlog_and_drains_it) {
  const FluidTriggerAnswers result = answers(burst);
  expect_relative(result.peak_backlog, 50);
  expect_relative(result.drain_time.value, 250);
  expect_relative(result.episode.value, 350);
}

TEST(FluidTrigger, below_capacity_leaves_nothing) {
  FluidTrigger trigger = burst;
  trigger.trigger_rate = 1;
  const FluidTriggerAnswers result = answers(trigger);
  EXPECT_EQ(result.peak_backlog, 0);
  EXPECT_EQ(result.drain_time.value, 0);
  EXPECT_EQ(result.episode.value, 100);
}

TEST(FluidTrigger, without_surplus_stays) {
  FluidTrigger trigger = burst;
  trigger.arrival_rate = 1;
  EXPECT_EQ(answers(trigger).drain_time.why_infinite,
            "capacity equals arrivals, so there is no surplus");
  EXPECT_EQ(answers(trigger).episode.why_infinite,
            "capacity equals arrivals, so there is no surplus");
  trigger.arrival_rate = 1.1;
  EXPECT_EQ(answers(trigger).drain_time.why_infinite,
            "arrivals exceed capacity, so the backlog grows");
}

// Capacity 300/s, one retry, a timeout of a second.
constexpr RetryAftermath storm{
    .arrival_rate = 100, .capacity = 300, .attempts = 2, .timeout = 1, .backlog = 10'000};

TEST(RetryAftermath, drains_below_the_vulnerable_band) {
  const RetryAftermathAnswers result = answers(storm);
  expect_relative(result.vulnerable_from, 150);
  expect_relative(result.overloaded_from, 300);
  expect_relative(result.sustaining_backlog, 300);
  expect_relative(result.goodput_returns.value, 97);
  expect_relative(result.empty.value, 100);
  expect_relative(result.empty_as_retries_end.value, 99);
}

// The same fluid in steps of a thousandth of a timeout, each cohort with its retries.
TEST(RetryAftermath, agrees_with_the_fluid_followed_step_by_step) {
  constexpr int per_second = 1000;
  for (const double attempts : {1.0, 2.0, 3.0}) {
    RetryAftermath model = storm;
    model.attempts = attempts;
    model.arrival_rate = 80;
    // Whether what was sent then timed out; before the start everything did.
    std::vector<bool> timed_out(per_second, true);
    double depth = model.backlog;
    double returned = -1;
    std::size_t step = per_second;
    for (; depth > 0; ++step) {
      const double sent = timed_out[step - per_second] ? 80 * attempts : 80;
      const bool late = depth > 300;
      if (!late && returned < 0) {
        returned = static_cast<double>(step - per_second) / per_second;
      }
      timed_out.push_back(late);
      depth += (sent - 300) / per_second;
    }
    const RetryAftermathAnswers result = answers(model);
    expect_relative(result.goodput_returns.value, returned, 1e-4);
    expect_relative(result.empty_as_retries_end.value,
                    static_cast<double>(step - per_second) / per_second,
                    1e-4);
    EXPECT_LE(result.empty_as_retries_end.value, result.empty.value * (1 + 1e-12));
  }
}

TEST(RetryAftermath, keeps_itself_up_in_the_vulnerable_band) {
  RetryAftermath vulnerable = storm;
  vulnerable.arrival_rate = 150;
  EXPECT_EQ(answers(vulnerable).goodput_returns.why_infinite,
            "arrivals with their retries equal capacity, so the backlog stays");
  vulnerable.arrival_rate = 200;
  EXPECT_EQ(answers(vulnerable).empty.why_infinite,
            "arrivals with their retries exceed capacity, so the backlog that makes them "
            "retry grows");
  vulnerable.backlog = 300;
  EXPECT_EQ(answers(vulnerable).goodput_returns.value, 0);
  expect_relative(answers(vulnerable).empty.value, 3);
  vulnerable.arrival_rate = 300;
  vulnerable.backlog = 301;
  EXPECT_EQ(answers(vulnerable).empty.why_infinite,
            "capacity equals arrivals, so there is no surplus");
  vulnerable.arrival_rate = 301;
  vulnerable.backlog = 0;
  EXPECT_EQ(answers(vulnerable).goodput_returns.why_infinite,
            "arrivals exceed capacity, so the backlog grows");
}

TEST(RetryAftermath, without_retries_is_plain_drain) {
  RetryAftermath patient = storm;
  patient.attempts = 1;
  expect_relative(answers(patient).empty.value, 50);
  expect_relative(answers(patient).empty_as_retries_end.value, 50);
  expect_relative(answers(patient).goodput_returns.value, 48.5);
}

TEST(FluidTrigger, names_the_reason_where_there_is_no_answer) {
  FluidTrigger trigger = burst;
  trigger.trigger_time = -1;
  EXPECT_THROW(answers(trigger), NoAnswer);
  trigger.trigger_time = 1e308;
  trigger.trigger_rate = 1e308;
  EXPECT_THROW(answers(trigger), NoAnswer);
  RetryAftermath aftermath = storm;
  aftermath.attempts = 0.5;
  EXPECT_THROW(answers(aftermath), NoAnswer);
  aftermath.attempts = std::nan("");
  EXPECT_THROW(answers(aftermath), NoAnswer);
}

}  // namespace
}  // namespace basin
