#include "experiments/netcdf_attributes.h"

#include <limits>
#include <numeric>
#include <vector>

#include "experiments/utf8.h"

namespace basin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool is_float(NetcdfType type) {
  return type == NetcdfType::float32 || type == NetcdfType::float64;
}

// HDF5 converts between the types.
void write_values(const H5::H5Object& object,
                  const std::string& name,
                  const H5::DataType& stored_type,
                  const H5::DataType& given_type,
                  const void* values,
                  const H5::DataSpace& space = H5::DataSpace(H5S_SCALAR)) {
  object.createAttribute(name, stored_type, space).write(given_type, values);
}

}  // namespace

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

H5::DataType utf8_text_type() {
  H5::StrType type(H5::PredType::C_S1, H5T_VARIABLE);
  type.setCset(H5T_CSET_UTF8);
  return H5::DataType(type.getId());  // shares the id
}

H5::DataType file_type(NetcdfType type) {
  switch (type) {
    case NetcdfType::int8:
      return H5::PredType::STD_I8LE;
    case NetcdfType::int64:
      return H5::PredType::STD_I64LE;
    case NetcdfType::float32:
      return H5::PredType::IEEE_F32LE;
    case NetcdfType::float64:
      return H5::PredType::IEEE_F64LE;
    case NetcdfType::text:
      return utf8_text_type();
  }
  return {};
}

void write_attribute(const H5::H5Object& object,
                     const std::string& name,
                     const std::string& text) {
  const std::string valid = valid_utf8(text);
  const char* characters = valid.c_str();
  write_values(object, name, utf8_text_type(), utf8_text_type(), &characters);
}

void write_attribute(const H5::H5Object& object,
                     const std::string& name,
                     std::int64_t value) {
  write_values(object, name, H5::PredType::STD_I64LE, H5::PredType::NATIVE_INT64, &value);
}

void write_attribute(const H5::H5Object& object, const std::string& name, double value) {
  write_values(
      object, name, H5::PredType::IEEE_F64LE, H5::PredType::NATIVE_DOUBLE, &value);
}

namespace {

void set_flags(const H5::DataSet& dataset, const std::vector<std::string>& meanings) {
  const hsize_t count = meanings.size();
  std::vector<std::int8_t> values(count);
  std::iota(values.begin(), values.end(), std::int8_t{0});
  write_values(dataset,
               "flag_values",
               H5::PredType::STD_I8LE,
               H5::PredType::NATIVE_INT8,
               values.data(),
               H5::DataSpace(1, &count));
  std::string words;
  for (const std::string& meaning : meanings) {
    words += (words.empty() ? "" : " ") + meaning;
  }
  write_attribute(dataset, "flag_meanings", words);
}

}  // namespace

std::string read_text(const H5::Attribute& attribute) {
  if (attribute.getTypeClass() != H5T_STRING) {
    return "";
  }
  const H5::StrType type = attribute.getStrType();
  std::string text;
  if (!type.isVariableStr()) {
    attribute.read(type, text);
    return text;
  }
  // HDF5 reads an empty text as a null pointer, of which its own way to a std::string
  // knows nothing.
  char* characters = nullptr;
  attribute.read(type, static_cast<void*>(&characters));
  text = characters == nullptr ? "" : characters;
  H5free_memory(characters);
  return text;
}

void describe(const H5::DataSet& dataset, const NetcdfVariable& variable) {
  write_attribute(dataset, "long_name", variable.long_name);
  if (!variable.unit.empty()) {
    write_attribute(dataset, "units", variable.unit);
  }
  if (!variable.comment.empty()) {
    write_attribute(dataset, "comment", variable.comment);
  }
  if (is_float(variable.type)) {
    write_values(dataset,
                 "_FillValue",
                 file_type(variable.type),
                 H5::PredType::NATIVE_DOUBLE,
                 &nan);
  } else if (variable.missing) {
    write_values(dataset,
                 "_FillValue",
                 H5::PredType::STD_I8LE,
                 H5::PredType::NATIVE_INT8,
                 &*variable.missing);
  }
  if (!variable.meanings.empty()) {
    set_flags(dataset, variable.meanings);
  }
  if (variable.is_bool) {
    write_attribute(dataset, "dtype", std::string{"bool"});
  }
}

void set_fill(const H5::DSetCreatPropList& creation, const NetcdfVariable& variable) {
  if (is_float(variable.type)) {
    creation.setFillValue(H5::PredType::NATIVE_DOUBLE, &nan);
  } else if (variable.missing) {
    creation.setFillValue(H5::PredType::NATIVE_INT8, &*variable.missing);
  }
}

}  // namespace basin
