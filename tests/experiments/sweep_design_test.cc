// Designs beyond grids: keys that move together, points, samples, derived keys and
// conditions.
#include "experiments/sweep_design.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/time.h"
#include "experiments/design_coordinates.h"
#include "experiments/grid.h"
#include "experiments/overrides_json.h"
#include "experiments/scenario_reader.h"
#include "experiments/scenario_values.h"
#include "tests/experiments/example_scenario.h"
#include "tests/temporary_folder.h"

namespace basin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// The example with another [sweep]; the line after "[sweep]" is line 42.
std::string with_sweep(const std::string& sweep) {
  return std::string(example_scenario.substr(0, example_scenario.find("[sweep]"))) +
         "[sweep]\n" + sweep;
}

Scenario read(const std::string& sweep, const Overrides& overrides = {}) {
  return read_scenario_text(
      with_sweep(sweep), "x.toml", overrides, {.folder = own_folder().path()});
}

std::string message_of(const std::string& sweep, const Overrides& overrides = {}) {
  try {
    read(sweep, overrides);
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "no error";
}

void write_file(const std::string& name, const std::string& text) {
  std::ofstream(own_folder().file(name), std::ios::binary) << text;
}

double timeout_of(const Scenario& scenario) {
  return to_seconds(*scenario.system.producer.timeout);
}

double rate_of(const Scenario& scenario, const std::vector<std::size_t>& indices) {
  return std::get<PoissonArrivals>(at_cell(scenario, indices).system.arrivals).rate;
}

TEST(Designs, zipped_keys_move_together) {
  const Scenario scenario = read(R"(axes = [
  { zip = [ { key = "arrivals.rate", values = ["50/s", "100/s", "150/s"] },
            { key = "consumers.count", from = 20, to = 40, steps = 3 } ] },
  { key = "producer.max_attempts", values = [1, 2] } ])");
  ASSERT_EQ(scenario.axes.size(), 2U);
  EXPECT_EQ(Grid{scenario.axes}.size(), 6U);
  const Axis& axis = scenario.axes[0];
  EXPECT_EQ(axis.key, "arrivals.rate");
  ASSERT_EQ(axis.with.size(), 1U);
  EXPECT_EQ(axis.with[0].key, "consumers.count");
  EXPECT_THAT(axis.with[0].values, ElementsAre("20", "30", "40"));
  EXPECT_THAT(axis.with[0].si_values, ElementsAre(20, 30, 40));
  EXPECT_EQ(at_cell(scenario, {1, 0}).system.consumers.groups[0].count, 30);
  EXPECT_EQ(rate_of(scenario, {2, 1}), 150);
}

TEST(Designs, zip_touches_the_control_if_one_of_its_keys_does) {
  const auto touches = [](const std::string& second) {
    return read(
               "axes = [ { zip = [ { key = \"incident.outage.duration\", values = "
               "[\"1min\", \"2min\"] }, " +
               second + " ] } ]")
        .axes[0]
        .touches_control;
  };
  EXPECT_FALSE(touches("{ key = \"incident.outage.fraction\", values = [0.5, 1] }"));
  EXPECT_TRUE(touches("{ key = \"consumers.count\", values = [20, 30] }"));
}

TEST(Designs, derived_keys_follow_in_every_cell_and_in_the_file_itself) {
  const Scenario scenario = read(R"toml(axes = [
  { key = "consumers.service.rate", values = ["4/s", "8/s"] } ]
[sweep.derived]
producer.timeout = "40 * consumers.service.mean"
"objective.latency" = "2 * producer.timeout"
consumers.count = "ceil(1.2 * arrivals.rate * consumers.service.mean)"
)toml");
  EXPECT_EQ(timeout_of(scenario), 10);
  EXPECT_EQ(timeout_of(at_cell(scenario, {0})), 10);
  const Scenario second = at_cell(scenario, {1});
  EXPECT_EQ(timeout_of(second), 5);
  EXPECT_EQ(to_seconds(*second.system.success_within), 10);
  EXPECT_EQ(second.system.consumers.groups[0].count, 15);
  EXPECT_THAT(scenario_values(scenario),
              HasSubstr("derived producer.timeout = 40 * consumers.service.mean\n"));
}

