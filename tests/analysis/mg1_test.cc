#include "analysis/mg1.h"

#include <limits>

#include "analysis/mm1.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

TEST(Mg1, lognormal_service_of_scv_4) {
  const TimeLaw law = lognormal_law(1, 4);
  expect_relative(law.moments.second, 5);
  expect_relative(law.moments.third, 125);
  const Mg1Answers result = answers(Mg1{.arrival_rate = 0.7, .service = law.moments});
  expect_relative(result.mean_wait, 5.8333333333333333333);
  expect_relative(result.mean_waiting, 4.0833333333333333333);
  expect_relative(result.mean_sojourn, 6.8333333333333333333);
  expect_relative(result.mean_number, 4.7833333333333333333);
  expect_relative(*result.wait_variance, 131.25);
}

TEST(Mg1, erlang_service_of_four_phases) {
  const Moments service = gamma_law(4, 1).moments;
  expect_relative(service.second, 1.25);
  expect_relative(service.third, 1.875);
  const Mg1Answers result = answers(Mg1{.arrival_rate = 0.8, .service = service});
  expect_relative(result.mean_wait, 2.5);
  expect_relative(result.mean_number, 2.8);
  expect_relative(*result.wait_variance, 8.75);
}

TEST(Mg1, hyperexponential_service_of_scv_4) {
  const double p = 0.88729833462074168852;
  const Moments service =
      hyperexponential_law(p, 1 / 1.774596669241483377, 1 / 0.22540333075851662296)
          .moments;
  expect_relative(service.second, 5);
  expect_relative(service.third, 60);
  const Mg1Answers result = answers(Mg1{.arrival_rate = 0.8, .service = service});
  expect_relative(result.mean_wait, 10);
  expect_relative(result.mean_number, 8.8);
  expect_relative(*result.wait_variance, 180);
}

TEST(Mg1, exponential_service_is_mm1) {
  const Mg1Answers general =
      answers(Mg1{.arrival_rate = 0.8, .service = exponential_law(1).moments});
  const Mm1Answers exact = answers(Mm1{.arrival_rate = 0.8, .service_rate = 1});
  expect_relative(general.mean_wait, exact.mean_wait);
  expect_relative(general.mean_number, exact.mean_number);
  expect_relative(general.busy_period_mean, exact.busy_period_mean);
  expect_relative(general.busy_period_variance, exact.busy_period_variance);
}

TEST(TimeLaw, moments_in_closed_form) {
  const Moments uniform = uniform_law(1, 3).moments;
  expect_relative(uniform.mean, 2);
  expect_relative(uniform.second, 13.0 / 3);
  expect_relative(uniform.third, 10);
  const Moments weibull = weibull_law(0.5, 1).moments;  // E[X^n] = (2n)!
  expect_relative(weibull.mean, 2);
  expect_relative(weibull.second, 24);
  expect_relative(weibull.third, 720);
  const Moments pareto =
      pareto_law(2.5, 1, std::numeric_limits<double>::infinity()).moments;
  expect_relative(pareto.mean, 2.5 / 1.5);
  expect_relative(pareto.second, 5);
  EXPECT_TRUE(std::isinf(pareto.third));
  const Moments bounded = pareto_law(1, 1, 10).moments;  // ln(10) / 0.9 and so on
  expect_relative(bounded.mean, std::log(10.0) / 0.9);
  expect_relative(bounded.second, 10);
  expect_relative(bounded.third, 55);
  const double values[] = {1, 2, 3};
  expect_relative(sample_law(values).moments.third, 12);
}

// The transform's complement against its series s m1 - s^2 m2/2 + s^3 m3/6 at small s,
// and against moments found by an exponential of the same law at large s.
TEST(TimeLaw, transforms_agree_with_moments) {
  const double values[] = {0.5, 1, 4};
  const double infinity = std::numeric_limits<double>::infinity();
  for (const TimeLaw& law : {exponential_law(1.5),
                             deterministic_law(2),
                             uniform_law(0.5, 2),
                             gamma_law(0.7, 1.2),
                             lognormal_law(1, 0.5),
                             hyperexponential_law(0.3, 1, 2),
                             weibull_law(1.5, 1),
                             pareto_law(5, 1, infinity),
                             pareto_law(1.2, 1, 9),
                             sample_law(values)}) {
    const long double s = 1e-5L;
    const auto expected =
        static_cast<double>(s * static_cast<long double>(law.moments.mean) -
                            s * s / 2 * static_cast<long double>(law.moments.second) +
                            s * s * s / 6 * static_cast<long double>(law.moments.third));
    expect_relative(static_cast<double>(law.transform_complement(s)), expected, 1e-11);
    EXPECT_LT(law.transform_complement(0.5L), 1);
    EXPECT_GT(law.transform_complement(50), law.transform_complement(0.5L));
    EXPECT_LE(law.transform_complement(50), 1);
  }
  // 1 - exp(-s) s^a Gamma(-a, s) a of a Pareto law, at a = 1: E2; E2(1) =
  // 0.148495506775922.
  expect_relative(static_cast<double>(pareto_law(1, 1, infinity).transform_complement(1)),
                  1 - 0.148495506775922048,
                  1e-12);
  // Lognormal, mean 1, scv 1, at s = 1 by Simpson's rule over its logarithm.
  const double sigma = std::sqrt(std::log(2.0));
  double sum = 0;
  constexpr int steps = 200'000;
  for (int k = 0; k <= steps; ++k) {
    const double z = -12 + 24.0 * k / steps;
    sum += std::exp(-z * z / 2 - std::exp(sigma * z - sigma * sigma / 2)) *
           (k == 0 || k == steps ? 1
            : k % 2 == 1         ? 4
                                 : 2);
  }
  sum *= 24.0 / steps / 3 / std::sqrt(2 * 3.14159265358979323846);
  expect_relative(
      static_cast<double>(lognormal_law(1, 1).transform_complement(1)), 1 - sum, 1e-10);
}

TEST(Mg1, names_the_reason_where_there_is_no_answer) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(answers(Mg1{.arrival_rate = 1, .service = exponential_law(1).moments}),
               NoAnswer);
  EXPECT_THROW(
      answers(Mg1{.arrival_rate = 0.1, .service = pareto_law(1.5, 1, infinity).moments}),
      NoAnswer);
  EXPECT_THROW(
      answers(Mg1{.arrival_rate = 0.1, .service = pareto_law(0.5, 1, infinity).moments}),
      NoAnswer);
  EXPECT_FALSE(
      answers(Mg1{.arrival_rate = 0.1, .service = pareto_law(2.5, 1, infinity).moments})
          .wait_variance);
  EXPECT_THROW(uniform_law(2, 2), NoAnswer);
  EXPECT_THROW(sample_law({}), NoAnswer);
}

}  // namespace
}  // namespace basin
