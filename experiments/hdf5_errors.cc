#include "experiments/hdf5_errors.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
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

// HDF5 calls this where it would print.
herr_t keep_cause(hid_t stack, void* description) {
  if (static_cast<std::string*>(description)->empty()) {
    H5Ewalk2(stack, H5E_WALK_UPWARD, take_first, description);
  }
  return 0;
}

}  // namespace

Hdf5Errors::Hdf5Errors() {
  H5::Exception::getAutoPrint(function_before_, &data_before_);
  H5E_auto2_t keep = keep_cause;
  H5::Exception::setAutoPrint(keep, &description_);
}

Hdf5Errors::~Hdf5Errors() {
  H5::Exception::setAutoPrint(function_before_, data_before_);
}

Hdf5Error Hdf5Errors::error() const {
  if (description_.empty()) {
    return Hdf5Error{"HDF5 gives no reason"};
  }
  const std::string system_message = between(description_, "error message = '", '\'');
  std::string reason = system_message.empty() ? "HDF5: " + description_ : system_message;
  if (description_.find("lock file") != std::string::npos) {
    reason +=
        " (the file system may know no locks; HDF5_USE_FILE_LOCKING=FALSE does without)";
  }
  return Hdf5Error{reason};
}

void leave_without_hdf5_clean_up() {
  // Handlers run in the reverse order of their registration, so this one goes first.
  static const int registered = on_exit(
      [](int status, void*) {
        std::cout.flush();
        std::fflush(nullptr);
        std::_Exit(status);
      },
      nullptr);
  static_cast<void>(registered);
}

}  // namespace basin
