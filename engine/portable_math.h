// Exponentials, logarithms, powers and the gamma function whose bits are the same on
// every machine.
//
// libm's are not: its double functions pick their code by the machine (with or without
// FMA), and its long double ones are instructions of the processor's floating-point unit,
// whose last bit differs between makers. These are fixed sequences of additions,
// multiplications and divisions of long double (64 bits of significand), which IEEE 754
// defines to the bit; on an argument or to a result of type double they round once more.
// So a result of type double is the true value rounded, but for about one in a thousand
// that is its neighbour.
//
// Special values are those of the C library (Annex F): infinities, zeros and
// not-a-numbers go in and come out the same way. `engine/log.h` has a faster logarithm
// for where many are taken.
#pragma once

namespace basin::portable {

// e^x. Relative error below 2^-62.
long double exp(long double x);

// e^x - 1, relative error below 2^-61 near 0 too.
long double expm1(long double x);

// Natural logarithm. Relative error below 2^-62.
long double log(long double x);

// log(1 + x), relative error below 2^-61 near 0 too.
long double log1p(long double x);

// x^y as exp(y log x), for x >= 0: relative error below 2^-62 (1 + |y log x|).
long double pow(long double x, long double y);

// log Gamma(x) for x > 0, by Stirling's series. Absolute error below 2^-56 for x < 20,
// relative error below 2^-60 above.
long double lgamma(long double x);

// Gamma(x) for x > 0. Relative error below 2^-56 for x < 20 and 2^-53 for
// x < 100; infinite from about 1755.5.
long double tgamma(long double x);

inline double exp(double x) {
  return static_cast<double>(exp(static_cast<long double>(x)));
}
inline double expm1(double x) {
  return static_cast<double>(expm1(static_cast<long double>(x)));
}
inline double log(double x) {
  return static_cast<double>(log(static_cast<long double>(x)));
}
inline double log1p(double x) {
  return static_cast<double>(log1p(static_cast<long double>(x)));
}
inline double pow(double x, double y) {
  return static_cast<double>(
      pow(static_cast<long double>(x), static_cast<long double>(y)));
}
inline double lgamma(double x) {
  return static_cast<double>(lgamma(static_cast<long double>(x)));
}
inline double tgamma(double x) {
  return static_cast<double>(tgamma(static_cast<long double>(x)));
}

}  // namespace basin::portable
