#include "experiments/expression.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

const std::map<std::string, ExpressionValue> values{
    {"arrivals.rate", {.number = 100, .power_of_time = -1}},
    {"consumers.count", {.number = 6}},
    {"consumers.service.mean", {.number = 0.1, .power_of_time = 1}},
    {"incident.big-outage.duration", {.number = 60, .power_of_time = 1}},
    {"queue.order", {.kind = ExpressionValue::Kind::word, .word = "lifo"}},
    {"producer.timeout", {.kind = ExpressionValue::Kind::word, .word = "none"}},
    {"queue.heartbeat", {.kind = ExpressionValue::Kind::flag, .flag = true}},
};

ExpressionValue value_of(std::string_view text) {
  const Expression expression(text);
  return expression.evaluate(
      [&](std::size_t key) { return values.at(expression.keys()[key].path); });
}

double number(std::string_view text) {
  const ExpressionValue value = value_of(text);
  EXPECT_EQ(value.kind, ExpressionValue::Kind::number) << text;
  return value.number;
}

bool holds(std::string_view text) {
  const ExpressionValue value = value_of(text);
  EXPECT_EQ(value.kind, ExpressionValue::Kind::flag) << text;
  return value.flag;
}

TEST(Expression, products_bind_tighter_than_sums_and_both_go_from_left_to_right) {
  EXPECT_EQ(number("2 + 3 * 4"), 14);
  EXPECT_EQ(number("(2 + 3) * 4"), 20);
  EXPECT_EQ(number("10 - 4 - 3"), 3);
  EXPECT_EQ(number("24 / 4 / 2"), 3);
  EXPECT_EQ(number("-2 * -3"), 6);
  EXPECT_EQ(number("1e3+.5"), 1000.5);
}

TEST(Expression, keys_and_quantities_count_in_seconds_and_per_second) {
  const ExpressionValue timeout = value_of("3 * consumers.service.mean");
  EXPECT_NEAR(timeout.number, 0.3, 1e-15);
  EXPECT_EQ(timeout.power_of_time, 1);
  EXPECT_EQ(number("3 * 10s"), 30);
  EXPECT_EQ(number("2 min + 250ms"), 120.25);
  EXPECT_EQ(number("10k/s"), 10'000);
  EXPECT_EQ(number("90/min"), 1.5);
  EXPECT_EQ(number("incident.big-outage.duration"), 60);
  EXPECT_EQ(value_of("arrivals.rate * consumers.service.mean").power_of_time, 0);
  EXPECT_EQ(value_of("consumers.count / consumers.service.mean").power_of_time, -1);
  EXPECT_EQ(value_of("sqrt(4s * 1s)").power_of_time, 1);
}

TEST(Expression, functions_round_what_twelve_digits_show) {
  EXPECT_EQ(number("ceil(3 * 0.1 / 0.1)"), 3);  // 3.0000000000000004 in binary
  EXPECT_EQ(number("floor(0.3 / 0.1)"), 3);     // 2.9999999999999996
  EXPECT_EQ(number("round(2.5)"), 3);
  EXPECT_EQ(number("min(3, 1, 2) + max(3s, 5s) / 1s"), 6);
  EXPECT_EQ(number("sqrt(abs(-9))"), 3);
}

TEST(Expression, comparisons_look_at_twelve_digits) {
  EXPECT_TRUE(holds("3 * 0.1 == 0.3"));
  EXPECT_FALSE(holds("3 * 0.1 > 0.3"));
  EXPECT_TRUE(holds("arrivals.rate < 0.9 * consumers.count * 20/s"));
  EXPECT_FALSE(holds("arrivals.rate >= 0.9 * consumers.count * 20/s"));
  EXPECT_TRUE(holds("consumers.service.mean > 0"));
}

TEST(Expression, words_and_flags_are_compared_with_their_like) {
  EXPECT_TRUE(holds("queue.order == 'lifo'"));
  EXPECT_TRUE(holds("queue.order != \"fifo\""));
  EXPECT_TRUE(holds("producer.timeout == 'none'"));
  EXPECT_FALSE(holds("consumers.service.mean == 'none'"));
  EXPECT_TRUE(holds("queue.heartbeat"));
  EXPECT_TRUE(holds("queue.heartbeat == true"));
}

TEST(Expression, a_decided_side_asks_for_no_key) {
  EXPECT_TRUE(holds("1 < 2 or unknown.key > 3"));
  EXPECT_FALSE(holds("producer.timeout != 'none' and producer.timeout > 3s"));
  EXPECT_TRUE(holds("not (1 > 2) and (2 > 1 || 1 > 2) && !(3 < 2)"));
}

struct Wrong {
  const char* text;
  std::size_t at;
  const char* words;
};

TEST(Expression, says_what_is_wrong_and_where) {
  const Wrong all[] = {
      {"", 0, "is empty"},
      {"3 *", 3, "its end where a number or a key is due"},
      {"3 * (2", 6, "where ) is due"},
      {"3 4", 2, "\"4\" where it should end"},
      {"1 < 2 < 3", 6, "'and' between two comparisons"},
      {"consumers.count = 3", 16, "expected == to compare"},
      {"10m", 2, "unknown unit m"},
      {"log(2)", 0, "no function (expected min"},
      {"min(1)", 0, "1 arguments for min() (expected two or more)"},
      {"ceil(1, 2)", 0, "2 arguments for ceil() (expected one)"},
      {"'fifo", 0, "quote does not end"},
      {"arrivals.rate < 100", 14, "a rate and a plain number beside <"},
      {"arrivals.rate + 3s", 14, "a rate and a duration beside +"},
      {"queue.order < 'lifo'", 12, "compares the word lifo"},
      {"queue.order + 1", 0, "the word lifo where a number is due"},
      {"producer.timeout * 2", 0, "the word none where a number is due"},
      {"not 3", 4, "a plain number where a condition is due"},
      {"1 / 0", 2, "divides by zero"},
      {"1e300 * 1e300", 6, "not finite"},
      {"1e999", 0, "number that cannot be read"},
      {"sqrt(-1)", 0, "square root of a negative number"},
      {"sqrt(2s)", 0, "has no unit"},
      {"1 § 2", 2, "where it should end"},
  };
  for (const Wrong& wrong : all) {
    try {
      value_of(wrong.text);
      FAIL() << wrong.text;
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.at(), wrong.at) << wrong.text << ": " << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(wrong.words)) << wrong.text;
    }
  }
}

TEST(Expression, nesting_and_length_are_bounded) {
  EXPECT_THROW(Expression(std::string(5000, '1')), ExpressionError);
  EXPECT_THROW(Expression(std::string(1500, '(')), ExpressionError);
  EXPECT_THROW(Expression(std::string(1500, '-') + "1"), ExpressionError);
  std::string sum = "1";
  for (int i = 0; i < 1500; ++i) {
    sum += "+1";
  }
  EXPECT_EQ(number(sum), 1501);  // a chain of 1500 is left-deep, not nested
}

}  // namespace
}  // namespace basin
