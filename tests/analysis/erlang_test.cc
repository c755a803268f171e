#include "analysis/erlang.h"

#include "analysis/mm1.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// A truncated birth-death sum in 40 digits gives the same.
TEST(Erlang, twenty_five_servers_at_22) {
  const Mmc queue{.arrival_rate = 22, .service_rate = 1, .servers = 25};
  const MmcAnswers result = answers(queue);
  expect_relative(erlang_b(22, 25), 0.084132986805130910709);
  expect_relative(erlang_c(22, 25), 0.43359243080487534636);
  expect_relative(result.mean_waiting, 3.1796778259024192067);
  expect_relative(result.mean_wait, 0.14453081026829178212);
  expect_relative(result.mean_sojourn, 1.1445308102682917821);
  expect_relative(result.mean_number, 25.179677825902419207);
  expect_relative(result.empty_probability, 2.2199418395122485908e-10);
  expect_relative(wait_tail(queue, 1), 0.021587295996270644843);
  expect_relative(wait_quantile(queue, 0.99), 1.2565066334493998253);
}

// Published: Erlang B of 10,000 servers at 10,000 erlang is about 0.0079; the integral
// 1/B = a integral of exp(-a x) (1 + x)^c dx has the asymptote sqrt(pi a / 2) + 2/3 + ….
TEST(Erlang, ten_thousand_servers) {
  const double inverse = 1 / erlang_b(10'000, 10'000);
  // Jagerman (1974): 1/B(a, a) = sqrt(pi a / 2) + 2/3 + sqrt(2 pi / a) / 24 - …
  const double pi = 3.14159265358979323846;
  expect_relative(
      inverse, std::sqrt(pi * 5000) + 2.0 / 3 + std::sqrt(2 * pi / 10'000) / 24, 1e-7);
  const MmcAnswers near =
      answers(Mmc{.arrival_rate = 9999.99999, .service_rate = 1, .servers = 10'000});
  EXPECT_GT(near.wait_probability, 0.999998);
  EXPECT_LT(near.wait_probability, 1);
  expect_relative(near.mean_wait, near.wait_probability / 1e-5, 1e-6);
  EXPECT_EQ(near.empty_probability, 0) << "about exp(-10000)";
}

TEST(Erlang, blocking_agrees_with_the_integral) {
  // 1/B = integral over x > 0 of exp(-x) (1 + x/a)^c (Jagerman 1974), by Simpson's rule.
  for (const auto& [load, servers] : {std::pair{5.0, 3}, {0.7, 12}, {40.0, 50}}) {
    constexpr int steps = 400'000;
    const double width = 200.0 / steps;
    double sum = 0;
    for (int k = 0; k <= steps; ++k) {
      const double x = k * width;
      const double f = std::exp(-x + servers * std::log1p(x / load));
      sum += f * (k == 0 || k == steps ? 1 : k % 2 == 1 ? 4 : 2);
    }
    expect_relative(1 / erlang_b(load, servers), sum * width / 3, 1e-9);
  }
}

TEST(Erlang, one_server_is_mm1) {
  const Mmc one{.arrival_rate = 0.8, .service_rate = 1, .servers = 1};
  const Mm1 same{.arrival_rate = 0.8, .service_rate = 1};
  expect_relative(answers(one).mean_wait, answers(same).mean_wait);
  expect_relative(answers(one).mean_number, answers(same).mean_number);
  expect_relative(answers(one).empty_probability, 0.2);
  for (const double time : {0.1, 1.0, 30.0}) {
    expect_relative(sojourn_tail(one, time), sojourn_tail(same, time));
    expect_relative(wait_tail(one, time), wait_tail(same, time));
  }
  expect_relative(sojourn_quantile(one, 0.99), sojourn_quantile(same, 0.99));
}

TEST(Erlang, sojourn_where_surplus_and_service_rate_meet) {
  // c mu - lambda = mu: P(S > t) = exp(-mu t) (1 + C mu t).
  const Mmc queue{.arrival_rate = 4, .service_rate = 1, .servers = 5};
  const double c = erlang_c(4, 5);
  expect_relative(sojourn_tail(queue, 2), std::exp(-2.0) * (1 + 2 * c));
  const Mmc beside{.arrival_rate = 4 - 1e-9, .service_rate = 1, .servers = 5};
  expect_relative(sojourn_tail(beside, 2), sojourn_tail(queue, 2), 1e-8);
  // The tail's integral is the mean.
  for (const Mmc& one :
       {queue, Mmc{.arrival_rate = 1, .service_rate = 1, .servers = 5}}) {
    double sum = 0;
    constexpr int steps = 200'000;
    const double width = 60.0 / steps;
    for (int k = 0; k <= steps; ++k) {
      sum += sojourn_tail(one, k * width) * (k == 0 || k == steps ? 1
                                             : k % 2 == 1         ? 4
                                                                  : 2);
    }
    expect_relative(sum * width / 3, answers(one).mean_sojourn, 1e-9);
  }
}

TEST(Erlang, bounded_queues) {
  const MmcKAnswers one =
      answers(MmcK{.arrival_rate = 0.9, .service_rate = 1, .servers = 1, .capacity = 10});
  expect_relative(one.blocking_probability, 0.050813731327412388635);
  expect_relative(one.mean_number, 3.9694405985861735252);
  expect_relative(one.mean_waiting, 3.1151729567808446749);
  expect_relative(one.throughput, 0.85426764180532885023);
  expect_relative(one.mean_sojourn, 4.6466006721237050209);
  expect_relative(one.mean_wait, 3.6466006721237050209);
  expect_relative(one.empty_probability, 0.14573235819467114977);
  const MmcKAnswers three =
      answers(MmcK{.arrival_rate = 4, .service_rate = 1, .servers = 3, .capacity = 10});
  expect_relative(three.blocking_probability, 0.26579967584168866505);
  expect_relative(three.mean_number, 7.6153557959394532706);
  expect_relative(three.mean_waiting, 4.6785544993062079308);
  expect_relative(three.throughput, 2.9368012966332453398);
  expect_relative(three.mean_sojourn, 2.5930783279991437676);
  expect_relative(three.mean_wait, 1.5930783279991437676);
  expect_relative(three.empty_probability, 0.0033262475456186663273);
}

TEST(Erlang, bounds_that_do_not_bind_and_bounds_without_room) {
  const MmcKAnswers wide = answers(
      MmcK{.arrival_rate = 22, .service_rate = 1, .servers = 25, .capacity = 5000});
  expect_relative(wide.mean_wait, 0.14453081026829178212);
  const MmcKAnswers loss =
      answers(MmcK{.arrival_rate = 22, .service_rate = 1, .servers = 25, .capacity = 25});
  expect_relative(loss.blocking_probability, erlang_b(22, 25));
  EXPECT_EQ(loss.mean_wait, 0);
  // Far above capacity the queue is full: throughput c mu, the wait that of K - c
  // services.
  const MmcKAnswers flooded = answers(
      MmcK{.arrival_rate = 1e9, .service_rate = 1, .servers = 2, .capacity = 1000});
  expect_relative(flooded.throughput, 2);
  expect_relative(flooded.mean_waiting, 998, 1e-8);
  const MmcKAnswers large = answers(MmcK{.arrival_rate = 10'000,
                                         .service_rate = 1,
                                         .servers = 10'000,
                                         .capacity = 1'000'000});
  // lambda = c mu: all states above c alike, 990,001 of them.
  EXPECT_NEAR(large.mean_waiting, 495'000, 100);
}

TEST(Erlang, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(erlang_c(25, 25), NoAnswer);
  EXPECT_THROW(erlang_c(2, 0), NoAnswer);
  EXPECT_EQ(erlang_b(2, 0), 1);
  EXPECT_EQ(erlang_b(0, 3), 0);
  EXPECT_EQ(erlang_c(0, 3), 0);
  EXPECT_THROW(erlang_b(-1, 3), NoAnswer);
  EXPECT_THROW(answers(Mmc{.arrival_rate = 2, .service_rate = 1, .servers = 0}),
               NoAnswer);
  EXPECT_THROW(
      answers(MmcK{.arrival_rate = 2, .service_rate = 1, .servers = 3, .capacity = 2}),
      NoAnswer);
  EXPECT_THROW(answers(MmcK{.arrival_rate = std::nan(""), .servers = 1, .capacity = 2}),
               NoAnswer);
}

}  // namespace
}  // namespace basin
