#include "experiments/pending_file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "experiments/netcdf_file.h"
#include "tests/temporary_folder.h"

namespace basin {
namespace {

namespace fs = std::filesystem;

class PendingFileTest : public testing::Test {
 protected:
  std::string path() const { return folder_.file("out"); }
  std::string content() const {
    std::ifstream stream(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(PendingFile& file, std::uint64_t offset, std::string_view text) {
    file.write(offset, std::as_bytes(std::span{text}));
  }
  static std::string read(PendingFile& file, std::uint64_t offset, std::size_t size) {
    std::string text(size, '?');
    file.read(offset, std::as_writable_bytes(std::span{text}));
    return text;
  }

  TemporaryFolder folder_;
};

TEST_F(PendingFileTest, holds_what_was_written_and_zeros_elsewhere) {
  PendingFile file(path());
  write(file, 0, "abcdef");
  write(file, 2, "XY");
  EXPECT_EQ(read(file, 1, 4), "bXYe");
  EXPECT_EQ(read(file, 5, 3), (std::string{'f', '\0', '\0'}));
  file.resize(3);
  file.publish();
  EXPECT_EQ(content(), "abX");
}

// For the writer the file stays as if the disk had had room.
TEST_F(PendingFileTest, reads_what_the_full_disk_did_not_take_and_cannot_be_published) {
  std::ofstream(path()) << "before";
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit eight{8, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &eight);
  {
    PendingFile file(path());
    write(file, 0, "abcdef");
    EXPECT_EQ(file.error(), 0);
    write(file, 6, "ghijkl");
    EXPECT_EQ(file.error(), EFBIG);
    write(file, 4, "EFGH");
    file.resize(5);
    write(file, 20, "z");
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(read(file, 0, 12), "abcdEFGHijkl");
    EXPECT_EQ(read(file, 19, 3), (std::string{'\0', 'z', '\0'}));
    EXPECT_THROW(file.publish(), OutputError);
  }
  EXPECT_EQ(content(), "before");
  EXPECT_EQ(
      std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator{}), 1);
}

}  // namespace
}  // namespace basin
