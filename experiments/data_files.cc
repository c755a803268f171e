#include "experiments/data_files.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace basin {
namespace {

class Digits {
 public:
  explicit Digits(std::string_view text) : rest_{text} {}

  // Exactly `count` digits.
  bool number(std::size_t count, int& value) {
    if (rest_.size() < count) {
      return false;
    }
    const char* end = rest_.data() + count;
    const auto [stop, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc{} || stop != end || rest_.front() == '-') {
      return false;
    }
    rest_.remove_prefix(count);
    return true;
  }

  bool skip(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) {
      return false;
    }
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }

  // Decimals after a point, as nanoseconds.
  bool fraction(std::int64_t& nanoseconds) {
    std::int64_t place = 100'000'000;
    bool any = false;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      nanoseconds += (rest_.front() - '0') * place;
      place /= 10;
      any = true;
      rest_.remove_prefix(1);
    }
    return any;
  }

  bool at_end() const { return rest_.empty(); }
  char last() const { return last_; }

 private:
  std::string_view rest_;
  char last_ = ' ';
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r";
  const std::size_t begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

// Field `index` of a CSV line; a quoted field without its quotes.
std::optional<std::string_view> field(std::string_view line, std::size_t index) {
  std::size_t begin = 0;
  for (std::size_t i = 0;; ++i) {
    std::size_t end = begin;
    bool quoted = false;
    while (end < line.size() && (quoted || line[end] != ',')) {
      quoted = quoted != (line[end] == '"');
      ++end;
    }
    if (i == index) {
      std::string_view result = trimmed(line.substr(begin, end - begin));
      if (result.size() >= 2 && result.front() == '"' && result.back() == '"') {
        result = result.substr(1, result.size() - 2);
      }
      return result;
    }
    if (end >= line.size()) {
      return std::nullopt;
    }
    begin = end + 1;
  }
}

std::optional<long double> number_in(std::string_view text) {
  long double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() ||
      !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::ifstream opened(const std::string& name, const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw DataFileError(name + ": is a directory (expected a CSV file)");
  }
  if (std::filesystem::exists(path, error) &&
      !std::filesystem::is_regular_file(path, error)) {
    throw DataFileError(name + ": is no regular file (expected a CSV file)");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw DataFileError(name + ": cannot be opened (looked for " + path + ")");
  }
  return in;
}

class ColumnReader {
 public:
  ColumnReader(std::string name, ColumnContent content, double unit)
      : name_{std::move(name)}, content_{content}, unit_{unit} {}

  std::vector<double> read(const std::string& path, std::string_view column) {
    std::ifstream in = opened(name_, path);
    std::string line;
    bool is_first = true;
    std::size_t index = 0;
    while (std::getline(in, line)) {
      ++line_;
      if (is_first && line.starts_with("\xEF\xBB\xBF")) {
        line.erase(0, 3);
      }
      if (trimmed(line).empty()) {
        continue;
      }
      if (is_first) {
        is_first = false;
        index = find_column(line, column);
        if (!first_line_is_data(line, column, index)) {
          continue;
        }
      }
      take(line, index);
    }
    if (in.bad()) {
      throw DataFileError(name_ + ": cannot be read");
    }
    if (values_.empty()) {
      throw DataFileError(name_ + ": is empty (expected at least one line of data)");
    }
    return std::move(values_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw DataFileError(name_ + ":" + std::to_string(line_) + ": " + problem);
  }

  std::size_t find_column(std::string_view line, std::string_view column) const {
    std::string known;
    for (std::size_t i = 0; i < 1000; ++i) {
      const auto text = field(line, i);
      if (!text) {
        break;
      }
      if (*text == column) {
        return i;
      }
      known += (i == 0 ? "" : ", ") + std::string(text->substr(0, 40));
    }
    std::size_t place = 0;
    const auto [end, error] =
        std::from_chars(column.data(), column.data() + column.size(), place);
    if (error != std::errc{} || end != column.data() + column.size() || place > 1000) {
      fail("has no column " + std::string(column) + " (its columns are " +
           known.substr(0, 400) + ")");
    }
    return place;
  }

  bool first_line_is_data(std::string_view line,
                          std::string_view column,
                          std::size_t index) const {
    const auto text = field(line, index);
    std::int64_t ignored = 0;
    return text && *text != column &&
           (number_in(*text) || parse_timestamp(*text, ignored));
  }

  void take(std::string_view line, std::size_t index) {
    const auto text = field(line, index);
    if (!text) {
      fail("has too few columns");
    }
    values_.push_back(content_ == ColumnContent::numbers ? number(*text)
                                                         : seconds_since_first(*text));
  }

  double number(std::string_view text) const {
    const auto value = number_in(text);
    if (!value || *value < 0) {
      fail("\"" + std::string(text.substr(0, 60)) +
           "\" is not a number of at least 0 (expected one)");
    }
    const auto result = static_cast<double>(*value * static_cast<long double>(unit_));
    if (!std::isfinite(result)) {
      fail("\"" + std::string(text.substr(0, 60)) + "\" is too large");
    }
    return result;
  }

  double seconds_since_first(std::string_view text) {
    long double time = 0;  // ns
    std::int64_t nanoseconds = 0;
    if (const auto value = number_in(text)) {
      time = *value * std::round(static_cast<long double>(unit_) * 1e9L);
    } else if (parse_timestamp(text, nanoseconds)) {
      time = static_cast<long double>(nanoseconds);
    } else {
      fail("\"" + std::string(text.substr(0, 60)) +
           "\" is not a time (expected a number or 2023-11-16 18:17:03.5)");
    }
    if (values_.empty()) {
      first_ = time;
    } else if (time < last_) {
      fail("\"" + std::string(text.substr(0, 60)) +
           "\" is earlier than the line before (expected times in order)");
    }
    last_ = time;
    const auto result = static_cast<double>((time - first_) / 1e9L);
    if (!std::isfinite(result)) {
      fail("\"" + std::string(text.substr(0, 60)) + "\" is too large");
    }
    return result;
  }

  std::string name_;
  ColumnContent content_;
  double unit_;
  std::int64_t line_ = 0;
  // Nanoseconds, whole ones of which a long double holds exactly for 292 years.
  long double first_ = 0;
  long double last_ = 0;
  std::vector<double> values_;
};

}  // namespace

