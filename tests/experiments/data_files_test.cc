#include "experiments/data_files.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace basin {
namespace {

using testing::HasSubstr;

class DataFilesTest : public testing::Test {
 protected:
  void write(const std::string& text) {
    std::ofstream(own_folder().file("data_files_test.csv"), std::ios::binary) << text;
  }
  std::vector<double> column(std::string_view name,
                             ColumnContent content,
                             double unit = 1) {
    return *DataFiles(own_folder().path(), true)
                .column("data_files_test.csv", name, content, unit);
  }
  std::string problem(const std::string& text,
                      std::string_view name,
                      ColumnContent content) {
    write(text);
    try {
      column(name, content);
    } catch (const DataFileError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(DataFilesTest, timestamps_count_from_the_first) {
  write("TIMESTAMP,n\r\n2023-11-16 18:17:03.9799600,1\r\n2023-11-16T18:17:04.0319600Z,2");
  const auto times = column("TIMESTAMP", ColumnContent::timestamps);
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0], 0);
  EXPECT_DOUBLE_EQ(times[1], 0.052);
}

TEST_F(DataFilesTest, numbers_take_the_unit) {
  write("1700000000000000000\n1700000000250000000\n");
  EXPECT_EQ(column("0", ColumnContent::timestamps, 1e-9), (std::vector<double>{0, 0.25}));
  write("a,\"b, quoted\"\n1,2\n\n3,4\n");
  EXPECT_EQ(column("b, quoted", ColumnContent::numbers, 60),
            (std::vector<double>{120, 240}));
  EXPECT_EQ(column("1", ColumnContent::numbers), (std::vector<double>{2, 4}));
}

TEST_F(DataFilesTest, offsets_of_time_zones_count) {
  std::int64_t a = 0;
  std::int64_t b = 0;
  ASSERT_TRUE(parse_timestamp("2024-02-29T12:00:00+02:00", a));
  ASSERT_TRUE(parse_timestamp("2024-02-29 10:00:00Z", b));
  EXPECT_EQ(a, b);
  EXPECT_EQ(b, 1'709'200'800'000'000'000);
  for (const char* text : {"2023-02-29 00:00:00",
                           "2023-01-01",
                           "2023-01-01 24:00:00",
                           "2023-01-01 00:00:00.",
                           "2023-01-01 00:00:00 x",
                           "-023-01-01 0"}) {
    EXPECT_FALSE(parse_timestamp(text, a)) << text;
  }
}

TEST_F(DataFilesTest, what_is_wrong_is_named_with_its_line) {
  using enum ColumnContent;
  EXPECT_THAT(problem("t\n1\n2\nx\n", "t", timestamps),
              HasSubstr("data_files_test.csv:4: \"x\" is not a time"));
  EXPECT_THAT(problem("t\n1\n3\n2\n", "t", timestamps),
              HasSubstr("data_files_test.csv:4: \"2\" is earlier than the line before"));
  EXPECT_THAT(problem("t\n1\n-3\n", "t", numbers), HasSubstr("csv:3: \"-3\" is not"));
  EXPECT_THAT(problem("t\nnan\n", "t", numbers), HasSubstr("csv:2: \"nan\" is not"));
  EXPECT_THAT(problem("t,u\n1\n", "u", numbers), HasSubstr("csv:2: has too few columns"));
  EXPECT_THAT(problem("t,u\n1,2\n", "w", numbers), HasSubstr("(its columns are t, u)"));
  EXPECT_THAT(problem("t\n", "t", numbers), HasSubstr("is empty"));
  EXPECT_THAT(problem("", "t", numbers), HasSubstr("is empty"));
}

TEST_F(DataFilesTest, a_file_that_is_not_there_is_named) {
  DataFiles files(own_folder().path(), true);
  EXPECT_THROW(files.column("nowhere.csv", "0", ColumnContent::numbers, 1),
               DataFileError);
  EXPECT_THROW(files.column(".", "0", ColumnContent::numbers, 1), DataFileError);
}

TEST_F(DataFilesTest, a_column_is_read_once) {
  write("1\n2\n");
  DataFiles files(own_folder().path(), true);
  const Column first =
      files.column("data_files_test.csv", "0", ColumnContent::numbers, 1);
  write("3\n");
  EXPECT_EQ(files.column("data_files_test.csv", "0", ColumnContent::numbers, 1), first);
}

}  // namespace
}  // namespace basin