TEST(Designs, derived_key_that_the_control_has_makes_its_axis_touch_the_control) {
  const std::string axis =
      "axes = [ { key = \"incident.outage.duration\", values = [\"1min\", \"2min\"] } ]\n"
      "[sweep.derived]\n";
  EXPECT_FALSE(read(axis + "incident.outage.fraction = "
                           "\"incident.outage.duration / 480s\"")
                   .axes[0]
                   .touches_control);
  EXPECT_TRUE(read(axis + "producer.timeout = \"incident.outage.duration / 4\"")
                  .axes[0]
                  .touches_control);
  EXPECT_TRUE(read(axis +
                   "producer.timeout = \"20s * incident.outage.fraction\"\n"
                   "incident.outage.fraction = \"incident.outage.duration / 480s\"")
                  .axes[0]
                  .touches_control);
}

TEST(Designs, set_and_sweep_of_a_derived_key_take_its_place) {
  const std::string sweep = R"([sweep.derived]
producer.timeout = "consumers.count * 1s")";
  EXPECT_EQ(timeout_of(read(sweep)), 32);
  EXPECT_EQ(timeout_of(read(sweep, {.set = {"consumers.count=40"}, .sweep = {}})), 40);
  EXPECT_EQ(timeout_of(read(sweep, {.set = {"producer.timeout=7s"}, .sweep = {}})), 7);
  const Scenario swept = read(sweep, {.set = {}, .sweep = {"producer.timeout=3s,4s"}});
  EXPECT_EQ(timeout_of(swept), 32);
  EXPECT_EQ(timeout_of(at_cell(swept, {1})), 4);
  EXPECT_EQ(timeout_of(with_values(read(sweep), {"consumers.count=41"})), 41);
  EXPECT_EQ(timeout_of(with_values(read(sweep), {"producer.timeout=8s"})), 8);
}

TEST(Designs, cells_for_which_the_condition_is_false_are_left_out_and_not_checked) {
  // 130/s with 32 consumers of 4/s: beyond 0.9 of the capacity of 128/s.
  const Scenario scenario = read(R"(axes = [
  { key = "arrivals.rate", values = ["100/s", "130/s"] },
  { key = "producer.max_attempts", values = [1, 2] },
  { key = "consumers.count", values = [32, 64] } ]
where = "arrivals.rate < 0.9 * consumers.count * consumers.service.rate")");
  EXPECT_THAT(scenario.excluded,
              ElementsAre(false, false, false, false, true, false, true, false));
  EXPECT_TRUE(read("axes = [ { key = \"consumers.count\", values = [32, 64] } ]\n"
                   "where = \"consumers.count > 1\"")
                  .excluded.empty());
  // An outage that lasts past the horizon is an error, and no cell here.
  EXPECT_THAT(read("axes = [ { key = \"incident.outage.duration\", values = [\"1min\", "
                   "\"2h\"] } ]\nwhere = \"incident.outage.duration < 1h\"")
                  .excluded,
              ElementsAre(false, true));
  // So is a number of consumers that is not whole, which the condition does not need.
  EXPECT_THAT(read("axes = [ { key = \"producer.timeout\", values = [\"30s\", \"31s\"] } "
                   "]\nwhere = \"producer.timeout != 31s\"\n[sweep.derived]\n"
                   "consumers.count = \"producer.timeout / 10s\"")
                  .excluded,
              ElementsAre(false, true));
}

TEST(Designs, condition_sees_what_a_preset_or_another_key_decides) {
  const Scenario scenario = read(R"(axes = [
  { key = "queue.broker", values = ["sqs-standard", "none"] },
  { key = "queue.order", values = ["fifo", "lifo"] } ]
where = "queue.visibility_timeout != 'none' or queue.order == 'lifo'")",
                                 {.set = {"queue.visibility_timeout=none"}, .sweep = {}});
  EXPECT_THAT(scenario.excluded, ElementsAre(true, false, true, false));
}

TEST(Designs, points_of_a_file_are_an_axis) {
  write_file("points.csv",
             "\xEF\xBB\xBF"
             "arrivals.rate, consumers.count ,\"queue.order\"\r\n"
             "80/s,32,fifo\r\n\r\n 6k/min , 40,\"lifo\"\r\n80/s,32,lifo");
  const Scenario scenario = read(
      "points = { file = \"points.csv\" }\n"
      "axes = [ { key = \"producer.timeout\", values = "
      "[\"10s\", \"20s\"] } ]");
  ASSERT_EQ(scenario.axes.size(), 2U);
  EXPECT_EQ(Grid{scenario.axes}.size(), 6U);
  const Axis& points = scenario.axes[1];
  EXPECT_EQ(points.key, "point");
  EXPECT_TRUE(points.is_numeric);
  EXPECT_THAT(points.values, ElementsAre("0", "1", "2"));
  ASSERT_EQ(points.with.size(), 3U);
  EXPECT_THAT(points.with[0].si_values, ElementsAre(80, 100, 80));
  EXPECT_FALSE(points.with[2].is_numeric);
  EXPECT_THAT(points.with[2].si_values, ElementsAre(0, 1, 1));
  EXPECT_EQ(rate_of(scenario, {1, 1}), 100);
  EXPECT_EQ(at_cell(scenario, {1, 1}).system.consumers.groups[0].count, 40);
}

