#include "experiments/netcdf_file.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>

#include <hdf5_hl.h>

#include "engine/contract.h"
#include "experiments/hdf5_handle.h"
#include "experiments/netcdf_attributes.h"
#include "experiments/pending_file.h"
#include "experiments/utf8.h"

namespace basin {
namespace {

// Values as HDF5 wants them.
struct Buffer {
  bool is_text = false;
  hid_t type = H5I_INVALID_HID;
  std::size_t count = 0;
  const void* data = nullptr;
  std::vector<std::string> texts = {};
  std::vector<const char*> pointers = {};  // into texts
};

Buffer to_buffer(std::span<const std::int8_t> values) {
  return {.type = H5T_NATIVE_INT8, .count = values.size(), .data = values.data()};
}
Buffer to_buffer(std::span<const std::int64_t> values) {
  return {.type = H5T_NATIVE_INT64, .count = values.size(), .data = values.data()};
}
Buffer to_buffer(std::span<const float> values) {
  return {.type = H5T_NATIVE_FLOAT, .count = values.size(), .data = values.data()};
}
Buffer to_buffer(std::span<const double> values) {
  return {.type = H5T_NATIVE_DOUBLE, .count = values.size(), .data = values.data()};
}
Buffer to_buffer(std::span<const std::string> values) {
  Buffer buffer{.is_text = true, .type = utf8_text_type(), .count = values.size()};
  std::ranges::transform(values, std::back_inserter(buffer.texts), valid_utf8);
  for (const std::string& text : buffer.texts) {
    buffer.pointers.push_back(text.c_str());
  }
  buffer.data = buffer.pointers.data();
  return buffer;
}
Buffer to_buffer(const NetcdfValues& values) {
  return std::visit([](auto span) { return to_buffer(span); }, values);
}

Hdf5Handle make_space(const std::vector<hsize_t>& shape) {
  const int rank = static_cast<int>(shape.size());
  return {
      rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, shape.data(), nullptr),
      H5Sclose};
}

Hdf5Handle properties(hid_t kind) {
  return {H5Pcreate(kind), H5Pclose};
}

Hdf5Handle create_file(const std::string& path) {
  // netCDF-4 appends only to files that track the order of their links.
  const Hdf5Handle creation = properties(H5P_FILE_CREATE);
  check(H5Pset_link_creation_order(creation.id(),
                                   H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  // The low bound allows attributes over 64 KiB, the high one is read by old programs.
  const Hdf5Handle access = properties(H5P_FILE_ACCESS);
  check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110));
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose};
}

struct Dimension {
  hsize_t length = 0;
  Hdf5Handle scale;
};

struct StoredVariable {
  bool is_text = false;
  std::vector<hsize_t> shape;
  Hdf5Handle dataset;
};

}  // namespace

OutputError::OutputError(const std::string& path, const std::string& reason)
    : std::runtime_error{"cannot write " + path + ": " + reason},
      path_{path},
      reason_{reason} {}

