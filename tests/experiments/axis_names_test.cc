#include "experiments/axis_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<std::string>& keys,
                               const std::vector<std::string>& taken = {}) {
  return axis_names(keys, taken);
}

TEST(AxisNames, last_part_of_the_key_where_it_is_free) {
  EXPECT_THAT(names({"arrivals.rate", "incident.outage.duration", "seed"}),
              ElementsAre("rate", "duration", "seed"));
}

TEST(AxisNames, whole_key_where_the_last_part_is_a_method_of_xarray) {
  EXPECT_THAT(
      names({"consumers.count", "x.load", "x.rank", "consumers.service.mean"}),
      ElementsAre("consumers_count", "x_load", "x_rank", "consumers_service_mean"));
}

TEST(AxisNames, whole_key_where_the_last_part_is_taken) {
  EXPECT_THAT(names({"x.time", "x.arm", "x.rate"}, {"time", "arm"}),
              ElementsAre("x_time", "x_arm", "rate"));
}

TEST(AxisNames, whole_key_for_both_where_two_share_a_last_part) {
  EXPECT_THAT(names({"incident.a.duration", "arrivals.rate", "incident.b.duration"}),
              ElementsAre("incident_a_duration", "rate", "incident_b_duration"));
}

TEST(AxisNames, characters_beside_letters_and_digits_become_underscores) {
  EXPECT_THAT(names({"incident.my outage/1.start-at", "incident.größe.end", "x.end"}),
              ElementsAre("start_at", "incident_größe_end", "x_end"));
}

TEST(AxisNames, are_different_in_every_case) {
  EXPECT_THAT(names({"a.b_c.count", "a_b.c.count", "count"}),
              ElementsAre("a_b_c_count", "a_b_c_count_axis", "count_axis"));
  EXPECT_THAT(names({"a.count", "x.a_count"}), ElementsAre("a_count_axis", "a_count"));
  EXPECT_THAT(names({"time"}, {"time"}), ElementsAre("time_axis"));
}

}  // namespace
}  // namespace basin
