#include "experiments/derived_keys.h"

#include <algorithm>
#include <cmath>

#include "experiments/decimal_text.h"
#include "experiments/key_lookup.h"

namespace basin {
namespace {

using Kind = ExpressionValue::Kind;

// Where byte `at` of a text stands in the file. Exact but for escapes, which are longer
// in the file than what they mean.
Place place_in(const SourceFile& file, const SourceNode& text, std::size_t at) {
  Place place = text.place;
  if (place.kind != Place::Kind::file) {
    return place;
  }
  std::size_t begin = 0;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    begin = file.text.find('\n', begin) + 1;
  }
  const auto step = [&] {
    if (file.text[begin] == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(file.text[begin]) & 0xC0U) != 0x80U) {
      ++place.column;
    }
    ++begin;
  };
  place.column = 1;
  while (begin < file.text.size() && place.column < text.place.column) {
    step();
  }
  const std::string_view rest = std::string_view(file.text).substr(begin);
  const bool is_long = rest.starts_with("\"\"\"") || rest.starts_with("'''");
  std::size_t skip = (is_long ? 3 : 1) + at;
  if (is_long && rest.substr(3).starts_with("\r\n")) {
    skip += 2;
  } else if (is_long && rest.substr(3).starts_with("\n")) {
    skip += 1;
  }
  for (; skip > 0 && begin < file.text.size(); --skip) {
    step();
  }
  return place;
}

ExpressionValue evaluated(const SourceFile& file,
                          const SourceNode& root,
                          const KeyExpression& expression,
                          const std::string& name) {
  const auto value_of = [&](std::size_t key) {
    try {
      return value_in_force(file, root, expression.keys[key]);
    } catch (const NoValue& problem) {
      throw ExpressionError(
          expression.expression.keys()[key].at,
          "uses " + expression.keys[key].path + ", which " + problem.what());
    }
  };
  try {
    return expression.expression.evaluate(value_of);
  } catch (const ExpressionError& error) {
    throw ScenarioError(
        file, place_in(file, expression.text, error.at()), name, error.what());
  }
}

// "0.3s", "12/s", "7".
std::string written_value(const KeyInfo& key, double number) {
  const std::string_view unit = unit_of(key);
  const std::string text = decimal_text(static_cast<long double>(number));
  if (key.type != ValueType::whole) {
    return text + (unit == "s" ? "s" : unit == "1/s" ? "/s" : "");
  }
  const double rounded = to_twelve_digits(number);
  constexpr double longest_whole = 1e15;
  if (rounded != std::floor(rounded) || std::fabs(rounded) > longest_whole) {
    throw NoValue("comes to " + text +
                  " (expected a whole number; ceil, floor or round make one)");
  }
  return std::to_string(static_cast<std::int64_t>(rounded));
}

void apply(const SourceFile& file, SourceNode& root, const DerivedKey& derived) {
  const KeyInfo& key = *derived.target.key;
  const ExpressionValue value = evaluated(file, root, derived.value, derived.target.path);
  const auto fail = [&](const std::string& problem) {
    throw ScenarioError(file, derived.value.text.place, derived.target.path, problem);
  };
  const std::string_view unit = unit_of(key);
  const int power = unit == "s" ? 1 : unit == "1/s" ? -1 : 0;
  if (value.kind != Kind::number || value.power_of_time.value_or(power) != power) {
    fail("comes to " + kind_text(value) + " (expected " +
         kind_text({.power_of_time = power}) + ")");
  }
  SourceNode node;
  node.kind = SourceNode::Kind::bare;
  node.place = derived.value.text.place;
  try {
    node.text = written_value(key, value.number);
  } catch (const NoValue& problem) {
    fail(problem.what());
  }
  set_value(file, root, derived.target, std::move(node));
}

bool is_a_number(ValueType type) {
  return type == ValueType::duration || type == ValueType::rate ||
         type == ValueType::number || type == ValueType::whole ||
         type == ValueType::distribution;
}

// Texts by the path of their key, whose dots may be TOML's or in the key's name.
void append_derived(const SourceFile& file,
                    const SourceNode& root,
                    const SourceNode& table,
                    const std::string& prefix,
                    std::vector<DerivedKey>& result) {
  constexpr std::size_t most_derived = 1000;
  for (const SourceNode& child : table.children) {
    const std::string path = prefix + child.name;
    if (child.kind == SourceNode::Kind::table) {
      append_derived(file, root, child, path + ".", result);
      continue;
    }
    KeyTarget target = find_target(file, root, path, child.name_place);
    if (!target.key->sweepable || !is_a_number(target.key->type)) {
      throw ScenarioError(file,
                          child.name_place,
                          target.path,
                          "cannot be derived (expected a key with a number that a sweep "
                          "may vary)");
    }
    for (const DerivedKey& other : result) {
      if (overlap(other.target, target)) {
        throw ScenarioError(file,
                            child.name_place,
                            target.path,
                            "is derived beside " + other.target.path +
                                ", which says the same (derive one of them)");
      }
    }
    if (result.size() == most_derived) {
      throw ScenarioError(
          file, child.name_place, target.path, "is one of more than 1000 derived keys");
    }
    KeyExpression value = read_expression(file, root, child, target.path);
    result.push_back({.target = std::move(target), .value = std::move(value)});
  }
}

bool needs(const DerivedKey& derived, const DerivedKey& other) {
  return std::ranges::any_of(derived.value.keys, [&](const KeyTarget& key) {
    return may_change(other.target, key);
  });
}

