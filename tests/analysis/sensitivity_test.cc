#include "analysis/sensitivity.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

struct Sample {
  std::vector<std::vector<double>> inputs;
  std::vector<double> output;
};

// Independent uniform inputs on (0, 1).
Sample sample_of(std::size_t points,
                 std::size_t dimensions,
                 const std::function<double(const std::vector<double>&)>& function) {
  std::mt19937_64 random(7);
  Sample sample{.inputs = std::vector<std::vector<double>>(dimensions), .output = {}};
  for (std::size_t i = 0; i < points; ++i) {
    std::vector<double> point;
    for (std::size_t k = 0; k < dimensions; ++k) {
      point.push_back((static_cast<double>(random() >> 12) + 0.5) * 0x1p-52);
      sample.inputs[k].push_back(point.back());
    }
    sample.output.push_back(function(point));
  }
  return sample;
}

std::vector<SensitivityIndex> indices_of(const Sample& sample) {
  return first_order_sensitivity(sample.inputs, sample.output);
}

void expect_near(const SensitivityIndex& index, double theory, double tolerance) {
  EXPECT_NEAR(index.estimate, theory, tolerance);
  EXPECT_LE(index.interval.low, theory + tolerance / 2);
  EXPECT_GE(index.interval.high, theory - tolerance / 2);
  EXPECT_LT(index.interval.high - index.interval.low, 4 * tolerance);
}

TEST(Sensitivity, linear_model_splits_its_variance_by_the_squares_of_its_slopes) {
  // Var(sum a_i U_i) = sum a_i^2 / 12: shares 9/14, 4/14, 1/14 and nothing.
  const Sample sample = sample_of(
      4096, 4, [](const std::vector<double>& x) { return 3 * x[0] - 2 * x[1] + x[2]; });
  const auto indices = indices_of(sample);
  expect_near(indices[0], 9.0 / 14, 0.03);
  expect_near(indices[1], 4.0 / 14, 0.03);
  expect_near(indices[2], 1.0 / 14, 0.03);
  expect_near(indices[3], 0, 0.03);
}

TEST(Sensitivity, ishigami_function_has_the_indices_of_its_closed_form) {
  // sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 on (-pi, pi)^3: Ishigami and Homma 1990;
  // V1 = (1 + b pi^4/5)^2 / 2, V2 = a^2/8, V13 = 8 b^2 pi^8 / 225.
  const double pi = std::numbers::pi;
  const double first = std::pow(1 + 0.1 * std::pow(pi, 4) / 5, 2) / 2;
  const double second = 49.0 / 8;
  const double both = 8 * 0.01 * std::pow(pi, 8) / 225;
  const double all = first + second + both;
  EXPECT_NEAR(first / all, 0.3139, 1e-4);
  const Sample sample = sample_of(8192, 3, [&](const std::vector<double>& u) {
    const double x1 = pi * (2 * u[0] - 1);
    const double x2 = pi * (2 * u[1] - 1);
    const double x3 = pi * (2 * u[2] - 1);
    return std::sin(x1) + 7 * std::sin(x2) * std::sin(x2) +
           0.1 * std::pow(x3, 4) * std::sin(x1);
  });
  const auto indices = indices_of(sample);
  expect_near(indices[0], first / all, 0.03);
  expect_near(indices[1], second / all, 0.03);
  expect_near(indices[2], 0, 0.03);
}

TEST(Sensitivity, boundary_of_recovery_is_explained_by_the_input_that_crosses_it) {
  // A 0 or 1 decided by x0 alone below 0.9 of the time, else by chance of x1: E[Y|x0] is
  // 1{x0 < 1/2} * 0.9 + 0.05; Var(Y) = 1/4, so S0 = 0.81 and S1 = 0.
  const Sample sample = sample_of(4096, 2, [](const std::vector<double>& x) {
    const double wrapped = std::fmod(x[1] * 977, 1.0);  // as good as chance
    return (x[0] < 0.5 ? wrapped < 0.95 : wrapped < 0.05) ? 1.0 : 0.0;
  });
  const auto indices = indices_of(sample);
  expect_near(indices[0], 0.81, 0.03);
  expect_near(indices[1], 0, 0.03);
}

