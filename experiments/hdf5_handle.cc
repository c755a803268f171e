#include "experiments/hdf5_handle.h"

#include <string_view>

namespace basin {
namespace {

// The text between `from` and the next `to`, or nothing.
std::string between(std::string_view text, std::string_view from, char to) {
  const std::size_t start = text.find(from);
  if (start == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(start + from.size());
  return std::string(text.substr(0, text.find(to)));
}

herr_t take_first(unsigned position, const H5E_error2_t* error, void* result) {
  if (position == 0 && error->desc != nullptr) {
    *static_cast<std::string*>(result) = error->desc;
  }
  return 0;
}

std::string last_error() {
  std::string description;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &description);
  if (description.empty()) {
    return "HDF5 gives no reason";
  }
  const std::string system_message = between(description, "error message = '", '\'');
  std::string reason = system_message.empty() ? "HDF5: " + description : system_message;
  if (description.find("lock file") != std::string::npos) {
    reason +=
        " (the file system may know no locks; HDF5_USE_FILE_LOCKING=FALSE does without)";
  }
  return reason;
}

}  // namespace

// After a failed close (a full disk) HDF5 keeps the file's id but not the file, and its
// clean-up at exit would follow the dangling pointer. All files are closed by name, so
// that clean-up has nothing to do. This works only before HDF5's first call in the
// process.
void initialize_hdf5() {
  static const bool once = [] {
    H5dont_atexit();
    return H5open() >= 0;
  }();
  static_cast<void>(once);
}

Hdf5Error::Hdf5Error() : std::runtime_error{last_error()} {}

}  // namespace basin
