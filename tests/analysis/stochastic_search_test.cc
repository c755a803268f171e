#include "analysis/stochastic_search.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "analysis/no_answer.h"

namespace basin {
namespace {

using Curve = std::function<double(double)>;

// Runs a search against a known curve.
Crossing search(const CrossingOptions& options, const Curve& curve, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  CrossingSearch search{options};
  std::int64_t first = 0;
  while (const std::optional<Question> question = search.next()) {
    EXPECT_EQ(question->first, first);
    first += question->runs;
    std::vector<double> answers;
    for (std::int64_t k = 0; k < question->runs; ++k) {
      const double u = static_cast<double>(random() >> 11) * 0x1p-53;
      answers.push_back(u < curve(question->at) ? 1 : 0);
    }
    search.take(answers);
  }
  return search.result();
}

Curve step_at(double edge) {
  return [edge](double x) { return x <= edge ? 1.0 : 0.0; };
}
// Falls through 1/2 at `edge`; from 0.88 to 0.12 over 4 * scale.
Curve logistic_at(double edge, double scale) {
  return [=](double x) { return 1 / (1 + std::exp((x - edge) / scale)); };
}

constexpr CrossingOptions loads{.low = 2, .high = 1000, .start = 300};

TEST(StochasticSearch, finds_a_step_to_the_precision_asked_for_in_few_runs) {
  for (const double edge : {2.5, 17.0, 150.0, 299.0, 301.0, 950.0}) {
    const Crossing found = search(loads, step_at(edge), 1);
    EXPECT_EQ(found.at, CrossingAt::inside);
    EXPECT_TRUE(found.reached);
    EXPECT_LE(found.interval.low, edge);
    EXPECT_GT(found.interval.high, edge);
    EXPECT_LE(found.interval.high - found.interval.low, 0.0101 * edge);
    EXPECT_LT(found.runs, 90) << edge;
    EXPECT_FALSE(found.breach);
  }
}

TEST(StochasticSearch, names_the_end_of_the_range_where_nothing_crosses) {
  const Crossing healthy = search(loads, step_at(5000), 1);
  EXPECT_EQ(healthy.at, CrossingAt::all_yes);
  EXPECT_DOUBLE_EQ(healthy.estimate, 1000);
  EXPECT_TRUE(healthy.bounded_low);
  EXPECT_FALSE(healthy.bounded_high);
  const Crossing down = search(loads, step_at(1), 1);
  EXPECT_EQ(down.at, CrossingAt::all_no);
  EXPECT_DOUBLE_EQ(down.estimate, 2);
  EXPECT_FALSE(down.bounded_low);
  EXPECT_LT(healthy.runs + down.runs, 80);
}

TEST(StochasticSearch, a_rising_curve_is_found_as_well) {
  CrossingOptions options = loads;
  options.trend = Trend::rising;
  const Crossing found = search(
      options, [](double x) { return x < 40 ? 0.0 : 1.0; }, 1);
  EXPECT_LE(found.interval.low, 40);
  EXPECT_GE(found.interval.high, 40);
  EXPECT_TRUE(found.reached);
  EXPECT_TRUE(found.bounded_low);
  EXPECT_TRUE(found.bounded_high);
}

TEST(StochasticSearch, linear_spacing_reaches_zero) {
  const Crossing found = search(
      {.low = 0, .high = 1, .start = 0.5, .spacing = Spacing::linear, .precision = 0.02},
      step_at(0.0712),
      1);
  EXPECT_NEAR(found.estimate, 0.0712, 0.02);
  EXPECT_TRUE(found.reached);
}

TEST(StochasticSearch, the_least_whole_number_that_reaches_a_probability) {
  // P(recover) by consumers: 0 up to 31, 0.7 at 32, 1 from 33 on.
  const Curve curve = [](double n) { return n <= 31 ? 0.0 : n == 32 ? 0.7 : 1.0; };
  const Crossing found = search({.low = 1,
                                 .high = 500,
                                 .start = 40,
                                 .spacing = Spacing::whole,
                                 .trend = Trend::rising,
                                 .level = 0.95,
                                 .most_runs = 2000},
                                curve,
                                1);
  EXPECT_EQ(found.estimate, 33);
  EXPECT_EQ(found.interval, (Interval{33, 33}));
  EXPECT_TRUE(found.reached);
}

TEST(StochasticSearch, the_largest_whole_number_that_keeps_a_probability) {
  const Curve curve = [](double n) { return n <= 3 ? 1.0 : n == 4 ? 0.8 : 0.0; };
  const Crossing found = search({.low = 1,
                                 .high = 10,
                                 .start = 5,
                                 .spacing = Spacing::whole,
                                 .level = 0.9,
                                 .most_runs = 2000},
                                curve,
                                1);
  EXPECT_EQ(found.estimate, 3);
  EXPECT_EQ(found.interval, (Interval{3, 3}));
}

TEST(StochasticSearch, two_whole_numbers_are_enough) {
  const Crossing found =
      search({.low = 1, .high = 2, .start = 1, .spacing = Spacing::whole}, step_at(1), 1);
  EXPECT_EQ(found.estimate, 1);
  EXPECT_TRUE(found.reached);
}

TEST(StochasticSearch, a_breach_of_the_trend_is_reported) {
  // Down in a band from 100 to 320, up again above it.
  const Curve curve = [](double x) {
    return x < 100 || (x > 320 && x < 700) ? 1.0 : 0.0;
  };
  const Crossing found = search(loads, curve, 1);
  ASSERT_TRUE(found.breach);
  EXPECT_LT(found.breach->first.at, found.breach->second.at);
  EXPECT_EQ(found.breach->first.mean, 0);
  EXPECT_EQ(found.breach->second.mean, 1);
}

TEST(StochasticSearch, stops_at_the_most_runs_with_a_wider_interval) {
  CrossingOptions options = loads;
  options.most_runs = 120;
  const Crossing found = search(options, logistic_at(150, 20), 3);
  EXPECT_EQ(found.runs, 120);
  EXPECT_FALSE(found.reached);
  EXPECT_LT(found.interval.low, 150);
  EXPECT_GT(found.interval.high, 150);
  EXPECT_TRUE(found.bounded_low && found.bounded_high);
  EXPECT_LT(found.interval.high - found.interval.low, 110);
}

TEST(StochasticSearch, means_of_several_answers_are_taken) {
  // A half of the incidents is never survived: the mean is 1/2 below the edge.
  CrossingSearch search{{.low = 1,
                         .high = 100,
                         .start = 10,
                         .level = 0.4,
                         .precision = 0.1,
                         .most_runs = 200}};
  while (const std::optional<Question> question = search.next()) {
    search.take(std::vector<double>(static_cast<std::size_t>(question->runs),
                                    question->at <= 30 ? 0.5 : 0.25));
  }
  EXPECT_LE(search.result().interval.low, 30);
  EXPECT_GE(search.result().interval.high, 30);
}

TEST(StochasticSearch, options_out_of_range_have_no_answer) {
  const auto with = [](auto change) {
    CrossingOptions options = loads;
    change(options);
    return options;
  };
  EXPECT_THROW(CrossingSearch{with([](auto& o) { o.low = 0; })}, NoAnswer);
  EXPECT_THROW(CrossingSearch{with([](auto& o) { o.high = o.low; })}, NoAnswer);
  EXPECT_THROW(CrossingSearch{with([](auto& o) { o.high = INFINITY; })}, NoAnswer);
  EXPECT_THROW(CrossingSearch{with([](auto& o) { o.level = 1; })}, NoAnswer);
  EXPECT_THROW(CrossingSearch{with([](auto& o) { o.precision = 0; })}, NoAnswer);
  EXPECT_THROW(CrossingSearch{with([](auto& o) { o.most_runs = 0; })}, NoAnswer);
  CrossingSearch search{loads};
  EXPECT_THROW(search.take(std::vector<double>{1}), NoAnswer);
  EXPECT_THROW(search.take(std::vector<double>{1, 1, 1, NAN}), NoAnswer);
}

TEST(StochasticSearch, fisher_by_hand) {
  EXPECT_NEAR(fisher_less(0, 4, 4, 4), 1 / 70.0, 1e-12);
  EXPECT_NEAR(fisher_less(1, 4, 3, 4), 17 / 70.0, 1e-12);
  EXPECT_NEAR(fisher_less(4, 4, 0, 4), 1, 1e-12);
}

// The interval misses in at most 5% of the searches: at the 0.1% level of a binomial of
// 200 at 5% (10 expected, at most 21).
TEST(StochasticSearchSlow, intervals_cover_the_crossing) {
  struct Case {
    const char* name;
    CrossingOptions options;
    Curve curve;
    double truth;
    double widest;  // mean width of the interval
  };
  // Few cells, to be fast.
  const CrossingOptions coarse{.low = 50, .high = 600, .start = 250, .precision = 0.04};
  CrossingOptions few = coarse;
  few.most_runs = 100;
  CrossingOptions rare = coarse;
  rare.level = 0.9;
  const std::vector<Case> cases = {
      {"step", coarse, step_at(150), 150, 6.1},
      {"steep", coarse, logistic_at(150, 0.5), 150, 6.1},
      {"as wide as the precision", coarse, logistic_at(150, 2), 150, 7},
      {"wide", coarse, logistic_at(150, 10), 150, 25},
      {"wide, few runs", few, logistic_at(150, 10), 150, 60},
      {"very wide", coarse, logistic_at(300, 60), 300, 150},
      // A plateau near the level, as far from a logistic as it gets.
      {"plateau",
       coarse,
       [](double x) {
         return x < 100 ? 1.0 : x <= 200 ? 0.55 : x <= 400 ? 0.45 : 0.0;
       },
       200,
       400},
      // 0.9 at 150 - 10 log 9 = 128.03.
      {"at 90%", rare, logistic_at(150, 10), 128.0278, 55},
  };
  for (const Case& one : cases) {
    int missed = 0;
    int breaches = 0;
    double width = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const Crossing found = search(one.options, one.curve, seed);
      missed += found.interval.low > one.truth || found.interval.high < one.truth;
      breaches += found.breach.has_value();
      width += (found.interval.high - found.interval.low) / 200;
    }
    EXPECT_LE(missed, 21) << one.name;
    EXPECT_LE(breaches, 21) << one.name;
    EXPECT_LE(width, one.widest) << one.name;
  }
}

}  // namespace
}  // namespace basin
