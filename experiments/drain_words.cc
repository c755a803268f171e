#include "experiments/drain_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace basin {

namespace {

constexpr double minute = 60;
constexpr double hour = 3'600;
constexpr double day = 86'400;
constexpr double year = 365.25 * day;

constexpr std::size_t columns = 80;
constexpr std::size_t label_columns = 21;

// "min" of "min 26 s; 6 min"
bool begins_with_unit(std::string_view text) {
  constexpr std::array<std::string_view, 7> units{
      "us", "ms", "s", "min", "h", "d", "years"};
  const std::string_view word = text.substr(0, text.find_first_of(" ;,:.()"));
  return std::find(units.begin(), units.end(), word) != units.end();
}

std::string with_separators(double whole) {
  std::string digits = fmt::format("{}", static_cast<std::int64_t>(std::abs(whole)));
  for (auto at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return (whole < 0 ? "-" : "") + digits;
}

// "3 h" and, unless it is zero, the rest in the next unit.
std::string in_two(
    double whole, double unit, const char* name, double next, const char* next_name) {
  const double first = std::floor(whole / unit);
  const double rest = std::floor((whole - first * unit) / next);
  std::string text = fmt::format("{} {}", with_separators(first), name);
  return rest == 0 ? text
                   : text + fmt::format(" {} {}", with_separators(rest), next_name);
}

}  // namespace

std::string count_text(double value) {
  constexpr double exact = 1e15;
  const double nearest = std::round(value);
  const double size = std::abs(value);
  if (size < exact &&
      (size >= 1'000 || std::abs(value - nearest) <= 1e-9 * std::abs(nearest))) {
    return with_separators(nearest);
  }
  return fmt::format("{:.4g}", value);
}

std::string rate_text(double per_second) {
  return count_text(per_second) + "/s";
}

std::string percent_text(double fraction) {
  const double percent = fraction * 100;
  if (std::abs(percent) >= 1'000) {
    return count_text(percent) + "%";
  }
  // One place, more where that would show nothing or a whole that it is not.
  std::string text = fmt::format("{:.1f}", percent);
  const double shown = std::round(percent * 10) / 10;
  if (std::abs(shown - percent) > 1e-9 &&
      (shown == 0 || (shown == std::round(shown) && std::abs(shown - percent) > 1e-6))) {
    return fmt::format("{:.4g}%", percent);
  }
  if (text.ends_with(".0")) {
    text.resize(text.size() - 2);
  }
  return text + "%";
}

std::string span_text(double seconds) {
  if (seconds < 0) {
    return "-" + span_text(-seconds);
  }
  if (seconds == 0) {
    return "0 s";
  }
  if (seconds < 1e-3) {
    return fmt::format("{:.3g} us", seconds * 1e6);
  }
  if (seconds < 0.9995) {
    return fmt::format("{:.3g} ms", seconds * 1e3);
  }
  if (seconds < 59.95) {
    return fmt::format("{:.3g} s", seconds);
  }
  const double whole = std::round(seconds);
  if (whole < hour) {
    return in_two(whole, minute, "min", 1, "s");
  }
  if (whole < day) {
    const double hours = std::floor(whole / hour);
    const double rest = whole - hours * hour;
    std::string text = fmt::format("{} h", hours);
    return rest == 0 ? text
                     : text + " " +
                           (rest < minute ? fmt::format("{} s", rest)
                                          : in_two(rest, minute, "min", 1, "s"));
  }
  if (whole < 100 * day) {
    return in_two(whole, day, "d", hour, "h");
  }
  if (whole < 2 * year) {
    return with_separators(std::round(whole / day)) + " d";
  }
  return fmt::format("{} years", count_text(std::round(whole / year)));
}

std::string plural(double count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

std::string wrapped(std::string_view text, std::size_t used, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    std::size_t length = std::min(text.find(' '), text.size());
    while (length < text.size() && begins_with_unit(text.substr(length + 1))) {
      length = std::min(text.find(' ', length + 1), text.size());
    }
    const std::string_view word = text.substr(0, length);
    text.remove_prefix(std::min(text.size(), length + 1));
    if (used > indent && used + 1 + word.size() > columns) {
      result += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!result.empty()) {
      result += ' ';
      ++used;
    }
    result += word;
    used += word.size();
  }
  return result;
}

std::string row(std::string_view label, std::string_view text) {
  return fmt::format(
      "{:<{}}{}\n", label, label_columns, wrapped(text, label_columns, label_columns));
}

}  // namespace basin
