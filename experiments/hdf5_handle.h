// HDF5's C interface with owned ids and errors as exceptions. For .cc files only.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <hdf5.h>

namespace basin {

// Before any other use of HDF5 in the process; more calls do nothing.
void initialize_hdf5();

// While one lives, HDF5 prints no errors in this thread.
class QuietHdf5 {
 public:
  QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~QuietHdf5() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;
  QuietHdf5(QuietHdf5&&) = delete;
  QuietHdf5& operator=(QuietHdf5&&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// what() is the root cause of the last failed call in this thread, as a phrase for
// people.
class Hdf5Error : public std::runtime_error {
 public:
  Hdf5Error();
};

inline void check(herr_t result) {
  if (result < 0) {
    throw Hdf5Error();
  }
}

// Owns an id.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  // Throws Hdf5Error if the id is that of a failed call.
  Hdf5Handle(hid_t id, Close close_function) : id_{id}, close_{close_function} {
    if (id < 0) {
      throw Hdf5Error();
    }
  }
  // Failure to close is ignored here: close() reports it.
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_{std::exchange(other.id_, H5I_INVALID_HID)}, close_{other.close_} {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;

  hid_t id() const { return id_; }
  // Negative on failure. The id is given up in any case.
  herr_t close() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id >= 0 ? close_(id) : 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace basin
