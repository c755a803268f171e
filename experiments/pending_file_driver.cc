#include "experiments/pending_file_driver.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>

namespace basin {
namespace {

// HDF5 copies it from access_to() to open_file().
struct DriverInfo {
  PendingFile* pending = nullptr;
};

// HDF5 knows an open file by the address of its H5FD_t.
struct OpenFile : H5FD_t {
  explicit OpenFile(PendingFile& pending) : H5FD_t{}, bytes{&pending} {}

  PendingFile* bytes;
  haddr_t end_of_addresses = 0;  // of the space that HDF5 has allotted
  haddr_t end_of_file = 0;
};

OpenFile& own(H5FD_t* file) {
  return *static_cast<OpenFile*>(file);
}
const OpenFile& own(const H5FD_t* file) {
  return *static_cast<const OpenFile*>(file);
}

H5FD_t* open_file(const char* /*name*/,
                  unsigned /*flags*/,
                  hid_t access,
                  haddr_t /*max*/) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(access));
  return info == nullptr ? nullptr : std::make_unique<OpenFile>(*info->pending).release();
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<OpenFile> closed{&own(file)};
  return 0;
}

// As HDF5's driver for POSIX files does.
herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) {
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  }
  return 0;
}

haddr_t get_end_of_addresses(const H5FD_t* file, H5FD_mem_t /*kind*/) {
  return own(file).end_of_addresses;
}

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t /*kind*/, haddr_t end) {
  own(file).end_of_addresses = end;
  return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t /*kind*/) {
  return own(file).end_of_file;
}

herr_t read(H5FD_t* file,
            H5FD_mem_t /*kind*/,
            hid_t /*transfer*/,
            haddr_t offset,
            std::size_t size,
            void* bytes) {
  own(file).bytes->read(offset, {static_cast<std::byte*>(bytes), size});
  return 0;
}

herr_t write(H5FD_t* file,
             H5FD_mem_t /*kind*/,
             hid_t /*transfer*/,
             haddr_t offset,
             std::size_t size,
             const void* bytes) {
  own(file).bytes->write(offset, {static_cast<const std::byte*>(bytes), size});
  own(file).end_of_file = std::max(own(file).end_of_file, offset + size);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  OpenFile& open = own(file);
  if (open.end_of_file != open.end_of_addresses) {
    open.bytes->resize(open.end_of_addresses);
    open.end_of_file = open.end_of_addresses;
  }
  return 0;
}

hid_t register_driver() {
  constexpr H5FD_mem_t kinds[] = H5FD_FLMAP_DICHOTOMY;
  H5FD_class_t driver{};
  driver.name = "basin_pending_file";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = get_end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = get_end_of_file;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  std::ranges::copy(kinds, driver.fl_map);
  return H5FDregister(&driver);
}

}  // namespace

H5::FileAccPropList access_to(PendingFile& file) {
  static const hid_t driver = register_driver();
  const DriverInfo info{.pending = &file};
  H5::FileAccPropList access;
  access.setDriver(driver, &info);
  return access;
}

}  // namespace basin
