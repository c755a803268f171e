#include "analysis/md1.h"

#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// A recursion in 120 digits gives the same, and its waits integrate to the mean.
TEST(Md1, law_at_four_fifths) {
  const Md1 queue{0.8, 1};
  expect_relative(queue.mean_waiting(), 1.6);
  expect_relative(queue.mean_wait(), 2);
  expect_relative(queue.mean_number(), 2.4);
  expect_relative(queue.mean_sojourn(), 3);
  expect_relative(queue.number_probability(0), 0.2);
  expect_relative(queue.number_probability(1), 0.24510818569849352092);
  expect_relative(queue.number_probability(2), 0.18941175062173462308);
  expect_relative(queue.number_probability(5), 0.054127649574156305409);
  expect_relative(queue.number_probability(10), 0.0062779678857363392781);
  expect_relative(queue.wait_distribution(1), 0.44510818569849352092);
  expect_relative(queue.wait_distribution(5), 0.89950276175360185033);
  expect_relative(queue.wait_quantile(0.99), 10.35588679199495287);
  expect_relative(queue.wait_distribution(0), 0.2);
}

// Erlang's alternating sum (1 - rho) sum over j <= t of (lambda (j - t))^j / j!
// exp(lambda (t - j)), where few terms leave it its digits.
TEST(Md1, short_waits_agree_with_the_alternating_sum) {
  const Md1 queue{0.6, 1};
  for (const double time : {0.25, 0.999, 1.0, 2.5, 3.75}) {
    long double sum = 0;
    long double factorial = 1;
    for (int j = 0; j <= time; ++j) {
      factorial *= j > 0 ? j : 1;
      const long double x = 0.6L * (static_cast<long double>(time) - j);
      sum += (j == 0 ? 1 : std::pow(-x, j)) / factorial * std::exp(x);
    }
    expect_relative(
        queue.wait_distribution(time), static_cast<double>(0.4L * sum), 1e-12);
  }
}

TEST(Md1, waits_integrate_to_the_mean_and_fall) {
  for (const double load : {0.05, 0.5, 0.95, 0.999}) {
    const Md1 queue{load, 1};
    const double end = 60 * (1 + queue.mean_wait());
    constexpr int steps = 20'000;
    const double width = end / steps;
    double sum = 0;
    double before = 1;
    for (int k = 0; k < steps; ++k) {
      const double tail = queue.wait_tail((k + 0.5) * width);
      ASSERT_LE(tail, before * (1 + 1e-14));
      ASSERT_GE(tail, 0);
      before = tail;
      sum += tail * width;
    }
    expect_relative(sum, queue.mean_wait(), 2e-4);
  }
}

TEST(Md1, the_far_tail_is_that_of_the_root) {
  // P(W > t) decays at eta with lambda (exp(eta) - 1) = eta.
  const Md1 queue{0.9, 1};
  double eta = 0.3;
  for (int k = 0; k < 200; ++k) {
    eta -= (0.9 * std::expm1(eta) - eta) / (0.9 * std::exp(eta) - 1);
  }
  ASSERT_GT(eta, 0.1);
  expect_relative(queue.wait_tail(301) / queue.wait_tail(300), std::exp(-eta), 1e-11);
  expect_relative(
      queue.wait_tail(3000.5) / queue.wait_tail(3000), std::exp(-eta / 2), 1e-9);
}

TEST(Md1, units_do_not_matter) {
  const Md1 queue{800, 0.001};
  expect_relative(queue.wait_quantile(0.99), 0.01035588679199495287);
}

TEST(Md1, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW((Md1{1, 1}), NoAnswer);
  EXPECT_THROW((Md1{0.5, 0}), NoAnswer);
  EXPECT_THROW((Md1{0.5, 1}.wait_quantile(1)), NoAnswer);
  EXPECT_EQ((Md1{0.5, 1}.wait_quantile(0)), 0);
}

}  // namespace
}  // namespace basin
