#include "experiments/cell_keys.h"

#include <set>

#include <gtest/gtest.h>

#include "experiments/runner.h"
#include "experiments/scenario_reader.h"
#include "experiments/sha1.h"

namespace basin {
namespace {

constexpr const char* text = R"(
[arrivals]
rate = "10/s"
[producer]
timeout = "5s"
[consumers]
service = { distribution = "exponential", rate = "20/s" }
[[incident]]
name = "outage"
kind = "consumer_outage"
start = "1min"
duration = "1min"
)";

Scenario scenario(const std::vector<std::string>& sweep,
                  const std::vector<std::string>& set = {}) {
  return read_scenario_text(text, "keys", {.set = set, .sweep = sweep});
}

CellKey key(const Scenario& of, std::size_t cell, Arm arm = Arm::triggered) {
  return CellKeys{of}.of(cell, arm);
}

TEST(CellKeys, are_those_of_the_values_wherever_they_stand) {
  const Scenario narrow =
      scenario({"arrivals.rate=10/s,30/s", "incident.outage.duration=60s,120s"});
  const Scenario wide = scenario(
      {"incident.outage.duration=1min,90s,2min", "arrivals.rate=10/s,20/s,30/s"});
  EXPECT_EQ(key(narrow, 0), key(wide, 0));
  EXPECT_EQ(key(narrow, 3), key(wide, 8));
  EXPECT_NE(key(narrow, 0), key(wide, 1));
  std::set<CellKey> all;
  for (std::size_t cell = 0; cell < 9; ++cell) {
    all.insert(key(wide, cell));
    all.insert(key(wide, cell, Arm::control));
  }
  EXPECT_EQ(all.size(), 9U + 3U);  // a control for each rate
}

TEST(CellKeys, tell_seeds_and_other_values_apart_but_not_replications) {
  const std::vector<std::string> sweep{"arrivals.rate=10/s,30/s"};
  const CellKey plain = key(scenario(sweep), 0);
  EXPECT_NE(key(scenario(sweep, {"simulation.seed=2"}), 0), plain);
  EXPECT_NE(key(scenario(sweep, {"producer.timeout=6s"}), 0), plain);
  EXPECT_EQ(key(scenario(sweep, {"producer.timeout=5000ms"}), 0),
            key(scenario(sweep, {"producer.timeout=5000ms"}), 0));
  EXPECT_EQ(key(scenario(sweep, {"simulation.replications=7"}), 0), plain);
}

TEST(CellKeys, without_shared_random_numbers_each_cell_has_its_own_control) {
  const Scenario own = scenario({"incident.outage.duration=1min,2min"},
                                {"simulation.common_random_numbers=false"});
  EXPECT_NE(key(own, 0, Arm::control), key(own, 1, Arm::control));
  const Scenario shared = scenario({"incident.outage.duration=1min,2min"});
  EXPECT_EQ(key(shared, 0, Arm::control), key(shared, 1, Arm::control));
}

TEST(CellKeys, lead_back_to_their_cells) {
  const Scenario of =
      scenario({"arrivals.rate=10/s,30/s", "incident.outage.duration=60s,120s"});
  const CellKeys keys{of};
  const CellsByKey cells{keys, control_groups(of), true};
  for (std::size_t cell = 0; cell < 4; ++cell) {
    EXPECT_EQ(cells.find(keys.of(cell, Arm::triggered), Arm::triggered), cell);
    EXPECT_EQ(cells.find(keys.of(cell, Arm::control), Arm::control), cell / 2 * 2);
  }
  EXPECT_EQ(cells.find({.high = 1, .low = 2}, Arm::triggered), CellsByKey::nowhere);
}

// FIPS 180-4, appendix A.1.
TEST(Sha1, is_that_of_the_standard) {
  EXPECT_EQ(sha1_text("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1_text_of_file("/no such file"), "");
}

}  // namespace
}  // namespace basin