bool parse_timestamp(std::string_view text, std::int64_t& nanoseconds) {
  Digits digits(text);
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  std::int64_t fraction = 0;
  if (!(digits.number(4, year) && digits.skip("-") && digits.number(2, month) &&
        digits.skip("-") && digits.number(2, day) && digits.skip(" Tt") &&
        digits.number(2, hour) && digits.skip(":") && digits.number(2, minute) &&
        digits.skip(":") && digits.number(2, second))) {
    return false;
  }
  if (digits.skip(".") && !digits.fraction(fraction)) {
    return false;
  }
  int offset_minutes = 0;
  if (!digits.at_end() && !digits.skip("Zz")) {
    int hours = 0;
    int minutes = 0;
    if (!digits.skip("+-")) {
      return false;
    }
    const int sign = digits.last() == '-' ? -1 : 1;
    if (!(digits.number(2, hours) && digits.skip(":") && digits.number(2, minutes)) ||
        hours > 23 || minutes > 59) {
      return false;
    }
    offset_minutes = sign * (hours * 60 + minutes);
  }
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!digits.at_end() || !date.ok() || year < 1700 || year > 2200 || hour > 23 ||
      minute > 59 || second > 60) {
    return false;
  }
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const std::int64_t minutes = (days * 24 + hour) * 60 + minute - offset_minutes;
  nanoseconds = (minutes * 60 + second) * 1'000'000'000 + fraction;
  return true;
}

Column DataFiles::column(std::string_view file,
                         std::string_view column,
                         ColumnContent content,
                         double unit) {
  if (!read_) {
    static const auto dummy =
        std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 1.0});
    return dummy;
  }
  const Key key{std::string(file), std::string(column), content, unit};
  const std::lock_guard lock(mutex_);
  const auto known = columns_.find(key);
  if (known != columns_.end()) {
    return known->second;
  }
  const std::filesystem::path path = std::filesystem::path(folder_) / std::string(file);
  auto values = std::make_shared<const std::vector<double>>(
      ColumnReader(std::string(file), content, unit).read(path.string(), column));
  columns_.emplace(key, values);
  return values;
}

const std::string& DataFiles::points(std::string_view file) {
  constexpr std::size_t longest = std::size_t{16} << 20;
  if (!read_ || !points_.empty()) {
    return points_;
  }
  const std::string name(file);
  std::ifstream in = opened(name, (std::filesystem::path(folder_) / name).string());
  std::string text(longest + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) {
    throw DataFileError(name + ": cannot be read");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > longest) {
    throw DataFileError(name + ": is longer than 16 MiB");
  }
  points_ = std::move(text);
  return points_;
}

}  // namespace basin