TEST(Designs, points_go_with_the_document_where_their_file_does_not) {
  write_file("points.csv", "arrivals.rate\n80/s\n90/s\n");
  const std::string text = with_sweep("points = { file = \"points.csv\" }");
  const Scenario here =
      read_scenario_text(text, "x.toml", {}, {.folder = own_folder().path()});
  const Overrides kept = overrides_from_json(overrides_json(here.document.overrides));
  const Scenario there = read_scenario_text(
      text, "x.toml", kept, {.folder = "/nowhere", .read_data_files = false});
  EXPECT_EQ(there.axes[0].with[0].values, here.axes[0].with[0].values);
  EXPECT_EQ(there.axes[0].values.size(), 2U);
  EXPECT_EQ(scenario_values(there), scenario_values(here));
}

TEST(Designs, keys_that_move_with_an_axis_are_coordinates_along_it) {
  const Scenario scenario = read(R"(axes = [
  { zip = [ { key = "arrivals.rate", values = ["50/s", "100/s"] },
            { key = "consumers.count", values = [20, 30] } ] },
  { key = "simulation.horizon", values = ["1h", "4h"] } ])");
  const std::vector<std::string> dimensions{"rate", "horizon"};
  const auto coordinates = design_coordinates(scenario.axes, dimensions, {"depth"});
  ASSERT_EQ(coordinates.size(), 1U);
  EXPECT_EQ(coordinates[0].name, "consumers_count");  // ds.count is a method
  EXPECT_EQ(coordinates[0].dimension, "rate");
  EXPECT_EQ(coordinates[0].key->key, "consumers.count");
  EXPECT_EQ(longest_horizon(scenario), std::chrono::hours{4});
  EXPECT_EQ(longest_horizon(read("")), std::chrono::hours{2});
}

TEST(Designs, set_fixes_one_key_of_several) {
  const std::string sweep =
      "sample = { points = 8, ranges = [ { key = "
      "\"arrivals.rate\", from = \"50/s\", to = \"90/s\" }, { key = "
      "\"producer.timeout\", from = \"1s\", to = \"9s\" } ] }";
  const Scenario scenario = read(sweep, {.set = {"producer.timeout=5s"}, .sweep = {}});
  ASSERT_EQ(scenario.axes[0].with.size(), 1U);
  EXPECT_EQ(timeout_of(at_cell(scenario, {3})), 5);
  EXPECT_TRUE(
      read(sweep, {.set = {"producer.timeout=5s", "arrivals.rate=60/s"}, .sweep = {}})
          .axes.empty());
}

TEST(Designs, sample_keeps_to_its_ranges_in_decimal) {
  const Scenario scenario =
      read(R"(sample = { method = "latin_hypercube", points = 100, seed = 3, ranges = [
  { key = "arrivals.rate", from = "10/s", to = "1000/s", scale = "log" },
  { key = "producer.max_attempts", from = 1, to = 5 },
  { key = "queue.order", values = ["fifo", "lifo"] } ] })");
  const std::vector<AxisKey>& keys = scenario.axes[0].with;
  ASSERT_EQ(keys.size(), 3U);
  const auto share = [](const std::vector<double>& values, double low, double high) {
    return std::ranges::count_if(
        values, [&](double value) { return value >= low && value < high; });
  };
  // A Latin hypercube of 100 points: of each tenth of the range ten points, give or take
  // the rounding of choices and whole numbers.
  EXPECT_EQ(share(keys[0].si_values, 10, 100), 50);
  EXPECT_EQ(share(keys[0].si_values, 100, 1000.0001), 50);
  for (int attempts = 1; attempts <= 5; ++attempts) {
    EXPECT_EQ(share(keys[1].si_values, attempts, attempts + 1), 20) << attempts;
  }
  EXPECT_EQ(std::ranges::count(keys[2].values, "lifo"), 50);
  for (const std::string& value : keys[0].values) {
    EXPECT_LE(std::ranges::count_if(value, [](char c) { return c >= '0' && c <= '9'; }),
              13)
        << value;  // twelve digits and a leading zero
    EXPECT_THAT(value, testing::EndsWith("/s"));
  }
  const Scenario again =
      read(R"(sample = { method = "latin_hypercube", points = 100, seed = 4, ranges = [
  { key = "arrivals.rate", from = "10/s", to = "1000/s", scale = "log" } ] })");
  EXPECT_NE(again.axes[0].with[0].values, keys[0].values);
}

