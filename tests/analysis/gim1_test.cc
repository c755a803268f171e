#include "analysis/gim1.h"

#include <limits>

#include "analysis/mm1.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// 200 steps of bisection in 40 digits give the same.
TEST(GiM1, equal_gaps) {
  const GiM1Answers result =
      answers(GiM1{.gap = deterministic_law(1.25), .service_rate = 1});
  expect_relative(result.sigma, 0.62862979649694668024);
  expect_relative(result.mean_wait, 1.6927308399198974285);
  expect_relative(result.mean_sojourn, 2.6927308399198974285);
  expect_relative(result.mean_waiting, 1.3541846719359179428);
  expect_relative(result.mean_number, 2.1541846719359179428);
  expect_relative(sojourn_quantile(result, 0.99), 12.400483782889783525);
}

TEST(GiM1, bursty_gaps) {
  const double p = (1 + std::sqrt(3.0 / 5)) / 2;  // balanced means, scv 4
  const GiM1Answers result =
      answers(GiM1{.gap = hyperexponential_law(p, 1.25 / (2 * p), 1.25 / (2 * (1 - p))),
                   .service_rate = 1});
  expect_relative(result.sigma, 0.90757166259302833063);
  expect_relative(result.mean_wait, 9.8191927719839323339);
  expect_relative(result.mean_sojourn, 10.819192771983932334);
  expect_relative(result.mean_waiting, 7.8553542175871458671);
  expect_relative(result.mean_number, 8.6553542175871458671);
  expect_relative(sojourn_quantile(result, 0.99), 49.82422398999825947);
}

TEST(GiM1, exponential_gaps_are_mm1) {
  for (const double load : {0.01, 0.8, 0.999999}) {
    const GiM1Answers result =
        answers(GiM1{.gap = exponential_law(1 / load), .service_rate = 1});
    const Mm1 same{.arrival_rate = load, .service_rate = 1};
    expect_relative(result.sigma, load);
    expect_relative(result.mean_wait, answers(same).mean_wait, 1e-9);
    expect_relative(wait_tail(result, 2), wait_tail(same, 2));
    expect_relative(
        wait_quantile(result, 0.9999999), wait_quantile(same, 0.9999999), 1e-9);
  }
}

TEST(GiM1, smooth_gaps_wait_less_than_bursty_ones) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto wait = [](const TimeLaw& gap) {
    return answers(GiM1{.gap = gap, .service_rate = 1.25 / gap.moments.mean}).mean_wait /
           gap.moments.mean;
  };
  const double smooth = wait(gamma_law(4, 1));
  const double poisson = wait(exponential_law(1));
  const double rough = wait(lognormal_law(1, 4));
  const double heavy = wait(pareto_law(1.5, 1, infinity));
  EXPECT_LT(wait(uniform_law(0, 2)), poisson);
  EXPECT_LT(smooth, poisson);
  EXPECT_LT(poisson, rough);
  EXPECT_LT(poisson, heavy);
  // Gamma and lognormal of the same scv are near each other.
  expect_relative(wait(gamma_law(0.25, 1)), rough, 0.5);
}

TEST(GiM1, names_the_reason_where_there_is_no_answer) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(answers(GiM1{.gap = deterministic_law(1), .service_rate = 1}), NoAnswer);
  EXPECT_THROW(answers(GiM1{.gap = deterministic_law(2), .service_rate = 0}), NoAnswer);
  EXPECT_THROW(answers(GiM1{.gap = pareto_law(0.9, 1, infinity), .service_rate = 1}),
               NoAnswer);
}

}  // namespace
}  // namespace basin
