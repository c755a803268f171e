#include "experiments/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

using testing::HasSubstr;

Duration span(std::string_view text) {
  return parse_duration(text).span;
}

std::string problem_of(void (*parse)(std::string_view), std::string_view text) {
  try {
    parse(text);
  } catch (const UnitError& error) {
    return error.what();
  }
  return "no error";
}
std::string duration_problem(std::string_view text) {
  return problem_of([](std::string_view t) { parse_duration(t); }, text);
}
std::string rate_problem(std::string_view text) {
  return problem_of([](std::string_view t) { parse_rate(t); }, text);
}

TEST(Units, durations_are_exact_in_decimal) {
  EXPECT_EQ(span("30s").count(), 30'000'000'000);
  EXPECT_EQ(span("8min").count(), 480'000'000'000);
  EXPECT_EQ(span("250ms").count(), 250'000'000);
  EXPECT_EQ(span("1.5h").count(), 5'400'000'000'000);
  EXPECT_EQ(span("2d").count(), 172'800'000'000'000);
  EXPECT_EQ(span("10us").count(), 10'000);
  EXPECT_EQ(span("100ns").count(), 100);
  EXPECT_EQ(span("0.1s").count(), 100'000'000);
  EXPECT_EQ(span("0.000000001s").count(), 1);
  EXPECT_EQ(span("1.000000001s").count(), 1'000'000'001);
  EXPECT_EQ(span(" 30 s ").count(), 30'000'000'000);
  EXPECT_EQ(span("1e3ms").count(), 1'000'000'000);
  EXPECT_EQ(span("0s").count(), 0);
}

TEST(Units, seconds_are_the_nearest_double_to_what_is_written) {
  EXPECT_EQ(parse_duration("0.1s").seconds, 0.1);
  EXPECT_EQ(parse_duration("3.3333333333ms").seconds, 0.0033333333333);
  EXPECT_EQ(parse_duration("3.3333333333ms").span.count(), 3'333'333);
  EXPECT_EQ(parse_duration("0.7min").seconds, 42.0);
}

TEST(Units, rates_are_per_second) {
  EXPECT_EQ(parse_rate("400/s"), 400);
  EXPECT_EQ(parse_rate("10k/s"), 10'000);
  EXPECT_EQ(parse_rate("2.5M/s"), 2'500'000);
  EXPECT_EQ(parse_rate("90/min"), 1.5);
  EXPECT_EQ(parse_rate("3600/h"), 1);
  EXPECT_EQ(parse_rate("86400/d"), 1);
  EXPECT_EQ(parse_rate("3/ms"), 3000);
  EXPECT_EQ(parse_rate("0/s"), 0);
  EXPECT_EQ(parse_rate("0.1/s"), 0.1);
}

TEST(Units, what_is_no_duration_says_what_was_expected) {
  EXPECT_THAT(duration_problem("30"), HasSubstr("has no unit (write \"30s\""));
  EXPECT_THAT(duration_problem("-30s"), HasSubstr("is negative"));
  EXPECT_THAT(duration_problem("5m"), HasSubstr("write min for minutes, ms for"));
  EXPECT_THAT(duration_problem("5 sec"), HasSubstr("unknown unit \"sec\""));
  EXPECT_THAT(duration_problem("nan"), HasSubstr("not a finite number"));
  EXPECT_THAT(duration_problem("inf"), HasSubstr("not a finite number"));
  EXPECT_THAT(duration_problem(""), HasSubstr("is not a number"));
  EXPECT_THAT(duration_problem("s"), HasSubstr("is not a number"));
  EXPECT_THAT(duration_problem("1.s"), HasSubstr("is not a number"));
  EXPECT_THAT(duration_problem("1..5s"), HasSubstr("is not a number"));
  EXPECT_THAT(duration_problem("7301d"), HasSubstr("at most 7300d"));
  EXPECT_THAT(duration_problem("1e99999999999s"), HasSubstr("too long"));
  EXPECT_THAT(duration_problem("1e-99999999999s"),
              HasSubstr("shorter than a nanosecond"));
  EXPECT_THAT(duration_problem("0.1ns"), HasSubstr("shorter than a nanosecond"));
  EXPECT_THAT(duration_problem("1234567890123456789s"), HasSubstr("more than 18 digits"));
}

TEST(Units, what_is_no_rate_says_what_was_expected) {
  EXPECT_THAT(rate_problem("100"), HasSubstr("has no unit (write \"100/s\""));
  EXPECT_THAT(rate_problem("-100/s"), HasSubstr("is negative"));
  EXPECT_THAT(rate_problem("100/x"), HasSubstr("unknown unit \"/x\""));
  EXPECT_THAT(rate_problem("100s"), HasSubstr("is not a rate"));
  EXPECT_THAT(rate_problem("1e999/s"), HasSubstr("too large"));
  EXPECT_THAT(rate_problem("1e-999/s"), HasSubstr("too small"));
}

TEST(Units, plain_numbers_take_no_unit) {
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  EXPECT_EQ(parse_whole("-7"), -7);
  EXPECT_THROW(parse_number("1s"), UnitError);
  EXPECT_THROW(parse_number("inf"), UnitError);
  EXPECT_THROW(parse_number("--1"), UnitError);
  EXPECT_THROW(parse_number("1e999"), UnitError);
  EXPECT_THROW(parse_whole("1.5"), UnitError);
  EXPECT_THROW(parse_whole("9223372036854775808"), UnitError);
}

TEST(Units, durations_are_written_in_the_largest_whole_unit) {
  for (const char* text : {"8min", "90s", "250ms", "36h", "2d", "1ns", "1500us", "0s"}) {
    EXPECT_EQ(format_duration(span(text)), text);
  }
  EXPECT_EQ(format_rate(100), "100/s");
  EXPECT_EQ(parse_rate(format_rate(0.1)), 0.1);
}

TEST(Units, counts_are_whole_with_a_suffix_or_without) {
  EXPECT_EQ(parse_count("32"), 32);
  EXPECT_EQ(parse_count("3.6M"), 3'600'000);
  EXPECT_EQ(parse_count("600k"), 600'000);
  EXPECT_EQ(parse_count("1.5 G"), 1'500'000'000);
  EXPECT_EQ(parse_count("1e6"), 1'000'000);
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("5.0"), 5);
  const auto problem = [](std::string_view text) {
    return problem_of([](std::string_view t) { parse_count(t); }, text);
  };
  EXPECT_THAT(problem("2.5"), HasSubstr("is not a whole number"));
  EXPECT_THAT(problem("-1"), HasSubstr("negative"));
  EXPECT_THAT(problem("10/s"), HasSubstr("unknown suffix"));
  EXPECT_THAT(problem("1e16"), HasSubstr("too large"));
  EXPECT_THAT(problem("1e400"), HasSubstr("too large"));
  EXPECT_THAT(problem(""), HasSubstr("expected a whole number"));
  EXPECT_THAT(problem("nan"), HasSubstr("expected a whole number"));
}

TEST(Units, percentages_carry_their_sign_and_the_percent) {
  EXPECT_EQ(parse_percentage("10%"), 0.1);
  EXPECT_EQ(parse_percentage("-12.5 %"), -0.125);
  EXPECT_EQ(parse_percentage("0%"), 0);
  const auto problem = [](std::string_view text) {
    return problem_of([](std::string_view t) { parse_percentage(t); }, text);
  };
  EXPECT_THAT(problem("0.1"), HasSubstr("is not a percentage"));
  EXPECT_THAT(problem("--1%"), HasSubstr("negative"));
  EXPECT_THAT(problem("1e999%"), HasSubstr("too large"));
  EXPECT_THAT(problem("%"), HasSubstr("expected a percentage"));
}

}  // namespace
}  // namespace basin
