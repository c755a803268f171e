// Against Boost.Multiprecision's binary numbers of 113 bits, which are software: nothing
// here and nothing there is an instruction of the machine.
#include "engine/portable_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "engine/random.h"

namespace basin {
namespace {

using Quad = boost::multiprecision::cpp_bin_float_quad;

constexpr long double infinity = std::numeric_limits<long double>::infinity();

long double relative_error(long double mine, const Quad& truth) {
  return static_cast<long double>(abs((Quad{mine} - truth) / truth));
}

// Arguments between `low` and `high`, evenly spread on a logarithmic scale.
template <class Check>
void for_arguments(long double low, long double high, Check&& check) {
  RandomStream stream{{.seed = 7}, {}};
  for (int i = 0; i < 20'000; ++i) {
    const long double share = stream.unit();
    check(low * portable::exp(share * portable::log(high / low)));
  }
}

TEST(PortableMath, exponential_is_within_two_units_of_the_last_place_of_long_double) {
  long double worst = 0;
  for_arguments(1e-20L, 11'000, [&](long double x) {
    for (const long double signed_x : {x, -x}) {
      worst =
          std::max(worst, relative_error(portable::exp(signed_x), exp(Quad{signed_x})));
    }
  });
  EXPECT_LT(worst, 0x1p-62L);
}

TEST(PortableMath, exponential_less_one_keeps_its_digits_near_zero) {
  long double worst = 0;
  for_arguments(1e-30L, 11'000, [&](long double x) {
    for (const long double signed_x : {x, -x}) {
      worst = std::max(worst,
                       relative_error(portable::expm1(signed_x), expm1(Quad{signed_x})));
    }
  });
  EXPECT_LT(worst, 0x1p-61L);
}

TEST(PortableMath, logarithm_is_within_two_units_of_the_last_place_of_long_double) {
  long double worst = 0;
  const auto check = [&](long double x) {
    worst = std::max(worst, relative_error(portable::log(x), log(Quad{x})));
  };
  for_arguments(1e-4000L, 1e4000L, check);
  for_arguments(0.25L, 4, check);
  for_arguments(1 + 1e-15L, 1.001L, check);
  EXPECT_LT(worst, 0x1p-62L);
}

TEST(PortableMath, logarithm_of_one_plus_x_keeps_its_digits_near_zero) {
  long double worst = 0;
  for_arguments(1e-30L, 1e30L, [&](long double x) {
    worst = std::max(worst, relative_error(portable::log1p(x), log1p(Quad{x})));
    if (x < 1) {
      worst = std::max(worst, relative_error(portable::log1p(-x), log1p(Quad{-x})));
    }
  });
  EXPECT_LT(worst, 0x1p-61L);
}

TEST(PortableMath, powers_lose_what_their_exponent_takes) {
  for_arguments(1e-3L, 100, [&](long double y) {
    for (const long double x : {1e-9L, 0.3L, 0.99L, 1.5L, 1e6L}) {
      const Quad power = exp(Quad{y} * log(Quad{x}));
      EXPECT_LT(relative_error(portable::pow(x, y), power),
                0x1p-62L * (1 + std::abs(y * portable::log(x))));
    }
  });
}

TEST(PortableMath, gamma_function_and_its_logarithm) {
  EXPECT_EQ(portable::tgamma(1.0), 1.0);
  EXPECT_EQ(portable::tgamma(5.0), 24.0);
  EXPECT_EQ(portable::tgamma(0.5), 1.7724538509055160273);  // sqrt(pi)
  for_arguments(1e-5L, 99, [&](long double x) {
    EXPECT_LT(relative_error(portable::tgamma(x), boost::math::tgamma(Quad{x})),
              x < 20 ? 0x1p-56L : 0x1p-53L)
        << x;
  });
  for_arguments(1e-5L, 1e6L, [&](long double x) {
    const Quad truth = boost::math::lgamma(Quad{x});
    const auto error = static_cast<long double>(abs(Quad{portable::lgamma(x)} - truth));
    EXPECT_LT(error, x < 20 ? 0x1p-56L : 0x1p-60L * std::abs(portable::lgamma(x))) << x;
  });
}

TEST(PortableMath, special_values_are_those_of_the_c_library) {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  EXPECT_EQ(portable::exp(0.0L), 1);
  EXPECT_EQ(portable::exp(-infinity), 0);
  EXPECT_EQ(portable::exp(infinity), infinity);
  EXPECT_EQ(portable::exp(11'400.0L), infinity);
  EXPECT_EQ(portable::exp(-11'600.0L), 0);
  EXPECT_TRUE(std::isnan(portable::exp(nan)));
  EXPECT_EQ(portable::exp(710.0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(portable::expm1(0.0L), 0);
  EXPECT_EQ(portable::expm1(-infinity), -1);
  EXPECT_EQ(portable::expm1(infinity), infinity);
  EXPECT_TRUE(std::isnan(portable::expm1(nan)));
  EXPECT_EQ(portable::log(1.0L), 0);
  EXPECT_EQ(portable::log(0.0L), -infinity);
  EXPECT_EQ(portable::log(infinity), infinity);
  EXPECT_TRUE(std::isnan(portable::log(-1.0L)));
  EXPECT_TRUE(std::isnan(portable::log(nan)));
  EXPECT_EQ(portable::log1p(0.0L), 0);
  EXPECT_EQ(portable::log1p(-1.0L), -infinity);
  EXPECT_EQ(portable::log1p(infinity), infinity);
  EXPECT_TRUE(std::isnan(portable::log1p(-2.0L)));
  EXPECT_TRUE(std::isnan(portable::log1p(nan)));
  EXPECT_EQ(portable::pow(0.0L, 0.5L), 0);
  EXPECT_EQ(portable::pow(0.0L, 0.0L), 1);
  EXPECT_EQ(portable::pow(0.0L, -1.0L), infinity);
  EXPECT_EQ(portable::pow(infinity, 0.5L), infinity);
  EXPECT_EQ(portable::pow(1.0L, infinity), 1);
  EXPECT_EQ(portable::tgamma(2'000.0L), infinity);
  EXPECT_EQ(portable::tgamma(infinity), infinity);
}

// The bits themselves, the same constant on every machine and from every compiler.
TEST(PortableMath, bits_are_the_same_everywhere) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a over words
  const auto add = [&](long double value) {
    int exponent = 0;
    const long double fraction = std::frexp(value, &exponent);
    hash = (hash ^ static_cast<std::uint64_t>(std::ldexp(fraction, 64))) * 0x100000001b3;
    hash = (hash ^ static_cast<std::uint64_t>(exponent)) * 0x100000001b3;
  };
  for_arguments(1e-6L, 1'000, [&](long double x) {
    add(portable::exp(x));
    add(portable::expm1(x));
    add(std::abs(portable::log(x)));
    add(portable::log1p(x));
    add(portable::pow(x, 0.3L));
    add(portable::tgamma(x));
    add(std::abs(portable::lgamma(x)));
  });
  EXPECT_EQ(hash, 0xc957145c452cdd32U);
}

}  // namespace
}  // namespace basin
