#include "experiments/value_reading.h"

#include <algorithm>
#include <cmath>

#include "experiments/units.h"

namespace basin {
namespace {

using Kind = SourceNode::Kind;

bool is_text(const SourceNode& node) {
  return node.kind == Kind::text || node.kind == Kind::bare;
}

std::string shown(const SourceNode& node) {
  switch (node.kind) {
    case Kind::list:
      return "a list";
    case Kind::table:
      return "a table";
    case Kind::date:
      return "a date";
    case Kind::text:
    case Kind::bare:
      return "\"" + node.text.substr(0, 60) + (node.text.size() > 60 ? "…\"" : "\"");
    case Kind::whole:
    case Kind::real:
    case Kind::flag:
      break;
  }
  return written(node);
}

[[noreturn]] void fail_type(const KeyInfo& key, const SourceNode& node) {
  throw ValueProblem(
      shown(node) + " is not allowed here (expected " + expected_value(key) + ")",
      node.place);
}

void expect_in_range(const KeyInfo& key, double value, const SourceNode& node) {
  const bool low_enough = value <= key.high;
  const bool high_enough = key.low_is_allowed ? value >= key.low : value > key.low;
  if (!low_enough || !high_enough) {
    throw ValueProblem(
        shown(node) + " is out of range (expected " + range_text(key) + ")", node.place);
  }
}

void expect_unit(const KeyInfo& key, const SourceNode& node, const char* unit) {
  if (node.kind == Kind::whole || node.kind == Kind::real) {
    throw ValueProblem(written(node) + " has no unit (write \"" + written(node) + unit +
                           "\" with the unit meant; expected " + expected_value(key) +
                           ")",
                       node.place);
  }
  if (!is_text(node)) {
    fail_type(key, node);
  }
}

double read_rate(const KeyInfo& key, const SourceNode& node) {
  expect_unit(key, node, "/s");
  const double rate = parse_rate(node.text);
  expect_in_range(key, rate, node);
  return rate;
}

void read_number(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  if (node.kind == Kind::bare) {
    setting.number = parse_number(node.text);
  } else if (node.kind == Kind::whole) {
    setting.number = static_cast<double>(node.whole);
  } else if (node.kind == Kind::real) {
    setting.number = node.real;
  } else {
    fail_type(key, node);
  }
  if (!std::isfinite(setting.number)) {
    throw ValueProblem(written(node) + " is not finite (expected a finite number)",
                       node.place);
  }
}

void read_whole(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  if (node.kind == Kind::bare) {
    setting.whole = parse_whole(node.text);
  } else if (node.kind == Kind::whole) {
    setting.whole = node.whole;
  } else {
    fail_type(key, node);
  }
  setting.number = static_cast<double>(setting.whole);
}

void read_choice(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  if (!is_text(node)) {
    fail_type(key, node);
  }
  const auto choices = split(key.choices, '|');
  const auto found = std::find(choices.begin(), choices.end(), node.text);
  if (found == choices.end()) {
    const std::string_view near = nearest(node.text, choices);
    const std::string meant =
        near.empty() ? "" : "did you mean " + std::string(near) + "? ";
    throw ValueProblem(
        shown(node) + " is unknown (" + meant + "expected " + expected_value(key) + ")",
        node.place);
  }
  setting.whole = found - choices.begin();
  setting.number = static_cast<double>(setting.whole);
  setting.text = *found;  // of the table, so that it outlives the node
}

void read_flag(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  const bool is_bare = node.kind == Kind::bare;
  if (!(node.kind == Kind::flag || (is_bare && is_one_of(node.text, "true|false")))) {
    fail_type(key, node);
  }
  setting.whole = (is_bare ? node.text == "true" : node.flag) ? 1 : 0;
  setting.number = static_cast<double>(setting.whole);
}

void read_name(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!is_text(node) || node.text.empty() || node.text.size() > 100 ||
      !std::all_of(node.text.begin(), node.text.end(), allowed) ||
      std::all_of(node.text.begin(), node.text.end(), digit)) {
    fail_type(key, node);
  }
  setting.text = node.text;
}

// Of the command line: "1/s,2/s" and "[[0/s, 1/s], [2/s, 0/s]]".
std::vector<double> read_bare_rates(const KeyInfo& key,
                                    std::string_view text,
                                    const SourceNode& node) {
  std::vector<double> rates;
  for (const std::string_view part : split(text, ',')) {
    SourceNode entry = node;
    entry.text = part;
    rates.push_back(read_rate(key, entry));
  }
  return rates;
}

void read_bare_lists(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  std::string text;
  std::copy_if(node.text.begin(), node.text.end(), std::back_inserter(text), [](char c) {
    return c != ' ';
  });
  std::string_view rest = text;
  const bool is_matrix = key.type == ValueType::rate_matrix;
  if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') {
    rest = rest.substr(1, rest.size() - 2);
  } else if (is_matrix) {
    fail_type(key, node);
  }
  if (!is_matrix) {
    setting.rows.push_back(read_bare_rates(key, rest, node));
    return;
  }
  while (!rest.empty()) {
    const std::size_t end = rest.find(']');
    if (rest.front() != '[' || end == std::string_view::npos) {
      fail_type(key, node);
    }
    setting.rows.push_back(read_bare_rates(key, rest.substr(1, end - 1), node));
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() == ',') {
      rest.remove_prefix(1);
    }
  }
}

