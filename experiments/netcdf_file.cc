#include "experiments/netcdf_file.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>

#include <H5Cpp.h>
#include <hdf5_hl.h>

#include "engine/contract.h"
#include "experiments/flat_selection.h"
#include "experiments/netcdf_attributes.h"
#include "experiments/pending_file.h"
#include "experiments/pending_file_driver.h"
#include "experiments/utf8.h"

namespace basin {
namespace {

// Values as HDF5 wants them.
struct Buffer {
  H5::DataType type;
  std::size_t count = 0;
  const void* data = nullptr;
  bool is_text = false;
  std::vector<std::string> texts = {};
  std::vector<const char*> pointers = {};  // into texts
};

Buffer to_buffer(std::span<const std::int8_t> values) {
  return {H5::PredType::NATIVE_INT8, values.size(), values.data()};
}
Buffer to_buffer(std::span<const std::int64_t> values) {
  return {H5::PredType::NATIVE_INT64, values.size(), values.data()};
}
Buffer to_buffer(std::span<const float> values) {
  return {H5::PredType::NATIVE_FLOAT, values.size(), values.data()};
}
Buffer to_buffer(std::span<const double> values) {
  return {H5::PredType::NATIVE_DOUBLE, values.size(), values.data()};
}
Buffer to_buffer(std::span<const std::string> values) {
  Buffer buffer{.type = utf8_text_type(), .count = values.size(), .is_text = true};
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

// For calls of the C interface: the C++ classes know no scales and no order of links.
void check(const char* function, herr_t result) {
  if (result < 0) {
    throw H5::Exception(function, "failed");
  }
}

H5::H5File create_file(PendingFile& pending) {
  // netCDF-4 appends only to files that track the order of their links.
  const H5::FileCreatPropList creation;
  check("H5Pset_link_creation_order",
        H5Pset_link_creation_order(creation.getId(),
                                   H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  // The low bound allows attributes over 64 KiB, the high one is read by old programs.
  const H5::FileAccPropList access = access_to(pending);
  access.setLibverBounds(H5F_LIBVER_V18, H5F_LIBVER_V110);
  return {pending.target(), H5F_ACC_TRUNC, creation, access};
}

struct Dimension {
  hsize_t length = 0;
  H5::DataSet scale;
};

struct StoredVariable {
  bool is_text = false;
  std::vector<hsize_t> shape;
  H5::DataSet dataset;
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
      utf8_link_.setCharEncoding(H5T_CSET_UTF8);
      file_ = create_file(pending_);
    });
  }

  // Runs one operation. An error is remembered: the file is of no use after it.
  void run(const std::function<void()>& operation) {
    if (failure_.empty()) {
      const std::lock_guard lock{hdf5_mutex()};
      H5::Exception::dontPrint();
      try {
        operation();
      } catch (const H5::Exception& error) {
        failure_ = "HDF5: " + error.getFuncName() + ": " + error.getDetailMsg();
      } catch (const OutputError& error) {
        failure_ = error.reason();
      }
      if (pending_.error() != 0) {
        failure_ = std::generic_category().message(pending_.error());
      }
    }
    if (!failure_.empty()) {
      throw OutputError(pending_.target(), failure_);
    }
  }

  const H5::H5File& file() const { return file_; }

  void add_coordinate(const std::string& name,
                      const std::string& long_name,
                      const std::string& unit,
                      const NetcdfValues& values) {
    const Buffer buffer = to_buffer(values);
    BASIN_EXPECT(buffer.count > 0 && !dimensions_.contains(name));
    const H5::DataSet scale = file_.createDataSet(name,
                                                  buffer.type,
                                                  space_of({buffer.count}),
                                                  H5::DSetCreatPropList::DEFAULT,
                                                  H5::DSetAccPropList::DEFAULT,
                                                  utf8_link_);
    scale.write(buffer.data, buffer.type);
    check("H5DSset_scale", H5DSset_scale(scale.getId(), name.c_str()));
    write_attribute(scale, "long_name", long_name);
    if (!unit.empty()) {
      write_attribute(scale, "units", unit);
    }
    dimensions_[name] = Dimension{buffer.count, scale};
  }

  std::size_t add_variable(const NetcdfVariable& variable) {
    StoredVariable stored;
    stored.is_text = variable.type == NetcdfType::text;
    for (const std::string& dimension : variable.dimensions) {
      BASIN_EXPECT(dimensions_.contains(dimension));
      stored.shape.push_back(dimensions_[dimension].length);
    }
    const H5::DSetCreatPropList creation;
    const H5::DSetAccPropList access;
    if (!variable.chunk.empty()) {
      BASIN_EXPECT(variable.chunk.size() == stored.shape.size());
      const std::vector<hsize_t> chunk(variable.chunk.begin(), variable.chunk.end());
      creation.setChunk(static_cast<int>(chunk.size()), chunk.data());
      creation.setShuffle();
      creation.setDeflate(4);
      creation.setFletcher32();
      // Chunks are written whole; a cache would put off errors and hold memory.
      access.setChunkCache(0, 0, H5D_CHUNK_CACHE_W0_DEFAULT);
    }
    set_fill(creation, variable);
    stored.dataset = file_.createDataSet(variable.name,
                                         file_type(variable.type),
                                         space_of(stored.shape),
                                         creation,
                                         access,
                                         utf8_link_);
    describe(stored.dataset, variable);
    for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
      check("H5DSattach_scale",
            H5DSattach_scale(stored.dataset.getId(),
                             dimensions_[variable.dimensions[d]].scale.getId(),
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
    BASIN_EXPECT(leading_indices.size() <= variable.shape.size());
    std::vector<hsize_t> start(variable.shape.size(), 0);
    std::vector<hsize_t> extent = variable.shape;
    for (std::size_t d = 0; d < leading_indices.size(); ++d) {
      BASIN_EXPECT(leading_indices[d] < extent[d]);
      start[d] = leading_indices[d];
      extent[d] = 1;
    }
    const H5::DataSpace place = space_of(variable.shape);
    if (!extent.empty()) {
      place.selectHyperslab(H5S_SELECT_SET, extent.data(), start.data());
    }
    write_selected(variable, place, values);
  }

  void write_flat(std::size_t number,
                  std::size_t dimensions,
                  std::size_t first,
                  const NetcdfValues& values) {
    BASIN_EXPECT(number < variables_.size());
    const StoredVariable& variable = variables_[number];
    const std::size_t each = values_each(variable.shape, dimensions);
    const std::size_t count =
        std::visit([](auto span) { return span.size(); }, values) / each;
    write_selected(
        variable, flat_selection(variable.shape, dimensions, first, count), values);
  }

  void write_chunk(std::size_t number,
                   std::span<const std::size_t> indices,
                   const RawChunk& chunk) {
    BASIN_EXPECT(number < variables_.size());
    const StoredVariable& variable = variables_[number];
    BASIN_EXPECT(indices.size() == variable.shape.size());
    const std::vector<hsize_t> offset(indices.begin(), indices.end());
    check("H5Dwrite_chunk",
          H5Dwrite_chunk(variable.dataset.getId(),
                         H5P_DEFAULT,
                         chunk.filter_mask,
                         offset.data(),
                         chunk.bytes.size(),
                         chunk.bytes.data()));
  }

  void commit() {
    variables_.clear();
    dimensions_.clear();
    file_.close();
    pending_.publish();
  }

 private:
  static void write_selected(const StoredVariable& variable,
                             const H5::DataSpace& place,
                             const NetcdfValues& values) {
    const Buffer buffer = to_buffer(values);
    BASIN_EXPECT(buffer.is_text == variable.is_text);
    const auto size = static_cast<hsize_t>(place.getSelectNpoints());
    BASIN_EXPECT(buffer.count == size);
    if (size > 0) {
      variable.dataset.write(buffer.data, buffer.type, space_of({size}), place);
    }
  }

  PendingFile pending_;
  std::string failure_;
  const H5::LinkCreatPropList utf8_link_;
  // HDF5 closes the file with the last of these, before pending_ goes.
  H5::H5File file_;
  std::map<std::string, Dimension> dimensions_;
  std::vector<StoredVariable> variables_;
};

NetcdfFile::NetcdfFile(const std::string& target)
    : impl_{std::make_unique<Impl>(target)} {}

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

void NetcdfFile::write_flat(std::size_t variable,
                            std::size_t dimensions,
                            std::size_t first,
                            const NetcdfValues& values) {
  impl_->run([&] { impl_->write_flat(variable, dimensions, first, values); });
}

void NetcdfFile::write_chunk(std::size_t variable,
                             std::span<const std::size_t> indices,
                             const RawChunk& chunk) {
  impl_->run([&] { impl_->write_chunk(variable, indices, chunk); });
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
