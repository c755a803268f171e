#include "experiments/slurm_job.h"

#include <chrono>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace basin {
namespace {

using testing::HasSubstr;
using testing::Not;

SlurmJob job() {
  return {.name = "basin-map",
          .program = "/opt/my programs/basin",
          .sweep = {"/data/s.toml", "--set", "name=it's $HOME"},
          .output = "/data/F.h5",
          .tasks = 200,
          .memory_bytes = std::nullopt,
          .time_limit = std::nullopt,
          .sbatch = {}};
}

TEST(SlurmJob, words_of_any_kind_stay_one_word) {
  EXPECT_EQ(shell_word("plain-1.2/x=3"), "plain-1.2/x=3");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("$(rm x)"), "'$(rm x)'");
  EXPECT_THROW(shell_word("a\nb"), std::invalid_argument);
}

TEST(SlurmJob, the_array_has_a_place_for_each_task) {
  const std::string script = slurm_script(job());
  EXPECT_THAT(script, HasSubstr("--array=0-199"));
  EXPECT_THAT(script, HasSubstr("--shard \"$((SLURM_ARRAY_TASK_ID + 1))/200\""));
  EXPECT_THAT(script,
              HasSubstr("exec '/opt/my programs/basin' sweep /data/s.toml --set "
                        "'name=it'\\''s $HOME' -o /data/F.h5 --threads 1"));
  EXPECT_THAT(script, HasSubstr("--dependency=afterany:\"$array\""));
  EXPECT_THAT(script, Not(HasSubstr("--time")));
}

TEST(SlurmJob, tasks_stop_before_their_time_is_up) {
  SlurmJob limited = job();
  limited.time_limit = std::chrono::hours{3};
  limited.sbatch = {"--partition=long"};
  limited.memory_bytes = std::int64_t{2} << 30;
  const std::string script = slurm_script(limited);
  EXPECT_THAT(script, HasSubstr("--time=3:00:00 --partition=long"));
  EXPECT_THAT(script, HasSubstr("--time-limit 10584s"));  // 98% of it
  EXPECT_THAT(script, HasSubstr("--mem=2560M"));
  EXPECT_THAT(script, HasSubstr("--memory 2147483648"));
}

TEST(SlurmJob, the_most_tasks_are_those_of_the_configuration) {
  EXPECT_EQ(most_array_tasks("Foo = 3\nMaxArraySize            = 4001\nBar = 1\n"),
            4001U);
  EXPECT_EQ(most_array_tasks(""), 1001U);
}

}  // namespace
}  // namespace basin
