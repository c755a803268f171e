#include "models/distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/pareto.hpp>
#include <boost/math/distributions/weibull.hpp>
#include <gtest/gtest.h>

#include "engine/contract.h"
#include "engine/random.h"
#include "tests/models/fingerprint.h"
#include "tests/models/sample_check.h"

namespace basin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Draw `index` of a seed of its own for each test.
double draw(const Distribution& distribution, std::uint64_t seed, std::uint64_t index) {
  const RandomKey key{.seed = seed};
  return sample(distribution,
                random_block(key, {.purpose = 0, .entity = index})[0],
                RandomStream{key, {.purpose = 1, .entity = index}});
}

std::shared_ptr<const std::vector<double>> values(std::vector<double> list) {
  return std::make_shared<const std::vector<double>>(std::move(list));
}

struct Case {
  std::string name;
  Distribution distribution;
  std::function<double(double)> cdf;  // empty where there are jumps
  std::uint64_t fingerprint;          // of the first 1000 draws, seed 99
};

template <class Law>
std::function<double(double)> cdf_of(Law law) {
  return [law](double x) { return boost::math::cdf(law, x); };
}

double hyperexponential_cdf(const Hyperexponential& law, double x) {
  return -law.p * std::expm1(-x / law.mean1) - (1 - law.p) * std::expm1(-x / law.mean2);
}

double pareto_cdf(const Pareto& law, double x) {
  const auto unbounded = [&](double y) { return 1 - std::pow(law.scale / y, law.shape); };
  return unbounded(x) / unbounded(law.upper);
}

std::vector<Case> all_cases() {
  const Hyperexponential h2 = balanced_means(0.5, 4);
  const Pareto bounded{.shape = 1.5, .scale = 0.1, .upper = 20};
  // log X is normal with variance log(1 + scv), here scv = 3.
  const double sigma = std::sqrt(std::log(4.0));
  return {
      {"exponential",
       Exponential{2},
       cdf_of(boost::math::exponential_distribution<>(0.5)),
       6802868321519142305U},
      {"deterministic", Deterministic{0.25}, {}, 7494899177178507077U},
      {"uniform",
       Uniform{1, 3},
       [](double x) { return (x - 1) / 2; },
       12950255373078562093U},
      {"erlang of 3",
       Erlang{3, 2},
       cdf_of(boost::math::gamma_distribution<>(3, 2.0 / 3)),
       17413008487219711951U},
      {"erlang of 100",
       Erlang{100, 2},
       cdf_of(boost::math::gamma_distribution<>(100, 0.02)),
       17760839531134445079U},
      {"gamma above 1",
       Gamma{2.5, 5},
       cdf_of(boost::math::gamma_distribution<>(2.5, 2)),
       12927906631941353300U},
      {"gamma below 1",
       Gamma{0.3, 1},
       cdf_of(boost::math::gamma_distribution<>(0.3, 1 / 0.3)),
       5015007159187910721U},
      {"lognormal",
       Lognormal{1.5, 3},
       cdf_of(boost::math::lognormal_distribution<>(std::log(1.5) - 0.5 * sigma * sigma,
                                                    sigma)),
       10647234594843072541U},
      {"hyperexponential",
       h2,
       [h2](double x) { return hyperexponential_cdf(h2, x); },
       17340270583706815469U},
      {"weibull below 1",
       Weibull{0.7, 2},
       cdf_of(boost::math::weibull_distribution<>(0.7, 2)),
       3030199016367563935U},
      {"weibull above 1",
       Weibull{3, 2},
       cdf_of(boost::math::weibull_distribution<>(3, 2)),
       941997774547419650U},
      {"pareto",
       Pareto{5, 0.1},
       cdf_of(boost::math::pareto_distribution<>(0.1, 5)),
       7518022466477218922U},
      {"bounded pareto",
       bounded,
       [bounded](double x) { return pareto_cdf(bounded, x); },
       9049175982689377058U},
      {"empirical", Empirical{values({0, 1, 1, 5}), 0.5}, {}, 13659201167141873477U},
  };
}

