#include "experiments/units.h"

#include <array>
#include <charconv>
#include <cmath>

namespace basin {
namespace {

__extension__ using Wide = unsigned __int128;

struct DurationUnit {
  std::string_view name;
  std::uint64_t factor;  // value = number * factor * 10^exponent nanoseconds
  int exponent;
};
constexpr std::array<DurationUnit, 8> duration_units{{{"d", 86400, 9},
                                                      {"h", 3600, 9},
                                                      {"min", 60, 9},
                                                      {"s", 1, 9},
                                                      {"ms", 1, 6},
                                                      {"us", 1, 3},
                                                      {"\u00b5s", 1, 3},
                                                      {"ns", 1, 0}}};

constexpr const char* duration_expected =
    "expected a duration such as \"30s\": ns, us, ms, s, min, h or d";
constexpr const char* count_expected = "expected a whole number such as 32, 600k or 3.6M";
constexpr const char* percentage_expected = "expected a percentage such as \"10%\"";
constexpr const char* rate_expected =
    "expected a rate such as \"400/s\", \"10k/s\" or \"90/min\"";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "\"";
  result += text.substr(0, longest);
  if (text.size() > longest) {
    result += "…";
  }
  return result + "\"";
}

// mantissa * 10^exponent, and what follows the number.
struct Decimal {
  std::uint64_t mantissa = 0;
  int exponent = 0;
  std::string_view rest;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

// Digits, perhaps a point and digits, perhaps an exponent. The exponent is taken only
// where digits follow the e.
Decimal parse_decimal(std::string_view text, const char* expected) {
  constexpr int most_digits = 18;
  Decimal result;
  int significant = 0;
  bool any = false;
  bool after_point = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !after_point && any) {
      after_point = true;
      continue;
    }
    if (!is_digit(text[i])) {
      break;
    }
    any = true;
    if (result.mantissa != 0 || text[i] != '0') {
      if (++significant > most_digits) {
        throw UnitError(quoted(text) + " has more than 18 digits (" + expected + ")");
      }
    }
    result.mantissa = result.mantissa * 10 + static_cast<std::uint64_t>(text[i] - '0');
    result.exponent -= after_point ? 1 : 0;
  }
  if (!any || text[i - 1] == '.') {
    throw UnitError(quoted(text) + " is not a number with a unit (" + expected + ")");
  }
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    const bool negative = text[j] == '-';
    j += (text[j] == '-' || text[j] == '+') ? 1U : 0U;
    int power = 0;
    const std::size_t first = j;
    for (; j < text.size() && is_digit(text[j]); ++j) {
      power = std::min(power * 10 + (text[j] - '0'), 100'000);
    }
    if (j > first) {
      result.exponent += negative ? -power : power;
      i = j;
    }
  }
  if (result.mantissa == 0) {
    result.exponent = 0;
  }
  while (result.mantissa != 0 && result.mantissa % 10 == 0) {
    result.mantissa /= 10;
    ++result.exponent;
  }
  result.rest = trimmed(text.substr(i));
  return result;
}

void expect_no_sign(std::string_view text, const char* expected) {
  if (!text.empty() && text.front() == '-') {
    throw UnitError(quoted(text) + " is negative (" + expected + ")");
  }
  if (text == "inf" || text == "nan" || text == "+inf" || text == "+nan") {
    throw UnitError(quoted(text) + " is not a finite number (" + expected + ")");
  }
}

