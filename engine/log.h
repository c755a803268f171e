// A natural logarithm whose bits are the same in every build.
//
// libm's double log picks its code by the machine (with or without FMA), so two machines
// may differ in the last bit. This one is a fixed sequence of additions, multiplications
// and one division, each rounded once (-ffp-contract=off): faster than long double logl,
// and within 1 ulp of the true value.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/random.h"

namespace basin {

// Natural logarithm of a positive, finite, normal number.
//
// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and with s = f / (2 + f)
//   log(1 + f) = 2 atanh(s) = 2s + s * R(s^2) = f - s * (f - R),
// written so that the leading terms f and f^2/2 carry no error of s, as in Sun's fdlibm.
// R is a minimax polynomial (Remez, error 2^-58).
constexpr double portable_log(double x) {
  // Only what SSE2 can do for two numbers at once, so that a loop of logarithms is
  // vectorized: k + 1024 by a logical shift, and its conversion by to_double.
  constexpr std::uint64_t sqrt_half_bits = 0x3fe6a09e00000000;
  constexpr std::uint64_t bias = std::uint64_t{1024} << 52;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t biased = bits - sqrt_half_bits + bias;
  const std::uint64_t exponent = biased >> 52;
  const double f = std::bit_cast<double>(bits - (exponent << 52) + bias) - 1.0;
  const double k = to_double(exponent) - 1024;

  constexpr double ln2_high = 0x1.62e42fefa3800p-1;  // 42 bits: k * ln2_high is exact
  constexpr double ln2_low = 0x1.ef35793c76730p-45;
  constexpr double r1 = 0x1.5555555555592p-1;
  constexpr double r2 = 0x1.999999997fdb7p-2;
  constexpr double r3 = 0x1.24924941f124dp-2;
  constexpr double r4 = 0x1.c71c52095d00cp-3;
  constexpr double r5 = 0x1.74663ee87bacep-3;
  constexpr double r6 = 0x1.39a1bab5359d3p-3;
  constexpr double r7 = 0x1.2f0563a0e8383p-3;

  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  // Odd and even powers apart: half the depth of Horner's scheme.
  const double odd = z * (r1 + w * (r3 + w * (r5 + w * r7)));
  const double even = w * (r2 + w * (r4 + w * r6));
  const double half_square = 0.5 * f * f;
  const double correction = s * (half_square + (odd + even)) + k * ln2_low;
  return k * ln2_high - ((half_square - correction) - f);
}

// A standard exponential number (mean 1) by inversion: -log(u) with u = to_unit(word).
// Positive, at most 53 ln 2 = 36.7.
constexpr double unit_exponential(std::uint64_t word) {
  return -portable_log(to_unit(word));
}

}  // namespace basin
