#include "experiments/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "experiments/decimal_text.h"
#include "experiments/units.h"

namespace basin {
namespace {

using Operation = Expression::Operation;
using Kind = ExpressionValue::Kind;

constexpr std::size_t longest_expression = 4000;  // bytes
constexpr int deepest_nesting = 100;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Function {
  std::string_view name;
  Operation operation;
  bool takes_many = false;
};
constexpr std::array functions{
    Function{.name = "min", .operation = Operation::minimum, .takes_many = true},
    Function{.name = "max", .operation = Operation::maximum, .takes_many = true},
    Function{.name = "ceil", .operation = Operation::ceiling},
    Function{.name = "floor", .operation = Operation::floor},
    Function{.name = "round", .operation = Operation::round},
    Function{.name = "sqrt", .operation = Operation::square_root},
    Function{.name = "abs", .operation = Operation::absolute},
};

struct Operator {
  std::string_view sign;
  Operation operation;
};
// A sign that begins with another stands before it.
constexpr std::array comparisons{
    Operator{"<=", Operation::less_equal},
    Operator{">=", Operation::greater_equal},
    Operator{"==", Operation::equal},
    Operator{"!=", Operation::not_equal},
    Operator{"<", Operation::less},
    Operator{">", Operation::greater},
};
constexpr std::array sums{Operator{"+", Operation::add},
                          Operator{"-", Operation::subtract}};
constexpr std::array products{Operator{"*", Operation::multiply},
                              Operator{"/", Operation::divide}};

// Recursive descent, one member a level of precedence; each returns the place of its
// node.
class Parser {
 public:
  Parser(std::string_view text,
         std::vector<Expression::Node>& nodes,
         std::vector<Expression::Key>& keys)
      : text_{text}, nodes_{nodes}, keys_{keys} {}

  void run() {
    if (text_.size() > longest_expression) {
      throw ExpressionError(0, "is longer than 4000 characters");
    }
    skip_space();
    if (at_ == text_.size()) {
      fail("is empty (expected an expression)");
    }
    disjunction();
    if (at_ < text_.size()) {
      if (text_[at_] == '=' || text_[at_] == '<' || text_[at_] == '>') {
        fail("has " + here() +
             " where an operator is due (expected == to compare, and "
             "'and' between two comparisons)");
      }
      fail("has " + here() + " where it should end or go on with an operator");
    }
  }

 private:
  // One step deeper for as long as it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : depth_{parser.depth_} {
      if (++depth_ > deepest_nesting) {
        parser.fail("is nested more than 100 deep");
      }
    }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    Nesting(Nesting&&) = delete;
    Nesting& operator=(Nesting&&) = delete;

   private:
    int& depth_;
  };

  std::size_t disjunction() {
    const Nesting nesting(*this);
    std::size_t left = conjunction();
    for (std::size_t at = at_; take_word("or") || take("||"); at = at_) {
      left = add(Operation::logical_or, at, {left, conjunction()});
    }
    return left;
  }

  std::size_t conjunction() {
    std::size_t left = negation();
    for (std::size_t at = at_; take_word("and") || take("&&"); at = at_) {
      left = add(Operation::logical_and, at, {left, negation()});
    }
    return left;
  }

  std::size_t negation() {
    const Nesting nesting(*this);
    const std::size_t at = at_;
    const bool is_sign = text_.substr(at_, 1) == "!" && text_.substr(at_, 2) != "!=";
    if (take_word("not") || (is_sign && take("!"))) {
      return add(Operation::logical_not, at, {negation()});
    }
    return comparison();
  }

  std::size_t comparison() {
    const std::size_t left = sum();
    const std::size_t at = at_;
    if (const Operator* found = take_any(comparisons)) {
      return add(found->operation, at, {left, sum()});
    }
    return left;
  }

  std::size_t sum() {
    std::size_t left = product();
    for (std::size_t at = at_; const Operator* found = take_any(sums); at = at_) {
      left = add(found->operation, at, {left, product()});
    }
    return left;
  }

  std::size_t product() {
    std::size_t left = factor();
    for (std::size_t at = at_; const Operator* found = take_any(products); at = at_) {
      left = add(found->operation, at, {left, factor()});
    }
    return left;
  }