TEST(Sensitivity, input_of_few_values_has_a_group_for_each) {
  Sample sample = sample_of(1000, 2, [](const std::vector<double>&) { return 0.0; });
  for (std::size_t i = 0; i < sample.output.size(); ++i) {
    sample.inputs[0][i] = std::floor(3 * sample.inputs[0][i]);
    sample.output[i] = sample.inputs[0][i] == 1 ? 5.0 : 2.0;  // no trend, all explained
  }
  const auto indices = indices_of(sample);
  EXPECT_DOUBLE_EQ(indices[0].estimate, 1);
  EXPECT_DOUBLE_EQ(indices[0].interval.low, 1);
  EXPECT_NEAR(indices[1].estimate, 0, 0.06);
}

TEST(Sensitivity, interval_covers_the_index_about_as_often_as_it_says) {
  // 60 samples of 200 points each of 2 U1 + U2, S1 = 4/5: 95% would be 57, and fewer than
  // 50 have a probability below 1e-3 at 95%.
  std::mt19937_64 random(11);
  int covered = 0;
  for (int run = 0; run < 60; ++run) {
    Sample sample{.inputs = {{}, {}}, .output = {}};
    for (int i = 0; i < 200; ++i) {
      const double a = static_cast<double>(random() >> 11) * 0x1p-53;
      const double b = static_cast<double>(random() >> 11) * 0x1p-53;
      sample.inputs[0].push_back(a);
      sample.inputs[1].push_back(b);
      sample.output.push_back(2 * a + b);
    }
    const Interval interval = indices_of(sample)[0].interval;
    covered += interval.low <= 0.8 && 0.8 <= interval.high ? 1 : 0;
    EXPECT_LT(interval.high - interval.low, 0.2);
  }
  EXPECT_GE(covered, 50);
}

TEST(Sensitivity, scale_and_offset_of_the_output_do_not_matter) {
  Sample sample = sample_of(256, 2, [](const std::vector<double>& x) { return x[0]; });
  const auto plain = indices_of(sample);
  for (double& value : sample.output) {
    value = value * 1e300 - 5e299;
  }
  EXPECT_NEAR(indices_of(sample)[0].estimate, plain[0].estimate, 1e-9);
}

TEST(Sensitivity, what_cannot_be_told_has_a_reason) {
  const auto reason = [](const Sample& sample, std::size_t resamples = 200) {
    try {
      first_order_sensitivity(sample.inputs, sample.output, {.resamples = resamples});
    } catch (const NoSensitivity& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto first = [](const std::vector<double>& x) { return x[0]; };
  Sample same = sample_of(100, 2, [](const std::vector<double>&) { return 0.3; });
  EXPECT_THAT(reason(same), testing::HasSubstr("same in all points"));
  EXPECT_THAT(reason(sample_of(15, 2, first)), testing::HasSubstr("at least 16"));
  EXPECT_THAT(reason(sample_of(16, 2, first), 5), testing::HasSubstr("resamples"));
  Sample broken = sample_of(100, 2, first);
  broken.output[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(reason(broken), testing::HasSubstr("output is not finite"));
  broken = sample_of(100, 2, first);
  broken.inputs[1][3] = HUGE_VAL;
  EXPECT_THAT(reason(broken), testing::HasSubstr("input is not finite"));
  broken.inputs[1].pop_back();
  EXPECT_THAT(reason(broken), testing::HasSubstr("99 values for 100 outputs"));

  Sample constant = sample_of(100, 2, first);
  constant.inputs[1].assign(100, 4.0);
  const auto indices = indices_of(constant);
  EXPECT_TRUE(indices[1].is_constant);
  EXPECT_EQ(indices[1].estimate, 0);
  EXPECT_GT(indices[0].estimate, 0.9);
}

}  // namespace
}  // namespace basin
