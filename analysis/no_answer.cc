#include "analysis/no_answer.h"

#include <cmath>
#include <string>

namespace basin {

namespace {

std::string written(double value) {
  std::string text(32, '\0');
  text.resize(
      static_cast<std::size_t>(std::snprintf(text.data(), text.size(), "%.12g", value)));
  return text;
}

}  // namespace

double above_zero(double value, std::string_view name) {
  if (!(std::isfinite(value) && value > 0)) {
    throw NoAnswer(std::string{name} + " is " + written(value) + ", not above 0");
  }
  return value;
}

double zero_or_more(double value, std::string_view name) {
  if (!(std::isfinite(value) && value >= 0)) {
    throw NoAnswer(std::string{name} + " is " + written(value) + ", not 0 or more");
  }
  return value;
}

void expect_stable(double load) {
  if (!(load < 1)) {
    throw NoAnswer("no steady state: the load is " + written(load) +
                   " of the capacity, not below 1");
  }
}

}  // namespace basin