  std::size_t factor() {
    const Nesting nesting(*this);
    const std::size_t at = at_;
    if (take("-")) {
      return add(Operation::negative, at, {factor()});
    }
    if (take("+")) {
      return factor();
    }
    if (take("(")) {
      const std::size_t inner = disjunction();
      expect(")");
      return inner;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      return quantity();
    }
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      return word();
    }
    if (at_ < text_.size() && is_letter(text_[at_])) {
      return name();
    }
    fail("has " + here() + " where a number or a key is due");
  }

  std::size_t quantity() {
    const std::size_t begin = at_;
    double number = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc{} || !std::isfinite(number)) {
      fail("has a number that cannot be read");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    const std::size_t after_number = at_;
    ExpressionValue value{.number = number};
    if (number == 0) {
      value.power_of_time = std::nullopt;
    }
    // "10s", "10 min"; "20/s", "10k/s" without spaces, so that a division by a key is
    // none.
    std::size_t unit = at_;
    if (unit < text_.size() && text_[unit] == ' ') {
      ++unit;
    }
    const std::string_view letters = letters_at(unit);
    const bool is_multiple = letters == "k" || letters == "M" || letters == "G";
    const std::size_t slash = at_ + (is_multiple && unit == at_ ? 1 : 0);
    const std::string_view per =
        text_.substr(slash, 1) == "/" ? letters_at(slash + 1) : std::string_view{};
    try {
      if (!letters.empty() && is_one_of_units(letters)) {
        at_ = unit + letters.size();
        value = {.number = parse_duration(
                               std::string(text_.substr(begin, after_number - begin)) +
                               std::string(letters))
                               .seconds,
                 .power_of_time = 1};
      } else if (is_one_of_units(per)) {
        at_ = slash + 1 + per.size();
        value = {.number = parse_rate(text_.substr(begin, at_ - begin)),
                 .power_of_time = -1};
      } else if (!letters.empty() && unit == after_number) {
        at_ = after_number;
        fail("has the unknown unit " + std::string(letters) +
             " (expected ns, us, ms, s, min, h or d, or a rate such as 20/s)");
      }
    } catch (const UnitError& error_in_unit) {
      at_ = begin;
      fail("has a quantity that " + std::string(error_in_unit.what()));
    }
    skip_space();
    return literal(begin, std::move(value));
  }

  std::size_t word() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) {
      fail("has a word whose quote does not end");
    }
    ExpressionValue value{.kind = Kind::word};
    value.word = text_.substr(begin + 1, end - begin - 1);
    at_ = end + 1;
    skip_space();
    return literal(begin, std::move(value));
  }

  // A function, true, false, or a key: letters, digits, _, - and dots.
  std::size_t name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) ||
                                  text_[at_] == '.' || text_[at_] == '-')) {
      ++at_;
    }
    const std::string_view found = text_.substr(begin, at_ - begin);
    skip_space();
    if (found == "true" || found == "false") {
      return literal(begin, {.kind = Kind::flag, .flag = found == "true"});
    }
    if (at_ < text_.size() && text_[at_] == '(') {
      return call(begin, found);
    }
    keys_.push_back({.path = std::string(found), .at = begin});
    const std::size_t node = add(Operation::key, begin, {});
    nodes_[node].key = keys_.size() - 1;
    return node;
  }

  std::size_t call(std::size_t begin, std::string_view name) {
    const auto* function = std::ranges::find(functions, name, &Function::name);
    if (function == functions.end()) {
      at_ = begin;
      fail("has " + std::string(name) +
           "(), which is no function (expected min, max, ceil, floor, round, sqrt or "
           "abs)");
    }
    expect("(");
    std::vector<std::size_t> arguments{disjunction()};
    while (take(",")) {
      arguments.push_back(disjunction());
    }
    expect(")");
    if (function->takes_many ? arguments.size() < 2 : arguments.size() != 1) {
      at_ = begin;
      fail("has " + std::to_string(arguments.size()) + " arguments for " +
           std::string(name) + "() (expected " +
           (function->takes_many ? "two or more)" : "one)"));
    }
    return add(function->operation, begin, std::move(arguments));
  }

  std::size_t add(Operation operation,
                  std::size_t at,
                  std::vector<std::size_t> operands) {
    nodes_.push_back({.operation = operation, .at = at, .operands = std::move(operands)});
    return nodes_.size() - 1;
  }

  std::size_t literal(std::size_t at, ExpressionValue value) {
    const std::size_t node = add(Operation::literal, at, {});
    nodes_[node].value = std::move(value);
    return node;
  }

  bool take(std::string_view sign) {
    if (text_.substr(at_, sign.size()) != sign) {
      return false;
    }
    at_ += sign.size();
    skip_space();
    return true;
  }

  template <typename Operators>
  const Operator* take_any(const Operators& operators) {
    for (const Operator& candidate : operators) {
      if (take(candidate.sign)) {
        return &candidate;
      }
    }
    return nullptr;
  }

  // A whole word, not the beginning of a longer one.
  bool take_word(std::string_view sought) {
    const std::size_t end = at_ + sought.size();
    if (text_.substr(at_, sought.size()) != sought ||
        (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) ||
                                text_[end] == '.' || text_[end] == '-'))) {
      return false;
    }
    return take(sought);
  }

  void expect(std::string_view sign) {
    if (!take(sign)) {
      fail("has " + here() + " where " + std::string(sign) + " is due");
    }
  }

  std::string_view letters_at(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) {
      ++end;
    }
    return begin < text_.size() ? text_.substr(begin, end - begin) : std::string_view{};
  }

  static bool is_one_of_units(std::string_view word) {
    constexpr std::array<std::string_view, 7> units{
        "ns", "us", "ms", "s", "min", "h", "d"};
    return std::ranges::find(units, word) != units.end();
  }

  void skip_space() {
    constexpr std::string_view space = " \t\r\n";
    while (at_ < text_.size() && space.find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }

  std::string here() const {
    if (at_ == text_.size()) {
      return "its end";
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && end - at_ < 20 && is_letter(text_[at_]) &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) {
      ++end;
    }
    return "\"" + std::string(text_.substr(at_, end - at_)) + "\"";
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw ExpressionError(at_, problem);
  }

  std::string_view text_;
  std::vector<Expression::Node>& nodes_;
  std::vector<Expression::Key>& keys_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::string operator_text(Operation operation) {
  for (const auto* table = &comparisons.front(); table != &comparisons.back() + 1;
       ++table) {
    if (table->operation == operation) {
      return std::string(table->sign);
    }
  }
  for (const auto& list : {sums, products}) {
    for (const Operator& entry : list) {
      if (entry.operation == operation) {
        return std::string(entry.sign);
      }
    }
  }
  for (const Function& function : functions) {
    if (function.operation == operation) {
      return std::string(function.name) + "()";
    }
  }
  return "-";
}

class Evaluation {
 public:
  Evaluation(const std::vector<Expression::Node>& nodes,
             const Expression::ValueOf& value_of)
      : nodes_{nodes}, value_of_{value_of} {}

  ExpressionValue value(std::size_t place) const {
    const Expression::Node& node = nodes_[place];
    switch (node.operation) {
      case Operation::literal:
        return node.value;
      case Operation::key:
        return value_of_(node.key);
      case Operation::logical_and:
      case Operation::logical_or: {
        const bool left = flag(node, 0);
        const bool decides = left == (node.operation == Operation::logical_or);
        return {.kind = Kind::flag, .flag = decides ? left : flag(node, 1)};
      }
      case Operation::logical_not:
        return {.kind = Kind::flag, .flag = !flag(node, 0)};
      case Operation::equal:
      case Operation::not_equal:
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal:
        return {.kind = Kind::flag, .flag = compared(node)};
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::divide:
      case Operation::negative:
      case Operation::minimum:
      case Operation::maximum:
      case Operation::ceiling:
      case Operation::floor:
      case Operation::round:
      case Operation::square_root:
      case Operation::absolute:
        break;
    }
    ExpressionValue result = calculated(node);
    if (!std::isfinite(result.number)) {
      throw ExpressionError(node.at, "comes to a number that is not finite");
    }
    return result;
  }

 private:
  bool flag(const Expression::Node& node, std::size_t operand) const {
    const std::size_t place = node.operands[operand];
    const ExpressionValue result = value(place);
    if (result.kind != Kind::flag) {
      throw ExpressionError(nodes_[place].at,
                            "has " + kind_text(result) +
                                " where a condition is due (expected a comparison)");
    }
    return result.flag;
  }

  ExpressionValue number(const Expression::Node& node, std::size_t operand) const {
    const std::size_t place = node.operands[operand];
    ExpressionValue result = value(place);
    if (result.kind != Kind::number) {
      throw ExpressionError(nodes_[place].at,
                            "has " + kind_text(result) + " where a number is due");
    }
    return result;
  }

  // The unit of both, which must be one.
  static std::optional<int> common_power(const Expression::Node& node,
                                         const ExpressionValue& left,
                                         const ExpressionValue& right) {
    if (left.power_of_time && right.power_of_time &&
        *left.power_of_time != *right.power_of_time) {
      throw ExpressionError(node.at,
                            "has " + kind_text(left) + " and " + kind_text(right) +
                                " beside " + operator_text(node.operation) +
                                " (expected the same unit, such as 10s with durations "
                                "and 20/s with rates)");
    }
    return left.power_of_time ? left.power_of_time : right.power_of_time;
  }

  bool compared(const Expression::Node& node) const {
    const ExpressionValue left = value(node.operands[0]);
    const ExpressionValue right = value(node.operands[1]);
    const bool is_order =
        node.operation != Operation::equal && node.operation != Operation::not_equal;
    // A key's word, such as none, is a value of its own, equal to no number.
    if (left.kind != right.kind || left.kind != Kind::number) {
      const bool has_word = left.kind == Kind::word || right.kind == Kind::word;
      if (is_order || (left.kind != right.kind && !has_word)) {
        throw ExpressionError(node.at,
                              "compares " + kind_text(left) + " with " +
                                  kind_text(right) + " by " +
                                  operator_text(node.operation));
      }
      const bool are_same =
          left.kind == right.kind &&
          (left.kind == Kind::flag ? left.flag == right.flag : left.word == right.word);
      return are_same == (node.operation == Operation::equal);
    }
    common_power(node, left, right);
    const double a = to_twelve_digits(left.number);
    const double b = to_twelve_digits(right.number);
    if (node.operation == Operation::less) {
      return a < b;
    }
    if (node.operation == Operation::less_equal) {
      return a <= b;
    }
    if (node.operation == Operation::greater) {
      return a > b;
    }
    if (node.operation == Operation::greater_equal) {
      return a >= b;
    }
    return (a == b) == (node.operation == Operation::equal);
  }

  ExpressionValue calculated(const Expression::Node& node) const {
    const ExpressionValue left = number(node, 0);
    if (node.operands.size() == 1) {
      return of_one(node, left);
    }
    ExpressionValue result = left;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      result = of_two(node, result, number(node, i));
    }
    return result;
  }

  static ExpressionValue of_one(const Expression::Node& node, ExpressionValue operand) {
    double& x = operand.number;
    if (node.operation == Operation::negative) {
      x = -x;
    } else if (node.operation == Operation::absolute) {
      x = std::fabs(x);
    } else if (node.operation == Operation::square_root) {
      if (x < 0) {
        throw ExpressionError(node.at, "takes the square root of a negative number");
      }
      const int power = operand.power_of_time.value_or(0);
      if (power % 2 != 0) {
        throw ExpressionError(
            node.at,
            "takes the square root of " + kind_text(operand) + ", which has no unit");
      }
      x = std::sqrt(x);
      if (operand.power_of_time) {
        operand.power_of_time = power / 2;
      }
    } else {
      x = to_twelve_digits(x);
      x = node.operation == Operation::ceiling ? std::ceil(x)
          : node.operation == Operation::floor ? std::floor(x)
                                               : std::round(x);
    }
    return operand;
  }

  static ExpressionValue of_two(const Expression::Node& node,
                                const ExpressionValue& left,
                                const ExpressionValue& right) {
    const double a = left.number;
    const double b = right.number;
    if (node.operation == Operation::multiply || node.operation == Operation::divide) {
      const bool is_product = node.operation == Operation::multiply;
      if (!is_product && b == 0) {
        throw ExpressionError(node.at, "divides by zero");
      }
      ExpressionValue result{.number = is_product ? a * b : a / b,
                             .power_of_time = std::nullopt};
      if (left.power_of_time && right.power_of_time) {
        result.power_of_time =
            *left.power_of_time + (is_product ? 1 : -1) * *right.power_of_time;
      }
      return result;
    }
    const std::optional<int> power = common_power(node, left, right);
    const double number = node.operation == Operation::add        ? a + b
                          : node.operation == Operation::subtract ? a - b
                          : node.operation == Operation::minimum  ? std::min(a, b)
                                                                  : std::max(a, b);
    return {.number = number, .power_of_time = power};
  }

  const std::vector<Expression::Node>& nodes_;
  const Expression::ValueOf& value_of_;
};

}  // namespace

std::string kind_text(const ExpressionValue& value) {
  switch (value.kind) {
    case Kind::flag:
      return "a condition";
    case Kind::word:
      return "the word " + value.word;
    case Kind::number:
      break;
  }
  switch (value.power_of_time.value_or(0)) {
    case 0:
      return "a plain number";
    case 1:
      return "a duration";
    case -1:
      return "a rate";
    default:
      return "a number in s^" + std::to_string(*value.power_of_time);
  }
}

Expression::Expression(std::string_view text) {
  Parser(text, nodes_, keys_).run();
}

ExpressionValue Expression::evaluate(const ValueOf& value_of) const {
  return Evaluation(nodes_, value_of).value(nodes_.size() - 1);
}

}  // namespace basin