TEST(Distribution, samples_have_the_mean_and_the_second_moment_that_are_claimed) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const double mean = mean_of(item.distribution);
    const double square = mean * mean * (1 + scv_of(item.distribution));
    Observations means;
    Observations squares;
    for (std::uint64_t batch = 0; batch < 200; ++batch) {
      double sum = 0;
      double sum_of_squares = 0;
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const double value = draw(item.distribution, 11, batch * 2000 + i);
        sum += value;
        sum_of_squares += value * value;
      }
      means.add(sum / 2000);
      squares.add(sum_of_squares / 2000);
    }
    if (std::holds_alternative<Deterministic>(item.distribution)) {
      EXPECT_EQ(means.mean(), mean);
      EXPECT_EQ(squares.mean(), square);
      continue;
    }
    expect_mean(means, mean, 0.02);
    expect_mean(squares, square, 0.15);
  }
}

// Kolmogorov and Smirnov: sqrt(n) D exceeds 1.95 with probability 0.1%.
TEST(Distribution, samples_follow_the_exact_distribution_function) {
  constexpr std::size_t size = 100'000;
  for (const Case& item : all_cases()) {
    if (!item.cdf) {
      continue;
    }
    SCOPED_TRACE(item.name);
    std::vector<double> sorted;
    for (std::uint64_t i = 0; i < size; ++i) {
      sorted.push_back(draw(item.distribution, 12, i));
    }
    std::sort(sorted.begin(), sorted.end());
    double distance = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double expected = item.cdf(sorted[i]);
      distance = std::max({distance,
                           expected - static_cast<double>(i) / size,
                           static_cast<double>(i + 1) / size - expected});
    }
    EXPECT_LT(distance * std::sqrt(static_cast<double>(size)), 1.95);
  }
}

TEST(Distribution, samples_are_neither_negative_nor_nan_nor_infinite) {
  const std::vector<Distribution> extremes = {
      Exponential{1e300},
      Uniform{0, 1e-300},
      Erlang{1, 1},
      Gamma{1e-300, 1e10},
      Gamma{1e-3, 1},
      Gamma{1e300, 1},
      Lognormal{1, 1e-12},
      Lognormal{1, 1e12},
      Lognormal{1e300, 1e300},
      balanced_means(1, 1),
      balanced_means(1, 1e20),
      Hyperexponential{0, 1, 2},
      Hyperexponential{1, 1, 2},
      Hyperexponential{1e-300, 1, 2},
      Weibull{1e-3, 1},
      Weibull{1e3, 1},
      Pareto{1e-3, 1},
      Pareto{1e3, 1},
      Pareto{2, 1, 1 + 1e-12},
      Pareto{1e-3, 1, 1e300},
      Empirical{values({0}), 1},
  };
  const std::vector<std::uint64_t> edges = {
      0, 1, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
  for (const Distribution& distribution : extremes) {
    SCOPED_TRACE(distribution.index());
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::uint64_t word =
          i < edges.size() ? edges[i] : random_block({}, {.entity = i})[0];
      const double value = sample(distribution, word, RandomStream{{}, {.entity = i}});
      ASSERT_GE(value, 0);
      ASSERT_TRUE(std::isfinite(value));
    }
  }
}

TEST(Distribution, a_draw_depends_on_its_address_alone) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    std::vector<double> forwards;
    for (std::uint64_t i = 0; i < 100; ++i) {
      forwards.push_back(draw(item.distribution, 13, i));
    }
    for (std::uint64_t i = 100; i-- > 0;) {
      EXPECT_EQ(draw(item.distribution, 13, i), forwards[i]);
    }
  }
}

TEST(Distribution, one_word_laws_use_the_word_alone_and_the_others_the_stream_alone) {
  for (const Case& item : all_cases()) {
    SCOPED_TRACE(item.name);
    const RandomStream stream{{.seed = 1}, {}};
    const RandomStream other{{.seed = 2}, {}};
    const bool uses_stream = std::holds_alternative<Erlang>(item.distribution) ||
                             std::holds_alternative<Gamma>(item.distribution) ||
                             std::holds_alternative<Lognormal>(item.distribution);
    const std::uint64_t word = 0x123456789abcdef0;
    const double value = sample(item.distribution, word, stream);
    if (uses_stream) {
      EXPECT_EQ(sample(item.distribution, ~word, stream), value);
      EXPECT_NE(sample(item.distribution, word, other), value);
    } else {
      EXPECT_EQ(sample(item.distribution, word, other), value);
    }
  }
}

