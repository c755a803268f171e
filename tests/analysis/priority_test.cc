#include "analysis/priority.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/mm1.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

PriorityClass exponential(double arrival_rate, double mean = 1) {
  return {.arrival_rate = arrival_rate, .service = exponential_law(mean).moments};
}

const std::vector<PriorityClass> mixed{
    {.arrival_rate = 0.1, .service = {.mean = 1, .second = 1}},
    {.arrival_rate = 0.05, .service = {.mean = 4, .second = 50}},
    {.arrival_rate = 0, .service = {.mean = 2, .second = 4}},
    {.arrival_rate = 2, .service = {.mean = 0.3, .second = 0.18}}};

// Cobham: R = 0.8, waits R / 0.7 and R / (0.7 * 0.2).
TEST(Priority, two_exponential_classes_without_preemption) {
  const auto result =
      answers(NonPreemptivePriority{.classes = {exponential(0.3), exponential(0.5)}});
  ASSERT_EQ(result.size(), 2U);
  expect_relative(result[0].mean_wait, 1.1428571428571428571);
  expect_relative(result[1].mean_wait, 5.7142857142857142857);
  expect_relative(result[0].mean_waiting, 0.34285714285714285714);
  expect_relative(result[1].mean_waiting, 2.8571428571428571429);
  expect_relative(result[1].mean_sojourn, 6.7142857142857142857);
  expect_relative(result[1].mean_number, 3.3571428571428571429);
  expect_relative(result[0].utilization, 0.3);
}

// Kleinrock: sum of rho_k Wq_k is rho R / (1 - rho) under any order of service.
TEST(Priority, order_conserves_the_work) {
  std::vector<PriorityClass> order = mixed;
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.service.mean < b.service.mean;
  });
  const double rho = 0.9;
  const double under_way = (0.1 * 1 + 0.05 * 50 + 2 * 0.18) / 2;
  for (const auto& classes : {mixed, order}) {
    const auto result = answers(NonPreemptivePriority{.classes = classes});
    double sum = 0;
    for (const PriorityAnswers& one : result) {
      sum += one.utilization * one.mean_wait;
    }
    expect_relative(sum, rho * under_way / (1 - rho));
  }
}

// With exponential services the work present is sum of L_k E[S_k], also of those
// interrupted, and work does not depend on the order: it is R / (1 - rho).
TEST(Priority, preemption_conserves_the_work) {
  const auto result = answers(PreemptivePriority{
      .classes = {exponential(0.2, 1.5), exponential(1, 0.1), exponential(0.05, 10)}});
  const double under_way = 0.2 * 1.5 * 1.5 + 1 * 0.01 + 0.05 * 100;
  expect_relative(result[0].mean_number * 1.5 + result[1].mean_number * 0.1 +
                      result[2].mean_number * 10,
                  under_way / (1 - 0.9));
}

TEST(Priority, who_preempts_sees_nobody_below) {
  const auto result =
      answers(PreemptivePriority{.classes = {exponential(0.8), exponential(0.1)}});
  const Mm1Answers alone = answers(Mm1{.arrival_rate = 0.8, .service_rate = 1});
  expect_relative(result[0].mean_wait, alone.mean_wait);
  expect_relative(result[0].mean_number, alone.mean_number);
  // Equal exponential services: the number of all is that of M/M/1 at 0.9.
  expect_relative(result[0].mean_number + result[1].mean_number, 9);
  EXPECT_GT(result[1].mean_wait, result[0].mean_wait);
}

TEST(Priority, one_class_is_pollaczek_khinchine) {
  const PriorityClass one{.arrival_rate = 0.9999, .service = {.mean = 1, .second = 3}};
  const double wait = 0.9999 * 3 / (2 * (1 - 0.9999));
  expect_relative(answers(NonPreemptivePriority{.classes = {one}})[0].mean_wait, wait);
  expect_relative(answers(PreemptivePriority{.classes = {one}})[0].mean_wait, wait);
}

TEST(Priority, many_classes_and_one_that_nobody_belongs_to) {
  std::vector<PriorityClass> classes(10'000, exponential(0.9999e-4));
  const auto result = answers(NonPreemptivePriority{.classes = classes});
  expect_relative(result.front().mean_wait, 0.9999 / (1 - 0.9999e-4));
  expect_relative(result.back().mean_wait, 0.9999 / (1e-4 * (1e-4 + 0.9999e-4)), 1e-9);
  const auto unused = answers(NonPreemptivePriority{.classes = mixed});
  EXPECT_EQ(unused[2].mean_number, 0);
  expect_relative(unused[2].mean_wait, 1.48 / (0.7 * 0.7));
}

TEST(Priority, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(answers(NonPreemptivePriority{}), NoAnswer);
  EXPECT_THROW(
      answers(PreemptivePriority{.classes = {exponential(0.5), exponential(0.5)}}),
      NoAnswer);
  EXPECT_THROW(answers(NonPreemptivePriority{.classes = {exponential(-1)}}), NoAnswer);
  try {
    answers(NonPreemptivePriority{
        .classes = {exponential(0.1),
                    {.arrival_rate = 0.1, .service = {.mean = 2, .second = 3}}}});
    FAIL();
  } catch (const NoAnswer& reason) {
    EXPECT_STREQ(
        reason.what(),
        "the service of class 2 has a second moment below the square of its mean");
  }
}

}  // namespace
}  // namespace basin