TEST(Designs, sample_has_the_same_bits_in_every_build) {
  const Scenario scenario = read(R"(sample = { points = 4, ranges = [
  { key = "arrivals.rate", from = "10/s", to = "1000/s", scale = "log" },
  { key = "producer.timeout", from = "1s", to = "2s" } ] })");
  EXPECT_THAT(
      scenario.axes[0].with[0].values,
      ElementsAre(
          "274.968415459/s", "27.4968415459/s", "86.9526477457/s", "869.526477457/s"));
  EXPECT_THAT(
      scenario.axes[0].with[1].values,
      ElementsAre(
          "1.86505454488s", "1.36505454488s", "1.61505454488s", "1.11505454488s"));
}

TEST(Designs, every_part_of_every_dimension_has_one_point) {
  constexpr std::size_t count = 64;
  for (const auto& points : {sobol_points(count, 20, 5), latin_hypercube(count, 20, 5)}) {
    for (std::size_t dimension = 0; dimension < 20; ++dimension) {
      std::set<double> parts;
      for (const UnitPoint& point : points) {
        EXPECT_GT(point[dimension], 0);
        EXPECT_LT(point[dimension], 1);
        parts.insert(std::floor(point[dimension] * count));
      }
      EXPECT_EQ(parts.size(), count) << dimension;
    }
  }
}

TEST(Designs, sobol_points_fill_squares_too) {
  // The first two dimensions are a (0, 2)-sequence, which a shift of bits keeps: of 64
  // points every square of an 8 by 8 board holds one.
  std::set<std::pair<double, double>> squares;
  for (const UnitPoint& point : sobol_points(64, 2, 9)) {
    squares.insert({std::floor(point[0] * 8), std::floor(point[1] * 8)});
  }
  EXPECT_EQ(squares.size(), 64U);
  EXPECT_NE(sobol_points(64, 2, 9), sobol_points(64, 2, 10));
}

TEST(Designs, horizon_may_be_an_axis_and_the_longest_decides_the_samples) {
  const std::string text =
      "[arrivals]\nrate = \"1/s\"\n[consumers]\ncount = 3\nservice = "
      "\"1s\"\n[sweep]\naxes = [ { key = \"simulation.horizon\", "
      "values = [\"10min\", \"2h\", \"1h\"] } ]";
  const Scenario scenario = read_scenario_text(text, "x.toml");
  EXPECT_TRUE(scenario.axes[0].touches_control);
  EXPECT_EQ(at_cell(scenario, {0}).system.horizon, std::chrono::minutes{10});
  EXPECT_EQ(at_cell(scenario, {0}).system.sample_interval, std::chrono::seconds{12});
  EXPECT_EQ(scenario.system.sample_interval, std::chrono::seconds{12});
}

struct Broken {
  const char* sweep;
  const char* start;
  const char* words;
};

