#include "experiments/existing_output.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "experiments/hdf5_handle.h"
#include "experiments/store.h"
#include "experiments/text_diff.h"

namespace basin {

namespace {

// A text attribute of the root group, of fixed or variable length.
std::string text_attribute(hid_t file, const char* name) {
  const Hdf5Handle attribute{H5Aopen(file, name, H5P_DEFAULT), H5Aclose};
  const Hdf5Handle type{H5Aget_type(attribute.id()), H5Tclose};
  if (H5Tget_class(type.id()) != H5T_STRING) {
    return "";
  }
  if (H5Tis_variable_str(type.id()) > 0) {
    const Hdf5Handle memory{H5Tcopy(H5T_C_S1), H5Tclose};
    check(H5Tset_size(memory.id(), H5T_VARIABLE));
    check(H5Tset_cset(memory.id(), H5Tget_cset(type.id())));
    char* text = nullptr;
    check(H5Aread(attribute.id(), memory.id(), &text));
    std::string result = text == nullptr ? "" : text;
    check(H5free_memory(text));
    return result;
  }
  std::vector<char> bytes(H5Tget_size(type.id()) + 1, '\0');
  check(H5Aread(attribute.id(), type.id(), bytes.data()));
  return bytes.data();
}

}  // namespace

std::optional<ExistingOutput> read_existing_output(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return std::nullopt;
  }
  const std::string foreign =
      path + " is there and is no output of Basin; nothing was touched";
  if (!std::filesystem::is_regular_file(path, error)) {
    throw ForeignOutput(foreign);
  }
  initialize_hdf5();
  const QuietHdf5 quiet;
  try {
    const Hdf5Handle file{H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
    return ExistingOutput{.scenario_text = text_attribute(file.id(), "scenario"),
                          .scenario_hash = text_attribute(file.id(), "scenario_hash")};
  } catch (const Hdf5Error&) {
    throw ForeignOutput(foreign);
  }
}

void expect_ours(const std::string& path, const Scenario& scenario) {
  const std::optional<ExistingOutput> existing = read_existing_output(path);
  if (!existing || existing->scenario_hash == scenario_hash(scenario.document.text)) {
    return;
  }
  throw ForeignOutput(path + " belongs to another scenario; nothing was touched\n" +
                      text_diff(existing->scenario_text,
                                scenario.document.text,
                                {.from = path, .to = scenario.document.path}));
}

}  // namespace basin
