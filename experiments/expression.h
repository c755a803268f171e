// Expressions over the keys of a scenario: "3 * consumers.service.mean",
// "arrivals.rate < 0.9 * consumers.count * 20/s and queue.order == 'lifo'".
//
// From the loosest to the tightest: or; and; not; < <= > >= == !=; + -; * /; a sign.
// Functions: min, max (any number of arguments), ceil, floor, round (half away from
// zero), sqrt, abs. Literals: numbers, durations and rates with their unit (10s, 20/s),
// words in quotes, true and false.
//
// Durations count in seconds, rates per second, and the units must fit: a rate is not
// compared with a plain number, and seconds times a rate are a plain number. A bare 0 has
// any unit. Comparisons and ceil, floor, round look at twelve significant digits, so that
// 3 * 0.1 is 0.3.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace basin {

// What is wrong, and the byte of the text at which.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(std::size_t at, const std::string& problem)
      : std::runtime_error(problem), at_{at} {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

struct ExpressionValue {
  enum class Kind : std::uint8_t { number, flag, word };
  Kind kind = Kind::number;
  double number = 0;
  std::optional<int> power_of_time = 0;  // a duration 1, a rate -1; none: fits any
  bool flag = false;
  std::string word = {};
};

// "a duration", "a rate", "a plain number", …
std::string kind_text(const ExpressionValue& value);

class Expression {
 public:
  // Throws ExpressionError.
  explicit Expression(std::string_view text);

  struct Key {
    std::string path;  // as written
    std::size_t at = 0;
  };
  // The keys it names, each mention of one by itself.
  const std::vector<Key>& keys() const { return keys_; }

  // `value_of` is asked for the keys that matter, by their place in keys(): not for those
  // behind an `and` or `or` that is decided. Numbers are finite. Throws ExpressionError,
  // and whatever value_of throws.
  using ValueOf = std::function<ExpressionValue(std::size_t key)>;
  ExpressionValue evaluate(const ValueOf& value_of) const;

  enum class Operation : std::uint8_t {
    literal,
    key,
    negative,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    minimum,
    maximum,
    ceiling,
    floor,
    round,
    square_root,
    absolute,
  };
  // Operands stand before what uses them; the last node is the whole.
  struct Node {
    Operation operation = Operation::literal;
    std::size_t at = 0;  // in the text
    std::vector<std::size_t> operands = {};
    std::size_t key = 0;
    ExpressionValue value = {};
  };

 private:
  std::vector<Node> nodes_;
  std::vector<Key> keys_;
};

}  // namespace basin