// The double nearest to value * 10^exponent.
double to_double(Wide value, int exponent) {
  std::array<char, 64> digits{};
  char* begin = digits.data() + 48;
  char* end = begin;
  do {
    *--begin = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  *end++ = 'e';
  end = std::to_chars(end, digits.data() + digits.size(), exponent).ptr;
  double result = 0;
  const auto [stop, error] = std::from_chars(begin, end, result);
  if (error == std::errc::result_out_of_range) {
    return exponent > 0 ? HUGE_VAL : 0;
  }
  return result;
}

// Nanoseconds, rounded to nearest; false if they do not fit in longest_written_duration.
bool to_nanoseconds(Wide value, int exponent, std::int64_t& result) {
  const auto most = static_cast<Wide>(
      std::chrono::duration_cast<Duration>(longest_written_duration).count());
  for (; exponent > 0; --exponent) {
    if (value > most) {
      return false;
    }
    value *= 10;
  }
  Wide divisor = 1;
  for (; exponent < 0 && divisor <= value * 10; ++exponent) {
    divisor *= 10;
  }
  value = exponent < 0 ? Wide{0} : (value + divisor / 2) / divisor;
  if (value > most) {
    return false;
  }
  result = static_cast<std::int64_t>(value);
  return true;
}

const DurationUnit& duration_unit(std::string_view text, std::string_view unit) {
  for (const DurationUnit& candidate : duration_units) {
    if (candidate.name == unit) {
      return candidate;
    }
  }
  if (unit.empty()) {
    throw UnitError(quoted(text) + " has no unit (write \"" + std::string(trimmed(text)) +
                    "s\" for seconds; " + duration_expected + ")");
  }
  if (unit == "m") {
    throw UnitError(quoted(text) +
                    " has the unit m (write min for minutes, ms for milliseconds)");
  }
  throw UnitError(quoted(text) + " has the unknown unit " + quoted(unit) + " (" +
                  duration_expected + ")");
}

std::string shortest(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

WrittenDuration parse_duration(std::string_view text) {
  text = trimmed(text);
  expect_no_sign(text, duration_expected);
  const Decimal number = parse_decimal(text, duration_expected);
  const DurationUnit& unit = duration_unit(text, number.rest);
  const Wide scaled = Wide{number.mantissa} * unit.factor;
  const int exponent = number.exponent + unit.exponent;
  std::int64_t nanoseconds = 0;
  if (!to_nanoseconds(scaled, exponent, nanoseconds)) {
    throw UnitError(quoted(text) + " is too long (expected at most 7300d, 20 years)");
  }
  if (nanoseconds == 0 && number.mantissa != 0) {
    throw UnitError(quoted(text) +
                    " is shorter than a nanosecond (time is counted in whole "
                    "nanoseconds)");
  }
  return {.span = Duration{nanoseconds}, .seconds = to_double(scaled, exponent - 9)};
}

double parse_rate(std::string_view text) {
  text = trimmed(text);
  expect_no_sign(text, rate_expected);
  Decimal number = parse_decimal(text, rate_expected);
  std::string_view unit = number.rest;
  if (!unit.empty() &&
      (unit.front() == 'k' || unit.front() == 'M' || unit.front() == 'G')) {
    number.exponent += unit.front() == 'k' ? 3 : unit.front() == 'M' ? 6 : 9;
    unit.remove_prefix(1);
  }
  if (unit.empty()) {
    throw UnitError(quoted(text) + " has no unit (write \"" + std::string(text) +
                    "/s\" for per second; " + rate_expected + ")");
  }
  if (unit.front() != '/') {
    throw UnitError(quoted(text) + " is not a rate (" + rate_expected + ")");
  }
  unit.remove_prefix(1);
  double result = 0;
  if (unit == "s") {
    result = to_double(number.mantissa, number.exponent);
  } else if (unit == "ms") {
    result = to_double(number.mantissa, number.exponent + 3);
  } else if (unit == "us") {
    result = to_double(number.mantissa, number.exponent + 6);
  } else if (unit == "min") {
    result = to_double(number.mantissa, number.exponent) / 60;
  } else if (unit == "h") {
    result = to_double(number.mantissa, number.exponent) / 3600;
  } else if (unit == "d") {
    result = to_double(number.mantissa, number.exponent) / 86400;
  } else {
    throw UnitError(quoted(text) + " has the unknown unit " + quoted(number.rest) + " (" +
                    rate_expected + ")");
  }
  if (!(result < HUGE_VAL)) {
    throw UnitError(quoted(text) + " is too large (expected a finite rate)");
  }
  if (result == 0 && number.mantissa != 0) {
    throw UnitError(quoted(text) + " is too small (" + rate_expected + ")");
  }
  return result;
}

double parse_number(std::string_view text) {
  text = trimmed(text);
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  double result = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (digits.empty() || error != std::errc{} || end != digits.data() + digits.size() ||
      digits.front() == '-' || !std::isfinite(result)) {
    throw UnitError(quoted(text) +
                    " is not a number (expected a finite number such as 0.5)");
  }
  return negative ? -result : result;
}

std::int64_t parse_whole(std::string_view text) {
  text = trimmed(text);
  std::int64_t result = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), result);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    throw UnitError(quoted(text) + " is not a whole number (expected one such as 10)");
  }
  return result;
}

double parse_count(std::string_view text) {
  constexpr double most = 1e15;
  text = trimmed(text);
  expect_no_sign(text, count_expected);
  if (text.empty() || !is_digit(text.front())) {
    throw UnitError(quoted(text) + " is not a number (" + count_expected + ")");
  }
  Decimal number = parse_decimal(text, count_expected);
  const std::string_view suffix = number.rest;
  if (suffix == "k" || suffix == "M" || suffix == "G") {
    number.exponent += suffix == "k" ? 3 : suffix == "M" ? 6 : 9;
  } else if (!suffix.empty()) {
    throw UnitError(quoted(text) + " has the unknown suffix " + quoted(suffix) + " (" +
                    count_expected + ")");
  }
  // Trailing zeros are in the exponent, so a negative one means a fraction.
  if (number.mantissa != 0 && number.exponent < 0) {
    throw UnitError(quoted(text) + " is not a whole number (" + count_expected + ")");
  }
  const double result = to_double(number.mantissa, number.exponent);
  if (result > most) {
    throw UnitError(quoted(text) + " is too large (expected at most 10^15)");
  }
  return result;
}

double parse_percentage(std::string_view text) {
  text = trimmed(text);
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view digits = negative ? text.substr(1) : text;
  expect_no_sign(digits, percentage_expected);
  if (digits.empty() || !is_digit(digits.front())) {
    throw UnitError(quoted(text) + " is not a number (" + percentage_expected + ")");
  }
  const Decimal number = parse_decimal(digits, percentage_expected);
  if (number.rest != "%") {
    throw UnitError(quoted(text) + " is not a percentage (" + percentage_expected + ")");
  }
  const double result = to_double(number.mantissa, number.exponent - 2);
  if (!(result < HUGE_VAL)) {
    throw UnitError(quoted(text) + " is too large (" + percentage_expected + ")");
  }
  return negative ? -result : result;
}

std::string format_duration(Duration span) {
  const std::int64_t count = span.count();
  for (const DurationUnit& unit : duration_units) {
    auto length = static_cast<std::int64_t>(unit.factor);
    for (int i = 0; i < unit.exponent; ++i) {
      length *= 10;
    }
    if (count != 0 && count % length == 0) {
      return std::to_string(count / length) + std::string(unit.name);
    }
  }
  return "0s";
}

std::string format_rate(double per_second) {
  return format_number(per_second) + "/s";
}

std::string format_number(double value) {
  constexpr double exact = 1e15;  // whole numbers without an exponent up to here
  if (std::abs(value) < exact && value == std::floor(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return shortest(value);
}

std::string_view unit_part(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '-') {
    text.remove_prefix(1);
  }
  try {
    return parse_decimal(text, "").rest;
  } catch (const UnitError&) {
    return {};
  }
}

}  // namespace basin
