#include "experiments/existing_output.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <H5Cpp.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace basin {
namespace {

class ExistingOutputTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.file("out.h5");
};

TEST_F(ExistingOutputTest, free_path_holds_none) {
  EXPECT_FALSE(read_existing_output(path_));
}

TEST_F(ExistingOutputTest, file_of_another_program_is_foreign) {
  std::ofstream(path_) << "no HDF5";
  EXPECT_THROW(read_existing_output(path_), ForeignOutput);
  H5::H5File(path_, H5F_ACC_TRUNC).close();
  EXPECT_THROW(read_existing_output(path_), ForeignOutput);
}

// HDF5 gives no characters at all for the second of these.
TEST_F(ExistingOutputTest, text_of_fixed_length_and_text_never_written_can_be_read) {
  {
    const H5::H5File file(path_, H5F_ACC_TRUNC);
    const H5::DataSpace scalar(H5S_SCALAR);
    const H5::StrType five(H5::PredType::C_S1, 5);
    file.createAttribute("scenario_hash", five, scalar).write(five, std::string{"12345"});
    const H5::StrType any(H5::PredType::C_S1, H5T_VARIABLE);
    file.createAttribute("scenario_values", any, scalar);
  }
  const auto existing = read_existing_output(path_);
  ASSERT_TRUE(existing);
  EXPECT_EQ(existing->scenario_hash, "12345");
  EXPECT_EQ(existing->scenario_values, "");
}

}  // namespace
}  // namespace basin
