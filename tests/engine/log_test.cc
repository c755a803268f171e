#include "engine/log.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "engine/random.h"

namespace basin {
namespace {

// Distance from the true logarithm, in units of the result's last place.
long double error_in_ulps(double x) {
  const long double truth = std::log(static_cast<long double>(x));
  const double mine = portable_log(x);
  const auto rounded = std::abs(static_cast<double>(truth));
  const double ulp =
      std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return std::abs(mine - truth) / static_cast<long double>(ulp);
}

TEST(PortableLog, is_exact_at_one_and_right_at_powers_of_two) {
  EXPECT_EQ(portable_log(1.0), 0.0);
  for (int exponent = -1022; exponent <= 1023; ++exponent) {
    EXPECT_LT(error_in_ulps(std::ldexp(1.0, exponent)), 0.9L) << exponent;
  }
}

TEST(PortableLog, is_within_an_ulp_on_the_unit_interval) {
  RandomStream stream{{.seed = 1}, {}};
  long double worst = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    worst = std::max(worst, error_in_ulps(stream.unit()));
  }
  EXPECT_LT(worst, 0.9L);
}

TEST(PortableLog, is_within_an_ulp_over_all_normal_numbers) {
  RandomStream stream{{.seed = 2}, {}};
  long double worst = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    constexpr std::uint64_t smallest = 0x0010000000000000;
    constexpr std::uint64_t normals = 0x7fe0000000000000;
    worst = std::max(worst,
                     error_in_ulps(std::bit_cast<double>(smallest + stream() % normals)));
  }
  EXPECT_LT(worst, 0.9L);
}

TEST(PortableLog, keeps_its_digits_next_to_one_and_where_the_exponent_changes) {
  for (const double centre : {1.0, std::sqrt(0.5), std::sqrt(2.0), 0.5, 2.0}) {
    double below = centre;
    double above = centre;
    for (int i = 0; i < 20'000; ++i) {
      below = std::nextafter(below, 0.0);
      above = std::nextafter(above, 4.0);
      ASSERT_LT(error_in_ulps(below), 0.9L);
      ASSERT_LT(error_in_ulps(above), 0.9L);
    }
  }
  for (int exponent = 1; exponent < 53; ++exponent) {
    EXPECT_LT(error_in_ulps(1 + std::ldexp(1.0, -exponent)), 0.9L);
    EXPECT_LT(error_in_ulps(1 - std::ldexp(1.0, -exponent)), 0.9L);
  }
}

TEST(PortableLog, never_decreases) {
  RandomStream stream{{.seed = 3}, {}};
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = stream.unit();
    ASSERT_LE(portable_log(x), portable_log(std::nextafter(x, 2.0))) << x;
  }
}

TEST(PortableLog, has_known_bits) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  RandomStream stream{{.seed = 4}, {}};
  for (int i = 0; i < 1000; ++i) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(portable_log(stream.unit()))) *
           1099511628211U;
  }
  EXPECT_EQ(hash, 3426987533207521739U);
}

TEST(UnitExponential, is_positive_and_finite_at_both_ends) {
  EXPECT_GT(unit_exponential(UINT64_MAX), 0);
  EXPECT_LT(unit_exponential(UINT64_MAX), 1e-15);
  EXPECT_NEAR(unit_exponential(0), 53 * std::log(2.0), 1e-13);
}

}  // namespace
}  // namespace basin
