#include "experiments/decimal_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace basin {

std::string decimal_text(long double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(),
                                 buffer.data() + buffer.size(),
                                 value == 0 ? 0.0L : value,  // no "-0"
                                 std::chars_format::general,
                                 12)
                       .ptr;
  return {buffer.data(), end};
}

double to_twelve_digits(double value) {
  if (!std::isfinite(value)) {
    return value;
  }
  const std::string text = decimal_text(static_cast<long double>(value));
  double result = value;  // stays where the digits are beyond a double's range
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

}  // namespace basin