TEST(Designs, what_is_wrong_is_said_at_its_place) {
  const Broken all[] = {
      {"axes = [ { zip = [ { key = \"arrivals.rate\", values = [\"1/s\"] }, { key = "
       "\"consumers.count\", values = [1, 2] } ] } ]",
       "x.toml:42:65: sweep.axes.0.zip.1: ",
       "has 2 values where arrivals.rate has 1"},
      {"axes = [ { key = \"arrivals.rate\", zip = [ { key = \"consumers.count\", values "
       "= "
       "[1] } ] } ]",
       "x.toml:42:18: sweep.axes.0.key: ",
       "beside zip"},
      {"axes = [ { } ]", "x.toml:42:10: sweep.axes.0.key: ", "is missing"},
      {"axes = [ { zip = [] } ]", "x.toml:42:18: ", "is empty"},
      {"axes = [ { zip = [ { key = \"consumers.service.mean\", values = [\"1s\"] }, { "
       "key "
       "= \"consumers.service.rate\", values = [\"1/s\"] } ] } ]",
       "x.toml:42:81: sweep.axes.0.zip.1.key: ",
       "says the same"},
      {"axes = [ { zip = [ { key = \"consumers.count\", values = [1, 1] }, { key = "
       "\"producer.max_attempts\", values = [1, 2] } ] } ]",
       "x.toml:42:60: consumers.count: ",
       "first key of a zip"},
      {"axes = [ { key = \"consumers.count\", values = [1] }, { zip = [ { key = "
       "\"consumers.count\", values = [2] } ] } ]",
       "x.toml:42:53: consumers.count: ",
       "an axis already"},
      {"derived = 3", "x.toml:42:11: sweep.derived: ", "expected a table"},
      {"derived = { producer.timeout = 3 }", "x.toml:42:32: ", "expression in quotes"},
      {"derived = { producer.timout = \"3s\" }",
       "x.toml:42:22: producer.timout: ",
       "did you mean producer.timeout?"},
      {"derived = { producer.timeout = \"3 * consumers.service.men\" }",
       "x.toml:42:37: consumers.service.men: ",
       "did you mean consumers.service.mean?"},
      {"derived = { producer.timeout = \"3 * consumers.count-1\" }",
       "x.toml:42:37: consumers.count-1: ",
       "a minus has a space on each side"},
      {"derived = { producer.timeout = \"3 ** 2\" }",
       "x.toml:42:36: producer.timeout: ",
       "where a number or a key is due"},
      {"derived = { producer.timeout = \"\"\"\n  3s +\n  +* 1\"\"\" }",
       "x.toml:44:4: producer.timeout: ",
       "where a number or a key is due"},
      {"derived = { producer.timeout = \"3 * consumers.count\" }",
       "x.toml:42:32: producer.timeout: ",
       "comes to a plain number (expected a duration)"},
      {"derived = { producer.timeout = \"3 * arrivals.rate\" }",
       "x.toml:42:32: producer.timeout: ",
       "comes to a rate (expected a duration)"},
      {"derived = { producer.timeout = \"1s - 3s\" }",
       "x.toml:42:32: producer.timeout: ",
       "negative"},
      {"derived = { consumers.count = \"5 / 2\" }",
       "x.toml:42:31: consumers.count: ",
       "comes to 2.5 (expected a whole number; ceil, floor or round make one)"},
      {"derived = { consumers.count = \"0 - 5\" }",
       "x.toml:42:31: consumers.count: ",
       "out of range"},
      {"derived = { queue.order = \"3\" }", "x.toml:42:19: queue.order: ", "be derived"},
      {"derived = { simulation.warmup = \"3s\" }", "x.toml:42:24: ", "be derived"},
      {"derived = { consumers.service.mean = \"1s\", consumers.service.rate = \"1/s\" }",
       "x.toml:42:62: consumers.service.rate: ",
       "says the same"},
      {"derived = { producer.timeout = \"objective.latency / 2\", objective.latency = "
       "\"2 "
       "* producer.timeout\" }",
       "x.toml:42:32: producer.timeout: ",
       "depends on itself (producer.timeout needs objective.latency needs "
       "producer.timeout)"},
      {"derived = { consumers.count = \"consumers.count + 1\" }",
       "x.toml:42:31: consumers.count: ",
       "depends on itself"},
      {"derived = { producer.timeout = \"3s\" }\naxes = [ { key = \"producer.timeout\", "
       "values = [\"1s\"] } ]",
       "x.toml:42:32: producer.timeout: ",
       "is derived, and producer.timeout an axis"},
      {"derived = { producer.timeout = \"arrivals.on_rate * 1s * 1s\" }",
       "x.toml:42:33: producer.timeout: ",
       "it belongs to process on_off"},
      {"derived = { producer.timeout = \"arrivals.rates * 1s * 1s\" }",
       "x.toml:42:33: producer.timeout: ",
       "arrivals.rates, which has no value here"},
      {"where = \"consumers.count\"",
       "x.toml:42:9: sweep.where: ",
       "expected a condition"},
      {"where = \"consumers.count > 99\"\naxes = [ { key = \"consumers.count\", values = "
       "[1, 2] } ]",
       "x.toml:42:9: sweep.where: ",
       "is false for every cell"},
      {"where = \"arrivals.rate < 20 * consumers.count\"\naxes = [ { key = "
       "\"consumers.count\", values = [1, 2] } ]",
       "x.toml:42:24: sweep.where: ",
       "a rate and a plain number beside <"},
      {"where = \"1 / (consumers.count - 2) > 0\"\naxes = [ { key = \"consumers.count\", "
       "values = [1, 2] } ]",
       "x.toml:42:12: sweep.where: ",
       "divides by zero [in the cell consumers.count = 2]"},
      {"sample = { points = 8 }", "x.toml:42:1: sweep.sample.ranges: ", "is missing"},
      {"sample = { ranges = [ { key = \"consumers.count\", from = 1, to = 2 } ] }",
       "x.toml:42:1: sweep.sample.points: ",
       "is missing"},
      {"sample = { points = 8, ranges = [ { key = \"consumers.count\", from = 2, to = 2 "
       "} "
       "] }",
       "x.toml:42:77: sweep.sample.ranges.0.to: ",
       "is not more than from"},
      {"sample = { points = 8, ranges = [ { key = \"consumers.count\", from = 2 } ] }",
       "x.toml:42:35: sweep.sample.ranges.0.to: ",
       "is missing"},
      {"sample = { points = 8, ranges = [ { key = \"consumers.count\" } ] }",
       "x.toml:42:35: sweep.sample.ranges.0: ",
       "has no values"},
      {"sample = { points = 8, ranges = [ { key = \"incident.outage.fraction\", from = "
       "0, "
       "to = 1, scale = \"log\" } ] }",
       "x.toml:42:78: sweep.sample.ranges.0.from: ",
       "has no logarithm"},
      {"sample = { points = 8, ranges = [ { key = \"queue.order\", from = \"fifo\", to = "
       "\"lifo\" } ] }",
       "x.toml:42:65: sweep.sample.ranges.0.from: ",
       "no values between"},
      {"sample = { points = 8, method = \"halton\" }",
       "x.toml:42:33: ",
       "sobol or latin"},
      {"sample = { points = 8 }\npoints = { file = \"a.csv\" }",
       "x.toml:43:1: sweep.points: ",
       "beside sample"},
      {"points = { file = \"missing.csv\" }",
       "x.toml:42:19: sweep.points.file: ",
       "missing.csv: cannot be opened"},
  };
  for (const Broken& broken : all) {
    const std::string message = message_of(broken.sweep);
    EXPECT_THAT(message, StartsWith(broken.start)) << broken.sweep;
    EXPECT_THAT(message, HasSubstr(broken.words)) << broken.sweep;
  }
}

