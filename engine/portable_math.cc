#include "engine/portable_math.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "engine/contract.h"

namespace basin::portable {

namespace {

using Limits = std::numeric_limits<long double>;
static_assert(Limits::digits == 64, "long double is x86's, of 64 bits");

constexpr long double infinity = Limits::infinity();
constexpr long double ln2_high = 0xb.17217f7dp-4L;  // 32 bits: k * ln2_high is exact
constexpr long double ln2_low = 0x1.cf79abc9e3b39803f2f6p-40L;
constexpr long double log2_e = 1.4426950408889634073599246810018921L;
constexpr long double half_log_two_pi = 0.91893853320467274178032973640561764L;

// Horner's scheme: c[0] + x c[1] + x^2 c[2] + ...
template <std::size_t size>
constexpr long double polynomial(const std::array<long double, size>& c, long double x) {
  long double sum = c[size - 1];
  for (std::size_t i = size - 1; i-- > 0;) {
    sum = sum * x + c[i];
  }
  return sum;
}

// 1/1!, 1/2!, ...: (e^r - 1) / r, cut off below 2^-67 for |r| <= ln(2)/2.
constexpr std::array exponential_series = [] {
  std::array<long double, 16> c{};
  long double factorial = 1;
  for (std::size_t n = 0; n < c.size(); ++n) {
    factorial *= static_cast<long double>(n + 1);  // exact up to 25!
    c[n] = 1 / factorial;
  }
  return c;
}();

// 1/3, 1/5, ...: (atanh(s)/s - 1) / s^2, cut off below 2^-69 for |s| <= 0.1716.
constexpr std::array atanh_series = [] {
  std::array<long double, 13> c{};
  for (std::size_t n = 0; n < c.size(); ++n) {
    c[n] = 1 / static_cast<long double>(2 * n + 3);
  }
  return c;
}();

// 2 atanh(s) for s = f / (2 + f), which is log(1 + f), 1 + f from sqrt(1/2) to sqrt(2).
long double log_by_atanh(long double s) {
  const long double square = s * s;
  return 2 * s + 2 * s * (square * polynomial(atanh_series, square));
}

constexpr long double sqrt_half = 0.70710678118654752440L;

// Stirling's series: B_2k / (2k (2k - 1)), k = 1, 2, ... In powers of 1/x^2 from x = 20
// on, what is left out is below 2^-69.
constexpr std::array stirling_series = {1 / 12.0L,
                                        -1 / 360.0L,
                                        1 / 1260.0L,
                                        -1 / 1680.0L,
                                        1 / 1188.0L,
                                        -691 / 360360.0L,
                                        1 / 156.0L,
                                        -3617 / 122400.0L};
constexpr long double stirling_from = 20;

// Gamma(x) = e^log_gamma / product: Gamma(x + n) over x (x + 1) ... (x + n - 1).
struct Shifted {
  long double log_gamma;
  long double product;
};

Shifted stirling(long double x) {
  long double product = 1;
  while (x < stirling_from) {
    product *= x;
    x += 1;
  }
  return {.log_gamma = (x - 0.5L) * log(x) - x + half_log_two_pi +
                       polynomial(stirling_series, 1 / (x * x)) / x,
          .product = product};
}

}  // namespace

long double exp(long double x) {
  if (!(std::abs(x) < 12'000)) {
    return std::isnan(x) ? x : (x > 0 ? infinity : 0);
  }
  // x = k ln 2 + r
  const auto k = static_cast<int>(x * log2_e + (x < 0 ? -0.5L : 0.5L));
  const auto multiple = static_cast<long double>(k);
  const long double r = (x - multiple * ln2_high) - multiple * ln2_low;
  return std::ldexp(1 + r * polynomial(exponential_series, r), k);
}

long double expm1(long double x) {
  if (std::abs(x) < 0.34L) {
    return x * polynomial(exponential_series, x);
  }
  return exp(x) - 1;
}

long double log(long double x) {
  if (!(x > 0)) {
    return x == 0 ? -infinity : Limits::quiet_NaN();
  }
  if (x == infinity) {
    return x;
  }
  int exponent = 0;
  long double m = std::frexp(x, &exponent);
  if (m < sqrt_half) {
    m *= 2;
    --exponent;
  }
  const auto multiple = static_cast<long double>(exponent);
  return multiple * ln2_high + (multiple * ln2_low + log_by_atanh((m - 1) / (m + 1)));
}

long double log1p(long double x) {
  if (x > sqrt_half - 1 && x < 2 * sqrt_half - 1) {
    return log_by_atanh(x / (2 + x));
  }
  const long double sum = 1 + x;
  if (!(sum > 0) || sum == infinity) {
    return log(sum);
  }
  // What rounding the sum has left out, to first order.
  const long double left_out = x > 1 ? 1 - (sum - x) : x - (sum - 1);
  return log(sum) + left_out / sum;
}

long double pow(long double x, long double y) {
  BASIN_EXPECT(!(x < 0));
  return y == 0 || x == 1 ? 1 : exp(y * log(x));
}

long double lgamma(long double x) {
  BASIN_EXPECT(!(x <= 0));
  if (!(x < infinity)) {
    return x;
  }
  const Shifted shifted = stirling(x);
  return shifted.log_gamma - log(shifted.product);
}

long double tgamma(long double x) {
  BASIN_EXPECT(!(x <= 0));
  if (!(x < infinity)) {
    return x;
  }
  const Shifted shifted = stirling(x);
  return exp(shifted.log_gamma) / shifted.product;
}

}  // namespace basin::portable