std::vector<double> read_rates(const KeyInfo& key, const SourceNode& node) {
  if (node.kind != Kind::list) {
    fail_type(key, node);
  }
  std::vector<double> rates;
  for (const SourceNode& entry : node.children) {
    try {
      rates.push_back(read_rate(key, entry));
    } catch (const UnitError& error) {
      throw ValueProblem(error.what(), entry.place);
    }
  }
  return rates;
}

void read_lists(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  constexpr std::size_t most_states = 100;
  if (node.kind == Kind::bare) {
    read_bare_lists(key, node, setting);
  } else if (node.kind != Kind::list) {
    fail_type(key, node);
  } else if (key.type == ValueType::rate_matrix) {
    for (const SourceNode& row : node.children) {
      setting.rows.push_back(read_rates(key, row));
    }
  } else {
    setting.rows.push_back(read_rates(key, node));
  }
  if (setting.rows.empty() || setting.rows.front().empty()) {
    throw ValueProblem("is empty (expected " + expected_value(key) + ")", node.place);
  }
  if (std::max(setting.rows.size(), setting.rows.front().size()) > most_states) {
    throw ValueProblem("has more than 100 entries", node.place);
  }
}

void read_typed(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  switch (key.type) {
    case ValueType::duration:
    case ValueType::distribution: {
      expect_unit(key, node, "s");
      const WrittenDuration duration = parse_duration(node.text);
      setting.whole = duration.span.count();
      setting.number = duration.seconds;
      expect_in_range(key, setting.number, node);
      return;
    }
    case ValueType::rate:
      setting.number = read_rate(key, node);
      return;
    case ValueType::number:
      read_number(key, node, setting);
      expect_in_range(key, setting.number, node);
      return;
    case ValueType::whole:
      read_whole(key, node, setting);
      expect_in_range(key, setting.number, node);
      return;
    case ValueType::choice:
      read_choice(key, node, setting);
      return;
    case ValueType::text:
      if (!is_text(node)) {
        fail_type(key, node);
      }
      setting.text = node.text;
      return;
    case ValueType::name:
      read_name(key, node, setting);
      return;
    case ValueType::flag:
      read_flag(key, node, setting);
      return;
    case ValueType::rate_list:
    case ValueType::rate_matrix:
      read_lists(key, node, setting);
      return;
    case ValueType::value:
      if (node.kind == Kind::list || node.kind == Kind::table ||
          node.kind == Kind::date) {
        fail_type(key, node);
      }
      return;
    case ValueType::value_list:
      if (node.kind != Kind::list) {
        fail_type(key, node);
      }
      return;
    case ValueType::expressions:
      if (node.kind != Kind::table) {
        fail_type(key, node);
      }
      return;
    case ValueType::table:
    case ValueType::table_list:
      break;
  }
  fail_type(key, node);
}

}  // namespace

void read_value(const KeyInfo& key, const SourceNode& node, Setting& setting) {
  if (!key.word.empty() && is_text(node) && node.text == key.word) {
    setting.is_word = true;
    setting.text = key.word;
    setting.number = HUGE_VAL;
    return;
  }
  try {
    read_typed(key, node, setting);
  } catch (const UnitError& error) {
    throw ValueProblem(error.what(), node.place);
  }
}

}  // namespace basin
