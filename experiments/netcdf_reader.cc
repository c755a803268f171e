#include "experiments/netcdf_reader.h"

#include <functional>
#include <map>
#include <mutex>

#include <H5Cpp.h>

#include "experiments/flat_selection.h"
#include "experiments/netcdf_attributes.h"

namespace basin {

class NetcdfReader::Impl {
 public:
  explicit Impl(const std::string& path) : path_{path} {
    run([&] { file_.openFile(path, H5F_ACC_RDONLY); });
  }

  const std::string& path() const { return path_; }
  const H5::H5File& file() const { return file_; }

  void run(const std::function<void()>& operation) const {
    const std::lock_guard lock{hdf5_mutex()};
    H5::Exception::dontPrint();
    try {
      operation();
    } catch (const H5::Exception& error) {
      throw InputError(path_,
                       "HDF5: " + error.getFuncName() + ": " + error.getDetailMsg());
    }
  }

  const H5::DataSet& dataset(const std::string& name) {
    const auto known = datasets_.find(name);
    if (known != datasets_.end()) {
      return known->second;
    }
    return datasets_.emplace(name, file_.openDataSet(name)).first->second;
  }

  std::vector<hsize_t> shape(const std::string& name) {
    const H5::DataSpace space = dataset(name).getSpace();
    std::vector<hsize_t> shape(static_cast<std::size_t>(space.getSimpleExtentNdims()));
    if (!shape.empty()) {
      space.getSimpleExtentDims(shape.data());
    }
    return shape;
  }

  template <typename Value>
  std::vector<Value> values(const std::string& name,
                            const H5::DataType& type,
                            std::size_t dimensions,
                            std::size_t first,
                            std::size_t count) {
    const std::vector<hsize_t> shape = this->shape(name);
    if (dimensions > shape.size() ||
        (first + count) * values_each(shape, dimensions) > values_each(shape, 0)) {
      throw InputError(path_, name + " is smaller than it should be");
    }
    std::vector<Value> values(count * values_each(shape, dimensions));
    if (!values.empty()) {
      dataset(name).read(values.data(),
                         type,
                         space_of({values.size()}),
                         flat_selection(shape, dimensions, first, count));
    }
    return values;
  }

 private:
  std::string path_;
  H5::H5File file_;
  std::map<std::string, H5::DataSet> datasets_;
};

NetcdfReader::NetcdfReader(const std::string& path)
    : impl_{std::make_unique<Impl>(path)} {}

NetcdfReader::~NetcdfReader() = default;

const std::string& NetcdfReader::path() const {
  return impl_->path();
}

std::optional<std::string> NetcdfReader::text_attribute(const std::string& name) const {
  std::optional<std::string> text;
  impl_->run([&] {
    if (impl_->file().attrExists(name)) {
      text = read_text(impl_->file().openAttribute(name));
    }
  });
  return text;
}

std::optional<std::int64_t> NetcdfReader::integer_attribute(
    const std::string& name) const {
  std::optional<std::int64_t> result;
  impl_->run([&] {
    if (!impl_->file().attrExists(name)) {
      return;
    }
    const H5::Attribute attribute = impl_->file().openAttribute(name);
    if (attribute.getTypeClass() == H5T_INTEGER) {
      std::int64_t value = 0;
      attribute.read(H5::PredType::NATIVE_INT64, &value);
      result = value;
    }
  });
  return result;
}

bool NetcdfReader::has(const std::string& variable) const {
  bool result = false;
  impl_->run([&] { result = impl_->file().nameExists(variable); });
  return result;
}

std::vector<std::size_t> NetcdfReader::shape(const std::string& variable) const {
  std::vector<std::size_t> result;
  impl_->run([&] {
    const std::vector<hsize_t> shape = impl_->shape(variable);
    result.assign(shape.begin(), shape.end());
  });
  return result;
}

std::vector<double> NetcdfReader::numbers(const std::string& variable,
                                          std::size_t dimensions,
                                          std::size_t first,
                                          std::size_t count) const {
  std::vector<double> result;
  impl_->run([&] {
    result = impl_->values<double>(
        variable, H5::PredType::NATIVE_DOUBLE, dimensions, first, count);
  });
  return result;
}

std::vector<float> NetcdfReader::floats(const std::string& variable,
                                        std::size_t dimensions,
                                        std::size_t first,
                                        std::size_t count) const {
  std::vector<float> result;
  impl_->run([&] {
    result = impl_->values<float>(
        variable, H5::PredType::NATIVE_FLOAT, dimensions, first, count);
  });
  return result;
}

std::vector<std::int64_t> NetcdfReader::integers(const std::string& variable) const {
  std::vector<std::int64_t> result;
  impl_->run([&] {
    result = impl_->values<std::int64_t>(variable, H5::PredType::NATIVE_INT64, 0, 0, 1);
  });
  return result;
}

std::vector<std::string> NetcdfReader::texts(const std::string& variable) const {
  std::vector<std::string> result;
  impl_->run([&] {
    const std::size_t size = values_each(impl_->shape(variable), 0);
    std::vector<char*> pointers(size, nullptr);
    const H5::DataType type = utf8_text_type();
    const H5::DataSet& dataset = impl_->dataset(variable);
    dataset.read(static_cast<void*>(pointers.data()), type);
    for (const char* characters : pointers) {
      result.emplace_back(characters == nullptr ? "" : characters);
    }
    H5Dvlen_reclaim(
        type.getId(), dataset.getSpace().getId(), H5P_DEFAULT, pointers.data());
  });
  return result;
}

std::optional<RawChunk> NetcdfReader::chunk(const std::string& variable,
                                            std::span<const std::size_t> indices) const {
  std::optional<RawChunk> result;
  impl_->run([&] {
    const H5::DataSet& dataset = impl_->dataset(variable);
    const std::vector<hsize_t> offset(indices.begin(), indices.end());
    hsize_t size = 0;
    if (H5Dget_chunk_storage_size(dataset.getId(), offset.data(), &size) < 0) {
      throw H5::DataSetIException("H5Dget_chunk_storage_size", "failed");
    }
    if (size == 0) {
      return;
    }
    RawChunk chunk;
    chunk.bytes.resize(size);
    if (H5Dread_chunk(dataset.getId(),
                      H5P_DEFAULT,
                      offset.data(),
                      &chunk.filter_mask,
                      chunk.bytes.data()) < 0) {
      throw H5::DataSetIException("H5Dread_chunk", "failed");
    }
    result = std::move(chunk);
  });
  return result;
}

}  // namespace basin