// Depth first, so that each stands after those it needs.
class Ordering {
 public:
  Ordering(const SourceFile& file, const std::vector<DerivedKey>& all)
      : file_{file}, all_{all}, state_(all.size(), State::fresh) {}

  std::vector<DerivedKey> run() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      visit(i);
    }
    return std::move(ordered_);
  }

 private:
  enum class State : std::uint8_t { fresh, open, done };

  void visit(std::size_t place) {
    if (state_[place] == State::done) {
      return;
    }
    path_.push_back(place);
    if (state_[place] == State::open) {
      fail();
    }
    state_[place] = State::open;
    for (std::size_t other = 0; other < all_.size(); ++other) {
      if (needs(all_[place], all_[other])) {
        visit(other);
      }
    }
    state_[place] = State::done;
    path_.pop_back();
    ordered_.push_back(all_[place]);
  }

  [[noreturn]] void fail() const {
    const DerivedKey& first = all_[path_.back()];
    std::string circle;
    const auto begin = std::ranges::find(path_, path_.back());
    for (auto place = begin; place != path_.end(); ++place) {
      circle += (place == begin ? "" : " needs ") + all_[*place].target.path;
    }
    throw ScenarioError(file_,
                        first.value.text.place,
                        first.target.path,
                        "depends on itself (" + circle + ")");
  }

  const SourceFile& file_;
  const std::vector<DerivedKey>& all_;
  std::vector<State> state_;
  std::vector<std::size_t> path_;
  std::vector<DerivedKey> ordered_;
};

}  // namespace

KeyExpression read_expression(const SourceFile& file,
                              const SourceNode& root,
                              const SourceNode& text,
                              const std::string& name) {
  if (text.kind != SourceNode::Kind::text) {
    throw ScenarioError(
        file, text.place, name, "expected an expression in quotes, such as \"2 * 10s\"");
  }
  try {
    KeyExpression result{.expression = Expression(text.text), .keys = {}, .text = text};
    for (const Expression::Key& key : result.expression.keys()) {
      try {
        result.keys.push_back(
            find_target(file, root, key.path, place_in(file, text, key.at)));
      } catch (const ScenarioError& error) {
        if (key.path.find('-') == std::string::npos) {
          throw;
        }
        throw ScenarioError(file,
                            error.place(),
                            error.key(),
                            error.problem() + " (a minus has a space on each side)");
      }
    }
    return result;
  } catch (const ExpressionError& error) {
    throw ScenarioError(file, place_in(file, text, error.at()), name, error.what());
  }
}

std::vector<DerivedKey> read_derived(const SourceFile& file,
                                     const SourceNode& root,
                                     const Section& sweep,
                                     const std::vector<KeyTarget>& fixed) {
  std::vector<DerivedKey> derived;
  if (const Setting* table = sweep.find("derived")) {
    append_derived(file, root, *table->source, "", derived);
  }
  std::erase_if(derived, [&](const DerivedKey& key) {
    return std::ranges::any_of(
        fixed, [&](const KeyTarget& other) { return overlap(other, key.target); });
  });
  return Ordering(file, derived).run();
}

void apply_derived(const SourceFile& file,
                   SourceNode& root,
                   const std::vector<DerivedKey>& derived) {
  for (const DerivedKey& key : derived) {
    apply(file, root, key);
  }
}

bool holds(const SourceFile& file,
           SourceNode root,
           const std::vector<DerivedKey>& derived,
           const KeyExpression& condition) {
  // From the last to the first: what it needs, and what that needs.
  std::vector<const DerivedKey*> needed;
  for (auto key = derived.rbegin(); key != derived.rend(); ++key) {
    const auto is_used = [&](const KeyTarget& used) {
      return may_change(key->target, used);
    };
    if (std::ranges::any_of(condition.keys, is_used) ||
        std::ranges::any_of(needed,
                            [&](const DerivedKey* user) { return needs(*user, *key); })) {
      needed.push_back(&*key);
    }
  }
  for (auto key = needed.rbegin(); key != needed.rend(); ++key) {
    apply(file, root, **key);
  }
  const ExpressionValue value = evaluated(file, root, condition, "sweep.where");
  if (value.kind != Kind::flag) {
    throw ScenarioError(file,
                        condition.text.place,
                        "sweep.where",
                        "comes to " + kind_text(value) +
                            " (expected a condition, such as consumers.count > 3)");
  }
  return value.flag;
}

std::vector<const DerivedKey*> changed_by(const KeyTarget& key,
                                          const std::vector<DerivedKey>& derived) {
  std::vector<const DerivedKey*> changed;
  for (const DerivedKey& candidate : derived) {
    const auto is_changed = [&](const KeyTarget& used) {
      return may_change(key, used) ||
             std::ranges::any_of(changed, [&](const DerivedKey* other) {
               return may_change(other->target, used);
             });
    };
    if (std::ranges::any_of(candidate.value.keys, is_changed)) {
      changed.push_back(&candidate);
    }
  }
  return changed;
}

bool depends_on(const KeyExpression& expression,
                const std::vector<DerivedKey>& derived,
                const KeyTarget& key) {
  const std::vector<const DerivedKey*> changed = changed_by(key, derived);
  return std::ranges::any_of(expression.keys, [&](const KeyTarget& used) {
    return may_change(key, used) ||
           std::ranges::any_of(changed, [&](const DerivedKey* other) {
             return may_change(other->target, used);
           });
  });
}

}  // namespace basin
