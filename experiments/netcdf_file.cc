#include "experiments/netcdf_file.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>

#include <hdf5_hl.h>

#include "engine/contract.h"
#include "experiments/hdf5_handle.h"
#include "experiments/pending_file.h"
#include "experiments/utf8.h"

namespace basin {
namespace {

// After a failed close (a full disk) HDF5 keeps the file's id but not the file, and its
// clean-up at exit would follow the dangling pointer. All files are closed here by name,
// so that clean-up has nothing to do. This works only before HDF5's first call in the
// process.
void initialize_hdf5() {
  static const bool once = [] {
    H5dont_atexit();
    return H5open() >= 0;
  }();
  static_cast<void>(once);
}

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

hid_t memory_type(NetcdfType type) {
  switch (type) {
    case NetcdfType::int8:
      return H5T_NATIVE_INT8;
    case NetcdfType::int64:
      return H5T_NATIVE_INT64;
    case NetcdfType::float32:
      return H5T_NATIVE_FLOAT;
    case NetcdfType::float64:
      return H5T_NATIVE_DOUBLE;
    case NetcdfType::text:
      break;
  }
  return H5I_INVALID_HID;
}

hid_t file_type(NetcdfType type) {
  switch (type) {
    case NetcdfType::int8:
      return H5T_STD_I8LE;
    case NetcdfType::int64:
      return H5T_STD_I64LE;
    case NetcdfType::float32:
      return H5T_IEEE_F32LE;
    case NetcdfType::float64:
      return H5T_IEEE_F64LE;
    case NetcdfType::text:
      break;
  }
  return H5I_INVALID_HID;
}

struct Dimension {
  hsize_t length = 0;
  Hdf5Handle scale;
};

struct StoredVariable {
  NetcdfType type = NetcdfType::float64;
  std::vector<hsize_t> shape;
  Hdf5Handle dataset;
};

}  // namespace

OutputError::OutputError(const std::string& path, const std::string& reason)
    : std::runtime_error{"cannot write " + path + ": " + reason},
      path_{path},
      reason_{reason} {}

std::string last_hdf5_error() {
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

class NetcdfFile::Impl {
 public:
  explicit Impl(const std::string& target) : pending_{target} {
    text_type_ = owned(H5Tcopy(H5T_C_S1), H5Tclose);
    check(H5Tset_size(text_type_.id(), H5T_VARIABLE));
    check(H5Tset_cset(text_type_.id(), H5T_CSET_UTF8));
    utf8_link_ = owned(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    check(H5Pset_char_encoding(utf8_link_.id(), H5T_CSET_UTF8));

    // netCDF-4 appends only to files that track the order of their links.
    const Hdf5Handle creation = owned(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    check(H5Pset_link_creation_order(creation.id(),
                                     H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    // The low bound allows attributes over 64 KiB, the high one is read by old programs.
    const Hdf5Handle access = owned(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110));
    file_ = owned(H5Fcreate(pending_.temporary_path().c_str(),
                            H5F_ACC_TRUNC,  // the empty file that pending_ has created
                            creation.id(),
                            access.id()),
                  H5Fclose);
  }

  ~Impl() { static_cast<void>(close_all()); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  // Runs one operation; an error is remembered, since the file is of no use after it.
  void run(const std::function<void()>& operation) {
    if (!failure_.empty()) {
      throw OutputError(pending_.target(), failure_);
    }
    const QuietHdf5 quiet;
    try {
      operation();
    } catch (const OutputError& error) {
      failure_ = error.reason();
      throw;
    }
  }

  void add_coordinate(const std::string& name,
                      NetcdfType type,
                      const std::string& long_name,
                      const std::string& unit,
                      std::size_t length,
                      const void* values) {
    BASIN_EXPECT(length > 0 && !dimensions_.contains(name));
    const hsize_t extent = length;
    const Hdf5Handle space = owned(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    const hid_t stored_type =
        type == NetcdfType::text ? text_type_.id() : file_type(type);
    const hid_t given_type =
        type == NetcdfType::text ? text_type_.id() : memory_type(type);
    Hdf5Handle scale = owned(H5Dcreate2(file_.id(),
                                        name.c_str(),
                                        stored_type,
                                        space.id(),
                                        utf8_link_.id(),
                                        H5P_DEFAULT,
                                        H5P_DEFAULT),
                             H5Dclose);
    check(H5Dwrite(scale.id(), given_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    check(H5DSset_scale(scale.id(), name.c_str()));
    set_attribute(scale.id(), "long_name", long_name);
    if (!unit.empty()) {
      set_attribute(scale.id(), "units", unit);
    }
    dimensions_[name] = Dimension{extent, std::move(scale)};
  }

  std::size_t add_variable(const NetcdfVariable& variable) {
    StoredVariable stored;
    stored.type = variable.type;
    for (const std::string& dimension : variable.dimensions) {
      BASIN_EXPECT(dimensions_.contains(dimension));
      stored.shape.push_back(dimensions_[dimension].length);
    }
    const int rank = static_cast<int>(stored.shape.size());
    const Hdf5Handle space =
        owned(rank == 0 ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(rank, stored.shape.data(), nullptr),
              H5Sclose);
    const Hdf5Handle creation = owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Hdf5Handle access = owned(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    if (variable.compressed) {
      std::vector<hsize_t> chunk(stored.shape.size(), 1);
      chunk.back() = stored.shape.back();
      check(H5Pset_chunk(creation.id(), rank, chunk.data()));
      check(H5Pset_shuffle(creation.id()));
      check(H5Pset_deflate(creation.id(), 4));
      check(H5Pset_fletcher32(creation.id()));
      // Chunks are written whole, once; a cache would only put off errors and hold
      // memory.
      check(H5Pset_chunk_cache(access.id(), 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT));
    }
    const hid_t type =
        variable.type == NetcdfType::text ? text_type_.id() : file_type(variable.type);
    set_fill(creation.id(), variable);
    stored.dataset = owned(H5Dcreate2(file_.id(),
                                      variable.name.c_str(),
                                      type,
                                      space.id(),
                                      utf8_link_.id(),
                                      creation.id(),
                                      access.id()),
                           H5Dclose);
    describe(stored.dataset.id(), variable);
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      check(H5DSattach_scale(stored.dataset.id(),
                             dimensions_[variable.dimensions[d]].scale.id(),
                             static_cast<unsigned>(d)));
    }
    variables_.push_back(std::move(stored));
    return variables_.size() - 1;
  }

  void write(std::size_t number,
             std::span<const std::size_t> leading_indices,
             NetcdfType given,
             std::size_t count,
             const void* values) {
    BASIN_EXPECT(number < variables_.size());
    const StoredVariable& variable = variables_[number];
    BASIN_EXPECT((given == NetcdfType::text) == (variable.type == NetcdfType::text));
    const std::vector<hsize_t>& shape = variable.shape;
    BASIN_EXPECT(leading_indices.size() <= shape.size());
    std::vector<hsize_t> start(shape.size(), 0);
    std::vector<hsize_t> extent = shape;
    for (std::size_t d = 0; d < leading_indices.size(); ++d) {
      BASIN_EXPECT(leading_indices[d] < shape[d]);
      start[d] = leading_indices[d];
      extent[d] = 1;
    }
    BASIN_EXPECT(
        count ==
        std::accumulate(extent.begin(), extent.end(), hsize_t{1}, std::multiplies<>{}));
    const Hdf5Handle file_space = owned(H5Dget_space(variable.dataset.id()), H5Sclose);
    const hsize_t block = count;
    const Hdf5Handle memory_space = owned(H5Screate_simple(1, &block, nullptr), H5Sclose);
    if (!shape.empty()) {
      check(H5Sselect_hyperslab(file_space.id(),
                                H5S_SELECT_SET,
                                start.data(),
                                nullptr,
                                extent.data(),
                                nullptr));
    }
    const hid_t type = given == NetcdfType::text ? text_type_.id() : memory_type(given);
    check(H5Dwrite(variable.dataset.id(),
                   type,
                   memory_space.id(),
                   file_space.id(),
                   H5P_DEFAULT,
                   values));
  }

  void set_attribute(hid_t object, const std::string& name, const std::string& text) {
    const std::string valid = valid_utf8(text);
    const char* characters = valid.c_str();
    set_attribute(object, name, text_type_.id(), text_type_.id(), 1, &characters);
  }
  void set_attribute(hid_t object, const std::string& name, std::int64_t value) {
    set_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &value);
  }
  void set_attribute(hid_t object, const std::string& name, double value) {
    set_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &value);
  }

  hid_t file() const { return file_.id(); }

  void commit() {
    check(close_all());
    pending_.publish();
  }

 private:
  herr_t check(herr_t result) const {
    if (result < 0) {
      throw OutputError(pending_.target(), last_hdf5_error());
    }
    return result;
  }
  Hdf5Handle owned(hid_t id, Hdf5Handle::Close close) const {
    if (id < 0) {
      throw OutputError(pending_.target(), last_hdf5_error());
    }
    return Hdf5Handle{id, close};
  }

  // A count of 1 makes a scalar.
  void set_attribute(hid_t object,
                     const std::string& name,
                     hid_t stored_type,
                     hid_t given_type,
                     std::size_t count,
                     const void* values) {
    const hsize_t extent = count;
    const Hdf5Handle space =
        owned(count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr),
              H5Sclose);
    const Hdf5Handle attribute = owned(
        H5Acreate2(
            object, name.c_str(), stored_type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    check(H5Awrite(attribute.id(), given_type, values));
  }

  void set_fill(hid_t creation, const NetcdfVariable& variable) {
    if (variable.type == NetcdfType::float32 || variable.type == NetcdfType::float64) {
      const double missing = std::numeric_limits<double>::quiet_NaN();
      check(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &missing));
    } else if (variable.missing) {
      check(H5Pset_fill_value(creation, H5T_NATIVE_INT8, &*variable.missing));
    }
  }

  void describe(hid_t dataset, const NetcdfVariable& variable) {
    set_attribute(dataset, "long_name", variable.long_name);
    if (!variable.unit.empty()) {
      set_attribute(dataset, "units", variable.unit);
    }
    if (!variable.comment.empty()) {
      set_attribute(dataset, "comment", variable.comment);
    }
    if (variable.type == NetcdfType::float32 || variable.type == NetcdfType::float64) {
      const double missing = std::numeric_limits<double>::quiet_NaN();
      set_attribute(dataset,
                    "_FillValue",
                    file_type(variable.type),
                    H5T_NATIVE_DOUBLE,
                    1,
                    &missing);
    } else if (variable.missing) {
      set_attribute(
          dataset, "_FillValue", H5T_STD_I8LE, H5T_NATIVE_INT8, 1, &*variable.missing);
    }
    if (!variable.meanings.empty()) {
      std::vector<std::int8_t> values(variable.meanings.size());
      std::iota(values.begin(), values.end(), std::int8_t{0});
      set_attribute(dataset,
                    "flag_values",
                    H5T_STD_I8LE,
                    H5T_NATIVE_INT8,
                    values.size(),
                    values.data());
      std::string words;
      for (const std::string& meaning : variable.meanings) {
        words += (words.empty() ? "" : " ") + meaning;
      }
      set_attribute(dataset, "flag_meanings", words);
    }
    if (variable.is_bool) {
      set_attribute(dataset, "dtype", std::string{"bool"});
    }
  }

  // Closes everything, whatever fails; negative if something did.
  herr_t close_all() {
    const QuietHdf5 quiet;
    herr_t result = 0;
    for (StoredVariable& variable : variables_) {
      result = std::min(result, variable.dataset.close());
    }
    for (auto& [name, dimension] : dimensions_) {
      result = std::min(result, dimension.scale.close());
    }
    return std::min(result, file_.close());
  }

  PendingFile pending_;
  std::string failure_;
  Hdf5Handle text_type_;
  Hdf5Handle utf8_link_;
  Hdf5Handle file_;
  std::map<std::string, Dimension> dimensions_;
  std::vector<StoredVariable> variables_;
};

namespace {

std::vector<const char*> pointers_to(std::span<const std::string> texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) {
    result.push_back(text.c_str());
  }
  return result;
}

std::vector<std::string> all_valid(std::span<const std::string> texts) {
  std::vector<std::string> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) {
    result.push_back(valid_utf8(text));
  }
  return result;
}

}  // namespace

NetcdfFile::NetcdfFile(const std::string& target) {
  initialize_hdf5();
  const QuietHdf5 quiet;
  impl_ = std::make_unique<Impl>(target);
}

NetcdfFile::~NetcdfFile() = default;

void NetcdfFile::add_coordinate(const std::string& name,
                                const std::string& long_name,
                                const std::string& unit,
                                std::span<const double> values) {
  impl_->run([&] {
    impl_->add_coordinate(
        name, NetcdfType::float64, long_name, unit, values.size(), values.data());
  });
}

void NetcdfFile::add_coordinate(const std::string& name,
                                const std::string& long_name,
                                std::span<const std::int64_t> values) {
  impl_->run([&] {
    impl_->add_coordinate(
        name, NetcdfType::int64, long_name, {}, values.size(), values.data());
  });
}

void NetcdfFile::add_coordinate(const std::string& name,
                                const std::string& long_name,
                                std::span<const std::string> values) {
  impl_->run([&] {
    const std::vector<std::string> texts = all_valid(values);
    const std::vector<const char*> pointers = pointers_to(texts);
    impl_->add_coordinate(
        name, NetcdfType::text, long_name, {}, pointers.size(), pointers.data());
  });
}

std::size_t NetcdfFile::add_variable(const NetcdfVariable& variable) {
  std::size_t number = 0;
  impl_->run([&] { number = impl_->add_variable(variable); });
  return number;
}

void NetcdfFile::write(std::size_t variable,
                       std::span<const std::size_t> leading_indices,
                       std::span<const double> values) {
  impl_->run([&] {
    impl_->write(
        variable, leading_indices, NetcdfType::float64, values.size(), values.data());
  });
}

void NetcdfFile::write(std::size_t variable,
                       std::span<const std::size_t> leading_indices,
                       std::span<const float> values) {
  impl_->run([&] {
    impl_->write(
        variable, leading_indices, NetcdfType::float32, values.size(), values.data());
  });
}

void NetcdfFile::write(std::size_t variable,
                       std::span<const std::size_t> leading_indices,
                       std::span<const std::int8_t> values) {
  impl_->run([&] {
    impl_->write(
        variable, leading_indices, NetcdfType::int8, values.size(), values.data());
  });
}

void NetcdfFile::write(std::size_t variable,
                       std::span<const std::size_t> leading_indices,
                       std::span<const std::string> values) {
  impl_->run([&] {
    const std::vector<std::string> texts = all_valid(values);
    const std::vector<const char*> pointers = pointers_to(texts);
    impl_->write(
        variable, leading_indices, NetcdfType::text, pointers.size(), pointers.data());
  });
}

void NetcdfFile::set_attribute(const std::string& name, const std::string& text) {
  impl_->run([&] { impl_->set_attribute(impl_->file(), name, text); });
}

void NetcdfFile::set_attribute(const std::string& name, std::int64_t value) {
  impl_->run([&] { impl_->set_attribute(impl_->file(), name, value); });
}

void NetcdfFile::set_attribute(const std::string& name, double value) {
  impl_->run([&] { impl_->set_attribute(impl_->file(), name, value); });
}

void NetcdfFile::commit() {
  impl_->run([&] { impl_->commit(); });
}

}  // namespace basin