TEST(Distribution, samples_have_known_bits) {
  for (const Case& item : all_cases()) {
    Fingerprint fingerprint;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      fingerprint.add(draw(item.distribution, 99, i));
    }
    EXPECT_EQ(fingerprint.value(), item.fingerprint) << item.name;
  }
}

TEST(Distribution, moments_are_those_of_the_textbook) {
  EXPECT_EQ(mean_of(Uniform{1, 3}), 2);
  EXPECT_DOUBLE_EQ(scv_of(Uniform{0, 2}), 1.0 / 3);
  EXPECT_EQ(scv_of(Erlang{4, 1}), 0.25);
  EXPECT_EQ(scv_of(Gamma{0.5, 1}), 2);
  EXPECT_DOUBLE_EQ(mean_of(Weibull{1, 2}), 2);
  EXPECT_DOUBLE_EQ(scv_of(Weibull{1, 2}), 1);
  EXPECT_DOUBLE_EQ(mean_of(Weibull{0.5, 1}), 2);    // Gamma(3)
  EXPECT_DOUBLE_EQ(scv_of(Weibull{0.5, 1}), 5);     // Gamma(5) / Gamma(3)^2 - 1
  EXPECT_DOUBLE_EQ(mean_of(Pareto{3, 2}), 3);       // shape * scale / (shape - 1)
  EXPECT_DOUBLE_EQ(scv_of(Pareto{3, 2}), 1.0 / 3);  // 1 / (shape * (shape - 2))
  EXPECT_EQ(mean_of(Pareto{1, 1}), infinity);
  EXPECT_EQ(scv_of(Pareto{2, 1}), infinity);
  EXPECT_DOUBLE_EQ(mean_of(Pareto{1, 1, 2}), 2 * std::log(2.0));
  EXPECT_DOUBLE_EQ(mean_of(Empirical{values({1, 2, 6}), 2}), 6);
  EXPECT_DOUBLE_EQ(scv_of(Empirical{values({1, 3}), 7}), 0.25);
}

TEST(Distribution, a_bounded_pareto_comes_to_the_unbounded_one_and_to_its_scale) {
  EXPECT_NEAR(mean_of(Pareto{3, 2, 1e9}), mean_of(Pareto{3, 2}), 1e-9);
  EXPECT_NEAR(scv_of(Pareto{3, 2, 1e9}), scv_of(Pareto{3, 2}), 1e-8);
  EXPECT_NEAR(mean_of(Pareto{3, 2, 2.000001}), 2.0000005, 1e-9);
  EXPECT_NEAR(scv_of(Pareto{3, 2, 2.000001}), 0, 1e-9);
}

TEST(Distribution, balanced_means_gives_the_mean_and_the_scv_that_are_asked_for) {
  for (const double scv : {1.0, 1.5, 4.0, 100.0}) {
    const Hyperexponential law = balanced_means(3, scv);
    EXPECT_DOUBLE_EQ(mean_of(law), 3);
    EXPECT_NEAR(scv_of(law), scv, 1e-9 * scv);
    EXPECT_DOUBLE_EQ(law.p * law.mean1, (1 - law.p) * law.mean2);
  }
  EXPECT_THROW(balanced_means(1, 0.5), ContractViolation);
}

TEST(Distribution, empirical_laws_are_equal_by_content) {
  EXPECT_EQ((Empirical{values({1, 2}), 1}), (Empirical{values({1, 2}), 1}));
  EXPECT_NE((Empirical{values({1, 2}), 1}), (Empirical{values({1, 3}), 1}));
  EXPECT_NE((Empirical{values({1, 2}), 1}), (Empirical{values({1, 2}), 2}));
}

}  // namespace
}  // namespace basin
