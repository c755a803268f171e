#include "analysis/abandonment.h"

#include "analysis/erlang.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

MmcPlusM exponential(double lambda, double theta, std::int64_t servers) {
  return {.arrival_rate = lambda,
          .service_rate = 1,
          .servers = servers,
          .abandonment_rate = theta};
}

MmcPlusD fixed(double lambda, double tau, std::int64_t servers) {
  return {.arrival_rate = lambda, .service_rate = 1, .servers = servers, .patience = tau};
}

// Zeltyn and Mandelbaum's integrals and a birth-death sum, both in 50 digits, give the
// same.
TEST(ExponentialPatience, twenty_five_servers_at_30) {
  const MmcPlusMAnswers result = answers(exponential(30, 0.5, 25));
  expect_relative(result.wait_probability, 0.92748305440437492736);
  expect_relative(result.abandon_probability, 0.17422500344196516359);
  expect_relative(result.mean_waiting, 10.453500206517909815);
  expect_relative(result.mean_number, 35.226750103258954908);
  expect_relative(result.mean_wait, 0.34845000688393032718);
  expect_relative(result.throughput, 24.773249896741045092);
  expect_relative(result.empty_probability, 4.3155525762012913846e-14);
}

TEST(ExponentialPatience, one_overloaded_server) {
  const MmcPlusMAnswers result = answers(exponential(1.2, 0.1, 1));
  expect_relative(result.wait_probability, 0.89660680195404166429);
  expect_relative(result.abandon_probability, 0.25282766503829861309);
  expect_relative(result.mean_waiting, 3.0339319804595833571);
  expect_relative(result.mean_number, 3.9305387824136250214);
  expect_relative(result.mean_wait, 2.5282766503829861309);
  expect_relative(result.throughput, 0.89660680195404166429);
  expect_relative(result.empty_probability, 0.10339319804595833571);
}

// The same sum in 50 digits.
TEST(ExponentialPatience, extremes) {
  const MmcPlusMAnswers large = answers(exponential(10'000, 0.001, 10'000));
  expect_relative(large.wait_probability, 0.96942784960953699151);
  expect_relative(large.mean_waiting, 2445.7892130416384622);
  expect_relative(large.mean_number, 12443.343423828596824);
  EXPECT_EQ(large.empty_probability, 0) << "7e-4345";
  const MmcPlusMAnswers near = answers(exponential(0.9999, 1e-9, 1));
  expect_relative(near.wait_probability, 0.99989139878292481664);
  expect_relative(near.abandon_probability, 8.6020772829116506536e-6);
  expect_relative(near.mean_number, 8602.2169665821424133);
  const MmcPlusMAnswers idle = answers(exponential(5, 7, 100));
  expect_relative(idle.wait_probability, 5.9737168193930355679e-91);
  expect_relative(idle.mean_waiting, 2.910119627977975432e-92);
  expect_relative(idle.empty_probability, 0.0067379469990854670966);
}

TEST(ExponentialPatience, patience_like_service_is_a_server_for_everybody) {
  for (const double lambda : {0.3, 20.0, 25.0, 50.0, 3000.0}) {
    const MmcPlusMAnswers result = answers(exponential(lambda, 1, 25));
    expect_relative(result.mean_number, lambda);
    expect_relative(result.empty_probability, std::exp(-lambda));
  }
}

TEST(ExponentialPatience, little_ends_in_erlang_c_and_erlang_b) {
  const MmcAnswers patient =
      answers(Mmc{.arrival_rate = 22, .service_rate = 1, .servers = 25});
  const MmcPlusMAnswers nearly = answers(exponential(22, 1e-13, 25));
  expect_relative(nearly.wait_probability, patient.wait_probability);
  expect_relative(nearly.mean_wait, patient.mean_wait);
  expect_relative(nearly.empty_probability, patient.empty_probability);
  const MmcPlusMAnswers hasty = answers(exponential(30, 1e14, 25));
  expect_relative(hasty.wait_probability, erlang_b(30, 25));
  expect_relative(hasty.abandon_probability, erlang_b(30, 25));
}

TEST(ExponentialPatience, long_queues_are_summed_around_their_likeliest_length) {
  // (lambda - c mu) / theta, up to rounding.
  const MmcPlusMAnswers result = answers(exponential(2, 1e-9, 1));
  expect_relative(result.mean_waiting, 1e9);
  expect_relative(result.throughput, 1);
  expect_relative(result.abandon_probability, 0.5);
  EXPECT_EQ(result.empty_probability, 0);
}

