#include "analysis/approximations.h"

#include <cmath>
#include <limits>

#include "analysis/erlang.h"
#include "analysis/gim1.h"
#include "analysis/mg1.h"
#include "analysis/no_answer.h"
#include "tests/analysis/relative.h"

namespace basin {
namespace {

// Gaps of squared coefficient of variation 4 with balanced means, mean 1.25.
TimeLaw bursty_gap() {
  const double p = (1 + std::sqrt(0.6)) / 2;
  return hyperexponential_law(p, 1.25 / (2 * p), 1.25 / (2 * (1 - p)));
}

GiGc exponential_service(const TimeLaw& gap) {
  return {.gap = gap.moments, .service = exponential_law(1).moments};
}

TEST(Kingman, constant_gaps) {
  const GiGc queue = exponential_service(deterministic_law(1.25));
  expect_relative(kingman_bound(queue), 2);
  expect_relative(kingman_approximation(queue), 2);
  expect_relative(allen_cunneen_approximation(queue), 2);
}

TEST(Kingman, bursty_gaps) {
  // lambda (ca2 / lambda^2 + 1) / (2 (1 - rho)) = 0.8 (6.25 + 1) / 0.4.
  const GiGc queue = exponential_service(bursty_gap());
  expect_relative(kingman_bound(queue), 14.5);
  expect_relative(kingman_approximation(queue), 10);
  expect_relative(allen_cunneen_approximation(queue), 10);
}

TEST(Kingman, bounds_are_above_the_exact_wait_and_meet_it_in_heavy_traffic) {
  for (const double load : {0.05, 0.5, 0.9, 0.999}) {
    for (const TimeLaw& gap : {deterministic_law(1 / load),
                               uniform_law(0.5 / load, 1.5 / load),
                               exponential_law(1 / load),
                               gamma_law(0.1, 1 / load),
                               hyperexponential_law(0.99, 0.5 / load, 50.5 / load)}) {
      const GiGc queue = exponential_service(gap);
      const double exact = answers(GiM1{.gap = gap, .service_rate = 1}).mean_wait;
      EXPECT_GE(daley_bound(queue), exact * (1 - 1e-12));
      EXPECT_GE(kingman_bound(queue), daley_bound(queue));
      if (load == 0.999) {
        expect_relative(kingman_bound(queue), exact, 0.02);
      }
    }
  }
}

TEST(AllenCunneen, is_exact_for_poisson_arrivals) {
  const Moments service = gamma_law(3, 0.7).moments;
  const double exact = answers(Mg1{.arrival_rate = 1.2, .service = service}).mean_wait;
  const GiGc one{.gap = exponential_law(1 / 1.2).moments, .service = service};
  expect_relative(allen_cunneen_approximation(one), exact);
  expect_relative(kingman_approximation(one), exact);
  const GiGc many{.gap = exponential_law(1.0 / 22).moments,
                  .service = exponential_law(1).moments,
                  .servers = 25};
  expect_relative(allen_cunneen_approximation(many), 0.14453081026829178212);
}

TEST(AllenCunneen, constant_everything_never_waits) {
  const GiGc clockwork{.gap = deterministic_law(0.1).moments,
                       .service = deterministic_law(0.7).moments,
                       .servers = 8};
  EXPECT_EQ(allen_cunneen_approximation(clockwork), 0);
}

TEST(AllenCunneen, ten_thousand_servers) {
  const GiGc queue{.gap = exponential_law(1e-4 / 0.9999).moments,
                   .service = deterministic_law(1).moments,
                   .servers = 10'000};
  const double memoryless =
      answers(Mmc{.arrival_rate = 9999, .service_rate = 1, .servers = 10'000}).mean_wait;
  expect_relative(allen_cunneen_approximation(queue), memoryless / 2, 1e-9);
}

TEST(Approximations, name_the_reason_where_there_is_no_answer) {
  GiGc queue = exponential_service(exponential_law(1));
  EXPECT_THROW(kingman_bound(queue), NoAnswer);
  EXPECT_THROW(daley_bound(queue), NoAnswer);
  EXPECT_THROW(kingman_approximation(queue), NoAnswer);
  EXPECT_THROW(allen_cunneen_approximation(queue), NoAnswer);
  queue.servers = 2;
  EXPECT_THROW(kingman_bound(queue), NoAnswer);
  EXPECT_GT(allen_cunneen_approximation(queue), 0);
  queue.servers = 0;
  EXPECT_THROW(allen_cunneen_approximation(queue), NoAnswer);
  queue = exponential_service(exponential_law(2));
  queue.service.second = std::numeric_limits<double>::infinity();
  EXPECT_THROW(kingman_bound(queue), NoAnswer);
  queue.service.second = 0.5;
  EXPECT_THROW(kingman_bound(queue), NoAnswer);
  queue.service = Moments{};
  EXPECT_THROW(kingman_bound(queue), NoAnswer);
}

}  // namespace
}  // namespace basin
