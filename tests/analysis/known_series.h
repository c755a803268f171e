// Series whose means, variances and correlations are known.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace basin {

class KnownSeries {
 public:
  explicit KnownSeries(std::uint64_t seed) : random_{seed} {}

  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  // Mean 0, variance 1, nearly normal: twelve uniform numbers.
  double noise() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) {
      sum += uniform();
    }
    return sum;
  }

  // x' = phi x + noise around 0, from stationarity. Variance 1/(1 - phi^2); n times the
  // variance of the mean of n tends to 1/(1 - phi)^2.
  std::vector<double> autoregressive(double phi, std::size_t count) {
    std::vector<double> values;
    double x = noise() / std::sqrt(1 - phi * phi);
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(x);
      x = phi * x + noise();
    }
    return values;
  }

  // Time averages over `bins` intervals of length `bin` of the number in an M/M/1 system
  // with mu = 1, beginning with `number`.
  std::vector<double> mm1_number(double rho,
                                 double bin,
                                 std::size_t bins,
                                 double number = 0) {
    std::vector<double> averages;
    averages.reserve(bins);
    double left = bin;  // of the bin
    double area = 0;
    while (averages.size() < bins) {
      double stay = exponential() / (number > 0 ? rho + 1 : rho);
      while (stay >= left && averages.size() < bins) {
        averages.push_back((area + number * left) / bin);
        stay -= left;
        left = bin;
        area = 0;
      }
      area += number * stay;
      left -= stay;
      number += number == 0 || uniform() * (rho + 1) < rho ? 1 : -1;
    }
    return averages;
  }

 private:
  double exponential() { return -std::log1p(-uniform()); }

  std::mt19937_64 random_;
};

}  // namespace basin
