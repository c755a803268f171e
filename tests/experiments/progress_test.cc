#include "experiments/progress.h"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace basin {
namespace {

TEST(Progress, the_bar_tells_share_runs_and_time_left) {
  EXPECT_EQ(progress_bar(25, 100, 10, 60),
            "[#######......................]  25%  25/100 runs  30 s left");
}

TEST(Progress, the_bar_fits_the_narrowest_terminal) {
  for (std::size_t columns = 1; columns < 120; ++columns) {
    for (const std::size_t done : {0U, 1U, 99'999U, 100'000U}) {
      EXPECT_LE(progress_bar(done, 100'000, 12345, columns).size(), columns);
    }
  }
}

TEST(Progress, a_narrow_bar_keeps_the_share_first) {
  EXPECT_EQ(progress_bar(50, 100, 10, 5), " 50%");
}

TEST(Progress, before_the_first_run_ends_nothing_is_said_of_the_time_left) {
  EXPECT_EQ(progress_bar(0, 10, 5, 16), "  0%  0/10 runs");
}

TEST(Progress, the_line_elsewhere_names_the_time_left) {
  EXPECT_EQ(progress_line(100, 400, 60),
            "basin: 100 of 400 runs after 1 min 00 s, about 3 min 00 s left");
}

TEST(Progress, durations_are_rough) {
  EXPECT_EQ(rough_duration(0.4), "0 s");
  EXPECT_EQ(rough_duration(185), "3 min 05 s");
  EXPECT_EQ(rough_duration(2 * 3600 + 7 * 60 + 12), "2 h 07 min");
  EXPECT_EQ(rough_duration(3.2 * 86400), "3 d 4 h");
}

TEST(Progress, as_json_is_an_object_a_line_and_ends_with_the_last_run) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const auto progress = make_progress(ProgressStyle::json, file);
  progress->update(1, 3);  // within a second of the beginning
  progress->update(3, 3);
  std::rewind(file);
  char line[200] = {};
  ASSERT_NE(std::fgets(line, sizeof line, file), nullptr);
  EXPECT_EQ(std::string{line}.substr(0, 31), R"({"done":3,"total":3,"seconds":0)");
  EXPECT_EQ(std::fgets(line, sizeof line, file), nullptr);
  std::fclose(file);
}

}  // namespace
}  // namespace basin
