#include "experiments/schema.h"

#include <algorithm>
#include <cmath>

#include "experiments/units.h"

namespace basin {
namespace {

void append_keys(const TableInfo& table,
                 const std::string& prefix,
                 std::vector<KeyPath>& result) {
  for (const KeyInfo& key : table.keys) {
    const std::string path = prefix + std::string(key.name);
    result.push_back({path, &key, &table});
    if (key.table != nullptr) {
      const bool is_list = key.type == ValueType::table_list;
      append_keys(*key.table, path + (is_list ? ".*." : "."), result);
    }
  }
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string bound_text(const KeyInfo& key, double bound) {
  switch (key.type) {
    case ValueType::duration:
    case ValueType::distribution:
      return format_duration(from_seconds(bound));
    case ValueType::rate:
    case ValueType::rate_list:
    case ValueType::rate_matrix:
      return format_rate(bound);
    case ValueType::number:
    case ValueType::whole:
    case ValueType::choice:
    case ValueType::text:
    case ValueType::name:
    case ValueType::flag:
    case ValueType::value:
    case ValueType::value_list:
    case ValueType::expressions:
    case ValueType::table:
    case ValueType::table_list:
      break;
  }
  return format_number(bound);
}

}  // namespace

const std::vector<KeyPath>& all_keys() {
  static const std::vector<KeyPath> keys = [] {
    std::vector<KeyPath> result;
    append_keys(scenario_table(), "", result);
    return result;
  }();
  return keys;
}

bool is_table(ValueType type) {
  return type == ValueType::table || type == ValueType::table_list ||
         type == ValueType::distribution;
}

std::string_view unit_of(const KeyInfo& key) {
  switch (key.type) {
    case ValueType::duration:
    case ValueType::distribution:
      return "s";
    case ValueType::rate:
    case ValueType::rate_list:
    case ValueType::rate_matrix:
      return "1/s";
    case ValueType::number:
    case ValueType::whole:
      return "1";
    case ValueType::choice:
    case ValueType::text:
    case ValueType::name:
    case ValueType::flag:
    case ValueType::value:
    case ValueType::value_list:
    case ValueType::expressions:
    case ValueType::table:
    case ValueType::table_list:
      break;
  }
  return "";
}

bool touches_control(std::string_view path) {
  return !path.starts_with("incident.") && !path.starts_with("intervention.");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    text.remove_prefix(end + 1);
    if (text.empty()) {
      parts.emplace_back();
    }
  }
  return parts;
}

bool is_one_of(std::string_view word, std::string_view bar_separated) {
  while (!bar_separated.empty()) {
    const std::size_t end = bar_separated.find('|');
    if (bar_separated.substr(0, end) == word) {
      return true;
    }
    if (end == std::string_view::npos) {
      break;
    }
    bar_separated.remove_prefix(end + 1);
  }
  return false;
}

std::string either_of(std::string_view bar_separated) {
  const std::vector<std::string_view> words = split(bar_separated, '|');
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    result += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    result += words[i];
  }
  return result;
}

std::string expected_value(const KeyInfo& key) {
  std::string result;
  switch (key.type) {
    case ValueType::duration:
      result = "a duration such as \"30s\" or \"250ms\"";
      break;
    case ValueType::rate:
      result = "a rate such as \"400/s\" or \"90/min\"";
      break;
    case ValueType::number:
      result = "a number";
      break;
    case ValueType::whole:
      result = "a whole number";
      break;
    case ValueType::choice:
      result = either_of(key.choices);
      break;
    case ValueType::text:
      result = "a text in quotes";
      break;
    case ValueType::name:
      result = "a name of letters, digits, _ and -, not digits alone";
      break;
    case ValueType::flag:
      result = "true or false";
      break;
    case ValueType::rate_list:
      result = "a list of rates such as [\"10/s\", \"20/s\"]";
      break;
    case ValueType::rate_matrix:
      result =
          "a list of lists of rates such as [[\"0/s\", \"1/min\"], [\"2/min\", \"0/s\"]]";
      break;
    case ValueType::value:
      result = "a single value";
      break;
    case ValueType::value_list:
      result = "a list of values";
      break;
    case ValueType::expressions:
      result = "a table from keys to expressions, each a text in quotes";
      break;
    case ValueType::distribution:
      result =
          "a duration such as \"250ms\" or a distribution such as "
          "{ distribution = \"exponential\", mean = \"250ms\" }";
      break;
    case ValueType::table:
      result = "a table";
      break;
    case ValueType::table_list:
      result = "a list of tables";
      break;
  }
  if (!key.word.empty()) {
    result += ", or \"" + std::string(key.word) + "\"";
  }
  return result;
}

std::string range_text(const KeyInfo& key) {
  const bool has_low = key.low > -HUGE_VAL;
  const bool has_high = key.high < HUGE_VAL;
  if (has_low && has_high) {
    return (key.low_is_allowed ? "from " : "more than ") + bound_text(key, key.low) +
           (key.low_is_allowed ? " to " : ", at most ") + bound_text(key, key.high);
  }
  if (has_low) {
    return (key.low_is_allowed ? "at least " : "more than ") + bound_text(key, key.low);
  }
  return has_high ? "at most " + bound_text(key, key.high) : "";
}

std::string_view nearest(std::string_view word,
                         std::span<const std::string_view> candidates) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) {
    return {};
  }
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 2, 1) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> keys_beginning_with(std::string_view prefix) {
  std::vector<std::string> result;
  for (const KeyPath& entry : all_keys()) {
    if (std::string_view(entry.path).starts_with(prefix) &&
        (result.empty() || result.back() != entry.path)) {
      result.push_back(entry.path);
    }
  }
  return result;
}

}  // namespace basin
