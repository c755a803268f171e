// HDF5's errors as exceptions with their root cause, and none of them on standard error.
// For .cc files only.
#pragma once

#include <stdexcept>
#include <string>

#include <H5Cpp.h>

namespace basin {

// what() is the root cause, as a phrase for people.
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// While one lives, HDF5 prints no errors in this thread, and the cause of the first one
// is kept: by the time a caller sees an exception, HDF5 has forgotten it.
class Hdf5Errors {
 public:
  Hdf5Errors();
  ~Hdf5Errors();
  Hdf5Errors(const Hdf5Errors&) = delete;
  Hdf5Errors& operator=(const Hdf5Errors&) = delete;
  Hdf5Errors(Hdf5Errors&&) = delete;
  Hdf5Errors& operator=(Hdf5Errors&&) = delete;

  Hdf5Error error() const;

 private:
  std::string description_;
  H5E_auto2_t function_before_ = nullptr;
  void* data_before_ = nullptr;
};

// Runs an operation on HDF5 objects; what fails in it becomes an Hdf5Error.
template <class Operation>
auto with_hdf5(Operation&& operation) {
  const Hdf5Errors errors;
  try {
    return operation();
  } catch (const H5::Exception&) {
    throw errors.error();
  }
}

// The result of a call of HDF5's C interface, for what the C++ one lacks (dimension
// scales, the order of links).
inline void check(herr_t result) {
  if (result < 0) {
    throw H5::Exception{};
  }
}

// After a failed close of a file (a full disk) HDF5 keeps the file's id but not the file,
// and its clean-up at exit follows the dangling pointer. From this call on the process
// leaves, with its own status and its streams flushed, before that clean-up.
void leave_without_hdf5_clean_up();

}  // namespace basin
