#include "analysis/retrial.h"

#include <cmath>

#include "analysis/mm1.h"
#include "analysis/no_answer.h"
#include "analysis/retry_chains.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

Mg1Retrial exponential(double arrival_rate, double retry_rate) {
  return {.arrival_rate = arrival_rate,
          .service = exponential_law(1).moments,
          .retry_rate = retry_rate};
}

// Falin and Templeton (1997): rho (lambda + rho gamma) / ((1 - rho) gamma) in orbit.
TEST(Mg1Retrial, exponential_service) {
  const Mg1RetrialAnswers result = answers(exponential(0.6, 0.5));
  expect_relative(result.mean_orbit, 2.7);
  expect_relative(result.busy_probability, 0.6);
  expect_relative(result.blocking_probability, 0.6);
  expect_relative(result.mean_number, 3.3);
  expect_relative(result.mean_wait, 4.5);
  expect_relative(result.mean_sojourn, 5.5);
  expect_relative(result.attempts_per_served, 3.25);
}

TEST(Mg1Retrial, constant_service) {
  const Mg1RetrialAnswers result = answers(Mg1Retrial{
      .arrival_rate = 0.6, .service = {.mean = 1, .second = 1}, .retry_rate = 0.5});
  expect_relative(result.mean_orbit, 2.25);
  expect_relative(result.busy_probability, 0.6);
}

TEST(Mg1Retrial, agrees_with_its_markov_chain) {
  for (const double lambda : {0.1, 0.6, 0.8}) {
    for (const double retry_rate : {0.2, 1.0, 20.0}) {
      const RetrialAnswers chain = answers(RetrialQueue{
          .arrival_rate = lambda, .service_rate = 1, .retry_rate = retry_rate});
      const Mg1RetrialAnswers formula = answers(exponential(lambda, retry_rate));
      expect_relative(formula.mean_orbit, chain.mean_orbit);
      expect_relative(formula.blocking_probability, chain.blocking_probability);
    }
  }
}

TEST(Mg1Retrial, immediate_retries_are_a_queue) {
  const Mm1Answers queue = answers(Mm1{.arrival_rate = 0.9999, .service_rate = 1});
  expect_relative(answers(exponential(0.9999, 1e15)).mean_wait, queue.mean_wait);
}

TEST(Mg1Retrial, names_the_reason_where_there_is_no_answer) {
  EXPECT_THROW(answers(exponential(1, 0.5)), NoAnswer);
  EXPECT_THROW(answers(exponential(0.5, 0)), NoAnswer);
  EXPECT_THROW(answers(exponential(std::nan(""), 1)), NoAnswer);
  EXPECT_THROW(
      answers(Mg1Retrial{
          .arrival_rate = 0.1, .service = {.mean = 2, .second = 3}, .retry_rate = 1}),
      NoAnswer);
}

}  // namespace
}  // namespace basin