// The formulas by quadrature in 50 digits.
TEST(FixedPatience, one_server_at_four_fifths) {
  const MmcPlusDAnswers result = answers(fixed(0.8, 5, 1));
  expect_relative(result.wait_probability, 0.73841066295859095185);
  expect_relative(result.abandon_probability, 0.076986671301761310186);
  expect_relative(result.mean_wait, 1.7673865322489220046);
  expect_relative(result.mean_wait_served, 1.4977607936494725453);
  expect_relative(result.mean_waiting, 1.4139092257991376037);
  expect_relative(result.throughput, 0.73841066295859095185);
  expect_relative(result.mean_number, 1.4139092257991376037 + 0.73841066295859095185);
}

TEST(FixedPatience, at_capacity_and_beyond) {
  const MmcPlusDAnswers exact = answers(fixed(25, 0.3, 25));
  expect_relative(exact.wait_probability, 0.58811404469041786624);
  expect_relative(exact.abandon_probability, 0.069189887610637396028);
  expect_relative(exact.mean_wait, 0.09859558984515828934);
  expect_relative(exact.mean_wait_served, 0.083624600255102061482);
  const MmcPlusDAnswers twice = answers(fixed(50, 2, 25));
  expect_relative(twice.wait_probability, 1);
  expect_relative(twice.abandon_probability, 0.5);
  expect_relative(twice.mean_wait, 1.98);
  expect_relative(twice.mean_wait_served, 1.96);
  expect_relative(twice.throughput, 25);
  const MmcPlusDAnswers drowned = answers(fixed(1e6, 1e9, 1));
  expect_relative(drowned.abandon_probability, 1 - 1e-6);
  expect_relative(drowned.mean_wait_served, 1e9);
}

TEST(FixedPatience, ten_thousand_servers) {
  const MmcPlusDAnswers above = answers(fixed(10'000.5, 0.01, 10'000));
  expect_relative(above.wait_probability, 0.44851687144435512048);
  expect_relative(above.abandon_probability, 0.0044517619737949582006);
  expect_relative(above.mean_wait, 0.002266693437609265149);
  expect_relative(above.mean_wait_served, 0.0022321126520971482666);
  const MmcPlusDAnswers below = answers(fixed(9999, 3, 10'000));
  expect_relative(below.wait_probability, 0.98691285413523080977);
  expect_relative(below.abandon_probability, 5.1709715431933167992e-6);
  expect_relative(below.mean_wait, 0.83179404978251769243);
  const MmcPlusDAnswers idle = answers(fixed(1, 1, 10'000));
  EXPECT_EQ(idle.wait_probability, 0);
  expect_relative(idle.mean_number, 1);
}

TEST(FixedPatience, ends_in_erlang_b_and_erlang_c) {
  for (const double lambda : {10.0, 25.0, 60.0}) {
    const MmcPlusDAnswers none = answers(fixed(lambda, 0, 25));
    expect_relative(none.abandon_probability, erlang_b(lambda, 25));
    EXPECT_EQ(none.mean_wait, 0);
    EXPECT_EQ(none.mean_wait_served, 0);
  }
  const MmcAnswers patient =
      answers(Mmc{.arrival_rate = 22, .service_rate = 1, .servers = 25});
  const MmcPlusDAnswers endless = answers(fixed(22, 1e6, 25));
  expect_relative(endless.wait_probability, patient.wait_probability);
  expect_relative(endless.mean_wait, patient.mean_wait);
  EXPECT_EQ(endless.abandon_probability, 0);
}

TEST(FixedPatience, is_continuous_at_capacity_and_where_the_series_ends) {
  // d tau = 1, and 0.
  for (const double lambda : {24.0, 25.0, 26.0}) {
    const double below = answers(fixed(lambda * (1 - 1e-13), 1, 25)).mean_wait_served;
    const double above = answers(fixed(lambda * (1 + 1e-13), 1, 25)).mean_wait_served;
    expect_relative(below, above, 1e-11);
  }
}

TEST(Patience, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(answers(exponential(0, 1, 1)), NoAnswer);
  EXPECT_THROW(answers(exponential(1, 0, 1)), NoAnswer);
  EXPECT_THROW(answers(exponential(1, 1, 0)), NoAnswer);
  EXPECT_THROW(answers(exponential(std::nan(""), 1, 1)), NoAnswer);
  EXPECT_THROW(answers(exponential(2, 1e-14, 1)), NoAnswer) << "1e8 and more are likely";
  EXPECT_THROW(answers(fixed(1, -1, 1)), NoAnswer);
  EXPECT_THROW(answers(fixed(1, HUGE_VAL, 1)), NoAnswer);
  EXPECT_THROW(answers(fixed(1, 1, 0)), NoAnswer);
}

}  // namespace
}  // namespace basin