class NetcdfFile::Impl {
 public:
  explicit Impl(const std::string& target) : pending_{target} {
    run([&] {
      utf8_link_ = properties(H5P_LINK_CREATE);
      check(H5Pset_char_encoding(utf8_link_.id(), H5T_CSET_UTF8));
      file_ = create_file(pending_.temporary_path());
    });
  }
  ~Impl() { static_cast<void>(close_all()); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Impl(Impl&&) = delete;
  Impl& operator=(Impl&&) = delete;

  // Runs one operation. An error is remembered: the file is of no use after it.
  void run(const std::function<void()>& operation) {
    if (!failure_.empty()) {
      throw OutputError(pending_.target(), failure_);
    }
    const QuietHdf5 quiet;
    try {
      operation();
    } catch (const Hdf5Error& error) {
      failure_ = error.what();
      throw OutputError(pending_.target(), failure_);
    } catch (const OutputError& error) {
      failure_ = error.reason();
      throw;
    }
  }

  hid_t file() const { return file_.id(); }

  void add_coordinate(const std::string& name,
                      const std::string& long_name,
                      const std::string& unit,
                      const NetcdfValues& values) {
    const Buffer buffer = to_buffer(values);
    BASIN_EXPECT(buffer.count > 0 && !dimensions_.contains(name));
    const Hdf5Handle space = make_space({buffer.count});
    Hdf5Handle scale{H5Dcreate2(file_.id(),
                                name.c_str(),
                                buffer.type,
                                space.id(),
                                utf8_link_.id(),
                                H5P_DEFAULT,
                                H5P_DEFAULT),
                     H5Dclose};
    check(H5Dwrite(scale.id(), buffer.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data));
    check(H5DSset_scale(scale.id(), name.c_str()));
    write_attribute(scale.id(), "long_name", long_name);
    if (!unit.empty()) {
      write_attribute(scale.id(), "units", unit);
    }
    dimensions_[name] = Dimension{buffer.count, std::move(scale)};
  }

  std::size_t add_variable(const NetcdfVariable& variable) {
    StoredVariable stored;
    stored.is_text = variable.type == NetcdfType::text;
    for (const std::string& dimension : variable.dimensions) {
      BASIN_EXPECT(dimensions_.contains(dimension));
      stored.shape.push_back(dimensions_[dimension].length);
    }
    const Hdf5Handle space = make_space(stored.shape);
    const Hdf5Handle creation = properties(H5P_DATASET_CREATE);
    const Hdf5Handle access = properties(H5P_DATASET_ACCESS);
    if (variable.compressed) {
      std::vector<hsize_t> chunk(stored.shape.size(), 1);
      chunk.back() = stored.shape.back();
      check(H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()));
      check(H5Pset_shuffle(creation.id()));
      check(H5Pset_deflate(creation.id(), 4));
      check(H5Pset_fletcher32(creation.id()));
      // Chunks are written whole; a cache would put off errors and hold memory.
      check(H5Pset_chunk_cache(access.id(), 0, 0, H5D_CHUNK_CACHE_W0_DEFAULT));
    }
    set_fill(creation.id(), variable);
    stored.dataset = Hdf5Handle{H5Dcreate2(file_.id(),
                                           variable.name.c_str(),
                                           file_type(variable.type),
                                           space.id(),
                                           utf8_link_.id(),
                                           creation.id(),
                                           access.id()),
                                H5Dclose};
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
             const NetcdfValues& values) {
    BASIN_EXPECT(number < variables_.size());
    const StoredVariable& variable = variables_[number];
    const Buffer buffer = to_buffer(values);
    BASIN_EXPECT(buffer.is_text == variable.is_text);
    BASIN_EXPECT(leading_indices.size() <= variable.shape.size());
    std::vector<hsize_t> start(variable.shape.size(), 0);
    std::vector<hsize_t> extent = variable.shape;
    for (std::size_t d = 0; d < leading_indices.size(); ++d) {
      BASIN_EXPECT(leading_indices[d] < extent[d]);
      start[d] = leading_indices[d];
      extent[d] = 1;
    }
    const hsize_t size =
        std::accumulate(extent.begin(), extent.end(), hsize_t{1}, std::multiplies<>{});
    BASIN_EXPECT(buffer.count == size);
    const Hdf5Handle memory = make_space({size});
    const Hdf5Handle place = make_space(variable.shape);
    if (!extent.empty()) {
      check(H5Sselect_hyperslab(
          place.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr));
    }
    check(H5Dwrite(variable.dataset.id(),
                   buffer.type,
                   memory.id(),
                   place.id(),
                   H5P_DEFAULT,
                   buffer.data));
  }

  void commit() {
    check(close_all());
    pending_.publish();
  }

 private:
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
  Hdf5Handle utf8_link_;
  Hdf5Handle file_;
  std::map<std::string, Dimension> dimensions_;
  std::vector<StoredVariable> variables_;
};

NetcdfFile::NetcdfFile(const std::string& target) {
  initialize_hdf5();
  impl_ = std::make_unique<Impl>(target);
}

NetcdfFile::~NetcdfFile() = default;

void NetcdfFile::add_coordinate(const std::string& name,
                                const std::string& long_name,
                                const std::string& unit,
                                const NetcdfValues& values) {
  impl_->run([&] { impl_->add_coordinate(name, long_name, unit, values); });
}

std::size_t NetcdfFile::add_variable(const NetcdfVariable& variable) {
  std::size_t number = 0;
  impl_->run([&] { number = impl_->add_variable(variable); });
  return number;
}

void NetcdfFile::write(std::size_t variable,
                       std::span<const std::size_t> leading_indices,
                       const NetcdfValues& values) {
  impl_->run([&] { impl_->write(variable, leading_indices, values); });
}

void NetcdfFile::set_attribute(const std::string& name, const std::string& text) {
  impl_->run([&] { write_attribute(impl_->file(), name, text); });
}

void NetcdfFile::set_attribute(const std::string& name, std::int64_t value) {
  impl_->run([&] { write_attribute(impl_->file(), name, value); });
}

void NetcdfFile::set_attribute(const std::string& name, double value) {
  impl_->run([&] { write_attribute(impl_->file(), name, value); });
}

void NetcdfFile::commit() {
  impl_->run([&] { impl_->commit(); });
}

}  // namespace basin