TEST(Designs, options_do_not_take_keys_apart_that_move_together) {
  EXPECT_THAT(
      message_of("axes = [ { zip = [ { key = \"arrivals.rate\", values = [\"1/s\"] "
                 "}, { key = \"consumers.count\", values = [1] } ] } ]",
                 {.set = {}, .sweep = {"consumers.count=1,2"}}),
      StartsWith("--sweep #1: consumers.count: moves together with other keys"));
}

TEST(Designs, what_is_wrong_in_a_file_of_points_is_said_at_its_place_there) {
  const Broken all[] = {
      {"", "points.csv: is empty", ""},
      {"arrivals.rate\n", "points.csv: has no points", ""},
      {"arrivals.rate,consumers.cont\n1/s,2\n",
       "points.csv:1:15: consumers.cont: ",
       "did you mean consumers.count?"},
      {"consumers.count,consumers.count\n1,2\n", "points.csv:1:17: ", "says the same"},
      {"arrivals.rate,consumers.count\n1/s,2\n1/s, 2.5\n",
       "points.csv:3:6: consumers.count: ",
       "whole number"},
      {"arrivals.rate,consumers.count\n1/s\n", "points.csv:2:1: ", "has 1 values for 2"},
      {"arrivals.rate,consumers.count\n1/s,\n",
       "points.csv:2:5: consumers.count: ",
       "has no value (expected a whole number"},
      {"arrivals.rate\n12\n", "points.csv:2:1: arrivals.rate: ", "no unit"},
  };
  for (const Broken& broken : all) {
    write_file("points.csv", broken.sweep);
    const std::string message = message_of("points = { file = \"points.csv\" }");
    EXPECT_THAT(message, StartsWith(broken.start)) << broken.sweep;
    EXPECT_THAT(message, HasSubstr(broken.words)) << broken.sweep;
  }
  // What is wrong only together is said of the cell.
  write_file("points.csv", "incident.outage.duration\n1min\n2h\n");
  EXPECT_THAT(message_of("points = { file = \"points.csv\" }"),
              HasSubstr("[in the cell point = 1, incident.outage.duration = 2h]"));
}

}  // namespace
}  // namespace basin
