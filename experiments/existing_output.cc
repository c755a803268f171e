#include "experiments/existing_output.h"

#include <filesystem>
#include <system_error>

#include <H5Cpp.h>

#include "experiments/netcdf_attributes.h"
#include "experiments/scenario_values.h"
#include "experiments/store.h"
#include "experiments/text_diff.h"

namespace basin {

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
  H5::Exception::dontPrint();
  try {
    const H5::H5File file{path, H5F_ACC_RDONLY};
    return ExistingOutput{
        .scenario_values = read_text(file.openAttribute("scenario_values")),
        .scenario_hash = read_text(file.openAttribute("scenario_hash"))};
  } catch (const H5::Exception&) {
    throw ForeignOutput(foreign);
  }
}

void expect_ours(const std::string& path, const Scenario& scenario) {
  const std::optional<ExistingOutput> existing = read_existing_output(path);
  const std::string values = scenario_values(scenario);
  if (!existing || existing->scenario_hash == scenario_hash(values)) {
    return;
  }
  throw ForeignOutput(path + " belongs to another scenario; nothing was touched\n" +
                      text_diff(existing->scenario_values,
                                values,
                                {.from = path, .to = scenario.document.path}));
}

}  // namespace basin
