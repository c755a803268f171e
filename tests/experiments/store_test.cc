#include "experiments/store.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/contract.h"
#include "experiments/build_info.h"
#include "experiments/record_columns.h"
#include "tests/experiments/synthetic_cells.h"
#include "tests/temporary_folder.h"

namespace basin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

// An empty folder of the test's own.
class SweepFileTest : public testing::Test {
 protected:
  std::string path(const std::string& name = "out.h5") const {
    return folder_.file(name);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  static void put(const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
  }
  static std::string content(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  TemporaryFolder folder_;
};

SyntheticSweep two_axes() {
  return synthetic_sweep({numeric_axis("arrivals.rate", "1/s", {1, 2, 3}),
                          named_axis("queue.broker", {"kafka", "sqs"})});
}

void write_all_cells(SweepFile& file, const SyntheticSweep& sweep) {
  const auto places = all_places(sweep.scenario.axes);
  for (std::size_t cell = 0; cell < places.size(); ++cell) {
    file.write_cell(synthetic_cell(sweep, places[cell], cell));
  }
}

std::optional<OutputError> error_of(const std::string& path,
                                    const SyntheticSweep& sweep) {
  try {
    SweepFile file(path, sweep.layout());
    write_all_cells(file, sweep);
    file.commit();
  } catch (const OutputError& error) {
    return error;
  }
  return std::nullopt;
}

TEST_F(SweepFileTest, file_appears_under_its_name_when_committed_and_alone) {
  const SyntheticSweep sweep = two_axes();
  SweepFile file(path(), sweep.layout());
  write_all_cells(file, sweep);
  EXPECT_FALSE(fs::exists(path()));
  file.commit();
  EXPECT_THAT(files(), ElementsAre("out.h5"));
  EXPECT_EQ(content(path()).substr(1, 3), "HDF");
}

TEST_F(SweepFileTest, without_commit_nothing_is_left) {
  {
    const SyntheticSweep sweep = two_axes();
    SweepFile file(path(), sweep.layout());
    write_all_cells(file, sweep);
    EXPECT_EQ(files().size(), 1U);
  }
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(SweepFileTest, existing_file_is_as_before_until_it_is_replaced) {
  put(path(), "precious");
  const SyntheticSweep sweep = two_axes();
  {
    SweepFile file(path(), sweep.layout());
    write_all_cells(file, sweep);
  }
  EXPECT_EQ(content(path()), "precious");
  EXPECT_EQ(error_of(path(), sweep), std::nullopt);
  EXPECT_NE(content(path()), "precious");
  EXPECT_THAT(files(), ElementsAre("out.h5"));
}

TEST_F(SweepFileTest, two_files_may_be_written_to_one_path_and_the_last_one_stays) {
  const SyntheticSweep sweep = two_axes();
  SweepFile first(path(), sweep.layout());
  SweepFile second(path(), sweep.layout());
  first.commit();
  second.commit();
  EXPECT_THAT(files(), ElementsAre("out.h5"));
}

TEST_F(SweepFileTest, link_is_followed_and_stays_a_link) {
  fs::create_directory(folder_.path() / "elsewhere");
  put(path("elsewhere/real.h5"), "old");
  fs::create_symlink(path("elsewhere/real.h5"), path());
  EXPECT_EQ(error_of(path(), two_axes()), std::nullopt);
  EXPECT_TRUE(fs::is_symlink(path()));
  EXPECT_NE(content(path("elsewhere/real.h5")), "old");
}

TEST_F(SweepFileTest, permissions_are_those_of_an_ordinary_new_file) {
  const mode_t mask = ::umask(0027);
  EXPECT_EQ(error_of(path(), two_axes()), std::nullopt);
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(SweepFileTest, missing_folder_is_an_output_error_that_names_file_and_reason) {
  const auto error = error_of(path("not/there.h5"), two_axes());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->path(), path("not/there.h5"));
  EXPECT_EQ(error->reason(), "No such file or directory");
  EXPECT_THAT(error->what(),
              HasSubstr("cannot write " + path("not/there.h5") + ": No such"));
}

TEST_F(SweepFileTest, folder_empty_name_or_device_as_target_is_an_output_error) {
  const auto folder_error = error_of(folder_.path().string(), two_axes());
  ASSERT_TRUE(folder_error);
  EXPECT_EQ(folder_error->reason(), "Is a directory");
  EXPECT_TRUE(error_of("", two_axes()));
  EXPECT_TRUE(error_of("/dev/null", two_axes()));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(error_of(path(std::string(300, 'x')), two_axes()));
  EXPECT_THAT(files(), ElementsAre());
}

// For the superuser every folder is writable, so that the test becomes somebody else.
TEST_F(SweepFileTest, folder_or_file_without_permission_is_an_output_error) {
  const bool is_superuser = ::geteuid() == 0;
  put(path("read_only.h5"), "precious");
  fs::permissions(path("read_only.h5"), fs::perms{0444});
  fs::permissions(folder_.path(), fs::perms{is_superuser ? 0777U : 0700U});
  if (is_superuser) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto file_error = error_of(path("read_only.h5"), two_axes());
  if (is_superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  fs::permissions(folder_.path(), fs::perms{0555});
  if (is_superuser) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto folder_error = error_of(path(), two_axes());
  if (is_superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_TRUE(folder_error);
  EXPECT_EQ(folder_error->reason(), "Permission denied");
  ASSERT_TRUE(file_error);
  EXPECT_EQ(file_error->reason(), "Permission denied");
  EXPECT_EQ(content(path("read_only.h5")), "precious");
  EXPECT_THAT(files(), ElementsAre("read_only.h5"));
}

// The child writes the same sweep with ever more room, until it fits: space runs out
// while the file is laid out, in each cell, and on closing. It ends by exit(), where HDF5
// would crash over a file that it could not close.
[[noreturn]] void write_with_ever_more_room(const std::string& target) {
  std::signal(SIGXFSZ, SIG_IGN);
  const SyntheticSweep sweep = two_axes();
  for (rlim_t room = 0; room < 10'000'000; room += 4'999) {
    const rlimit limit{room, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto error = error_of(target, sweep);
    if (!error) {
      std::exit(room > 50'000 ? 0 : 1);
    }
    const auto begin = fs::directory_iterator(fs::path(target).parent_path());
    const bool is_alone = std::distance(begin, fs::directory_iterator{}) == 1;
    std::ifstream stream(target);
    const std::string before{std::istreambuf_iterator<char>(stream), {}};
    if (error->reason() != "File too large" || !is_alone || before != "precious") {
      std::exit(2);
    }
  }
  std::exit(3);
}

using SweepFileDeathTest = SweepFileTest;

TEST_F(SweepFileDeathTest, full_disk_is_an_output_error_wherever_it_strikes) {
  put(path(), "precious");
  EXPECT_EXIT(write_with_ever_more_room(path()),
              testing::ExitedWithCode(0),
              testing::Matcher<const std::string&>(testing::StrEq("")));
  EXPECT_NE(content(path()), "precious");
}

TEST_F(SweepFileTest, after_an_error_nothing_more_is_written) {
  std::signal(SIGXFSZ, SIG_IGN);
  const SyntheticSweep sweep = two_axes();
  SweepFile file(path(), sweep.layout());
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{1, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &none);
  EXPECT_THROW(write_all_cells(file, sweep), OutputError);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THROW(file.write_cell(synthetic_cell(sweep, {0, 0}, 0)), OutputError);
  EXPECT_THROW(file.commit(), OutputError);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(SweepFileTest, cell_that_does_not_fit_the_layout_breaks_the_contract) {
  const SyntheticSweep sweep = two_axes();
  SweepFile file(path(), sweep.layout());
  EXPECT_THROW(file.write_cell(synthetic_cell(sweep, {0}, 0)), ContractViolation);
  EXPECT_THROW(file.write_cell(synthetic_cell(sweep, {0, 2}, 0)), ContractViolation);
  SyntheticSweep more = sweep;
  more.replications = 4;
  EXPECT_THROW(file.write_cell(synthetic_cell(more, {0, 0}, 0)), ContractViolation);
  more = sweep;
  more.arms.push_back(Arm::unamplified);
  EXPECT_THROW(file.write_cell(synthetic_cell(more, {0, 0}, 0)), ContractViolation);
}

TEST_F(SweepFileTest, bytes_that_are_no_text_do_not_stop_a_file_from_being_written) {
  SyntheticSweep sweep = two_axes();
  sweep.scenario.document.path = "gr\xFC\xDF.toml";
  SweepFile file(path(), sweep.layout());
  CellOutput cell = failed_cell({0, 0});
  cell.message = "\xFF";
  file.write_cell(cell);
  file.commit();
  EXPECT_THAT(content(path()), HasSubstr("gr\xEF\xBF\xBD\xEF\xBF\xBD.toml"));
}

TEST(MetricVariableName, differs_from_every_trajectory_and_from_every_other_metric) {
  std::vector<std::string> names;
  for (const MetricInfo& metric : metric_table) {
    names.push_back(metric_variable_name(metric));
  }
  for (const TrajectoryInfo& trajectory : trajectory_table) {
    names.emplace_back(trajectory.name);
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(DimensionNames, avoid_variables_and_metrics_whatever_the_file_keeps) {
  const std::vector<double> one{1};
  EXPECT_THAT(
      dimension_names({numeric_axis("arrivals.rate", "1/s", one),
                       numeric_axis("objective.recovery_time", "s", one),
                       numeric_axis("objective.goodput", "1", one),
                       numeric_axis("x.depth_p90", "1", one)}),
      ElementsAre("rate", "objective_recovery_time", "objective_goodput", "x_depth_p90"));
}

// FIPS 180-1, appendices A and B, and the empty message.
TEST(ScenarioHash, is_sha_1) {
  EXPECT_EQ(scenario_hash("abc"), "sha1:a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(scenario_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "sha1:84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(scenario_hash(""), "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(BuildInfo, is_filled_in) {
  EXPECT_FALSE(build_info().version.empty());
  EXPECT_GE(build_info().git_revision.size(), 7U);
  EXPECT_FALSE(build_info().flags.empty());
  EXPECT_FALSE(build_info().compiler.empty());
}

}  // namespace
}  // namespace basin
