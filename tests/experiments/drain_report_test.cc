#include "experiments/drain_report.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "experiments/drain_words.h"

namespace basin {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A fleet that was hit for ten minutes and has a backlog of 3.6 million.
DrainValues fleet(double consumers) {
  DrainValues values;
  values.arrival_rate = 10'000;
  values.consumers = consumers;
  values.service_rate = 400;
  values.backlog = 3.6e6;
  return values;
}

std::string text_of(const DrainValues& values) {
  const DrainProblem problem = drain_problem(nullptr, values);
  return drain_text(problem, answer(problem));
}

nlohmann::json json_of(const DrainValues& values) {
  const DrainProblem problem = drain_problem(nullptr, values);
  return nlohmann::json::parse(drain_json(problem, answer(problem)));
}

TEST(DrainWords, spans_are_read_from_a_clock) {
  EXPECT_EQ(span_text(0), "0 s");
  EXPECT_EQ(span_text(5e-6), "5 us");
  EXPECT_EQ(span_text(0.25), "250 ms");
  EXPECT_EQ(span_text(0.9999), "1 s");
  EXPECT_EQ(span_text(42.5), "42.5 s");
  EXPECT_EQ(span_text(59.99), "1 min");
  EXPECT_EQ(span_text(1285.714), "21 min 26 s");
  EXPECT_EQ(span_text(3599.9), "1 h");
  EXPECT_EQ(span_text(11'270), "3 h 7 min 50 s");
  EXPECT_EQ(span_text(3'605), "1 h 5 s");
  EXPECT_EQ(span_text(86'399.9), "1 d");
  EXPECT_EQ(span_text(100'000), "1 d 3 h");
  EXPECT_EQ(span_text(1e9), "32 years");
  EXPECT_EQ(span_text(1e300), "3.169e+292 years");
}

TEST(DrainWords, counts_are_whole_where_they_are) {
  EXPECT_EQ(count_text(442'787'800), "442,787,800");
  EXPECT_EQ(count_text(-1'000), "-1,000");
  EXPECT_EQ(count_text(400.00000000001), "400");
  EXPECT_EQ(count_text(0.5), "0.5");
  EXPECT_EQ(count_text(1e20), "1e+20");
  EXPECT_EQ(percent_text(-0.35714), "-35.7%");
  EXPECT_EQ(percent_text(1), "100%");
  EXPECT_EQ(percent_text(0.9999), "99.99%");
  EXPECT_EQ(percent_text(0.0001), "0.01%");
}

TEST(DrainWords, lines_break_before_eighty_columns_and_not_before_a_unit) {
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += (i == 0 ? "" : " ") + std::to_string(i) + " min 30 s;";
  }
  std::istringstream lines(row("label", text));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U);
    const std::string word = line.substr(line.find_first_not_of(' '));
    EXPECT_THAT(word, Not(testing::AnyOf(StartsWith("min"), StartsWith("s;"))));
  }
}

TEST(DrainReport, the_first_line_is_the_answer) {
  EXPECT_THAT(text_of(fleet(32)), StartsWith("Drains in 21 min 26 s.\n"));
  EXPECT_THAT(text_of(fleet(25)),
              StartsWith("Never drains: capacity equals arrivals, so there is no "
                         "surplus.\n"));
  DrainValues values = fleet(32);
  values.recovery_time = 1'800;
  EXPECT_THAT(text_of(values),
              StartsWith("Drains in 21 min 26 s, within the RTO of 30 min.\n"));
  values.retries_per_timeout = 0.25;
  values.timeout = 30;
  EXPECT_THAT(text_of(values),
              StartsWith("Drains in 3 h 7 min 50 s with 0.25 retries a timeout, past the "
                         "RTO of 30 min.\n"));
  values.retries_per_timeout = 0.28;
  EXPECT_THAT(text_of(values), StartsWith("Never drains: retries take up the whole"));
  values.backlog = 0;
  EXPECT_THAT(text_of(values), StartsWith("Nothing to drain: the backlog is empty.\n"));
  values.backlog.reset();
  EXPECT_THAT(text_of(values),
              StartsWith("Any backlog drains, by 2,800 messages a second.\n"));
}

TEST(DrainReport, says_what_was_not_given_and_asks_for_nothing_else) {
  EXPECT_THAT(text_of(fleet(32)), HasSubstr("--rto 30min"));
  DrainValues values = fleet(32);
  values.recovery_time = 1'800;
  values.wait_objective = 10;
  values.time_to_live = 600;
  values.lost_consumers = 15;
  values.provisioning_lag = 300;
  values.retries_per_timeout = 1.5;
  values.timeout = 30;
  const std::string text = text_of(values);
  EXPECT_THAT(text, Not(HasSubstr("Not given")));
  EXPECT_THAT(text, HasSubstr("442,800,000 after 36,000 steps"));
  EXPECT_THAT(text, HasSubstr("442,787,800 one before"));
  EXPECT_THAT(text, HasSubstr("alarm at a depth of  100,000"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(DrainReport, json_has_every_number_and_reasons_for_the_infinite) {
  DrainValues values = fleet(25);
  values.backlog.reset();
  values.incident = 600;
  values.lost_consumers = 15;
  values.recovery_time = 1'800;
  values.provisioning_lag = 300;
  const nlohmann::json json = json_of(values);
  EXPECT_EQ(json["backlog"], 3'600'000);
  EXPECT_EQ(json["drains"], false);
  EXPECT_TRUE(json["drain_time"].is_null());
  EXPECT_EQ(json["reasons"]["drain_time"],
            "capacity equals arrivals, so there is no surplus");
  EXPECT_EQ(json["headroom"], 30);
  EXPECT_EQ(json["consumers_missing"], 5);
  EXPECT_EQ(json["longest_incident"], 0);
  EXPECT_EQ(json["order_incident_lasts"]["backlog_then"], 5'400'000);
  EXPECT_EQ(json["order_incident_lasts"]["more_from_arrival"], 8);
  EXPECT_EQ(json["order_incident_over"]["more_from_arrival"], 5);
  EXPECT_EQ(json["missing"],
            nlohmann::json({"sla", "ttl", "retries-per-timeout", "timeout"}));
}

TEST(DrainReport, json_counts_retries_apart) {
  DrainValues values = fleet(32);
  values.retries_per_timeout = 0.25;
  values.timeout = 30;
  values.recovery_time = 1'800;
  const nlohmann::json json = json_of(values);
  EXPECT_NEAR(json["drain_time"].get<double>(), 1'285.714, 1e-3);
  EXPECT_EQ(json["retries"]["drain_time"], 11'270);
  EXPECT_EQ(json["retries"]["critical_retries"], 0.28);
  EXPECT_EQ(json["headroom"], 30);
  EXPECT_EQ(json["retries"]["headroom"], 37);
  EXPECT_EQ(json["within_recovery_time"], false);
}

}  // namespace
}  // namespace basin
