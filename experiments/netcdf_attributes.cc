#include "experiments/netcdf_attributes.h"

#include <limits>
#include <numeric>
#include <vector>

#include "experiments/hdf5_handle.h"
#include "experiments/utf8.h"

namespace basin {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool is_float(NetcdfType type) {
  return type == NetcdfType::float32 || type == NetcdfType::float64;
}

// HDF5 converts between the types. No extent makes a scalar.
void write_values(hid_t object,
                  const std::string& name,
                  hid_t stored_type,
                  hid_t given_type,
                  const void* values,
                  hsize_t extent = 0) {
  const Hdf5Handle space{
      extent == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, nullptr),
      H5Sclose};
  const Hdf5Handle attribute{
      H5Acreate2(object, name.c_str(), stored_type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose};
  check(H5Awrite(attribute.id(), given_type, values));
}

}  // namespace

hid_t utf8_text_type() {
  static const hid_t type = [] {
    const hid_t copy = H5Tcopy(H5T_C_S1);
    H5Tset_size(copy, H5T_VARIABLE);
    H5Tset_cset(copy, H5T_CSET_UTF8);
    return copy;
  }();
  return type;
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
      return utf8_text_type();
  }
  return H5I_INVALID_HID;
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
  const std::string valid = valid_utf8(text);
  const char* characters = valid.c_str();
  write_values(object, name, utf8_text_type(), utf8_text_type(), &characters);
}

void write_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_values(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void write_attribute(hid_t object, const std::string& name, double value) {
  write_values(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

namespace {

void set_flags(hid_t dataset, const std::vector<std::string>& meanings) {
  std::vector<std::int8_t> values(meanings.size());
  std::iota(values.begin(), values.end(), std::int8_t{0});
  write_values(dataset,
               "flag_values",
               H5T_STD_I8LE,
               H5T_NATIVE_INT8,
               values.data(),
               values.size());
  std::string words;
  for (const std::string& meaning : meanings) {
    words += (words.empty() ? "" : " ") + meaning;
  }
  write_attribute(dataset, "flag_meanings", words);
}

}  // namespace

void describe(hid_t dataset, const NetcdfVariable& variable) {
  write_attribute(dataset, "long_name", variable.long_name);
  if (!variable.unit.empty()) {
    write_attribute(dataset, "units", variable.unit);
  }
  if (!variable.comment.empty()) {
    write_attribute(dataset, "comment", variable.comment);
  }
  if (is_float(variable.type)) {
    write_values(
        dataset, "_FillValue", file_type(variable.type), H5T_NATIVE_DOUBLE, &nan);
  } else if (variable.missing) {
    write_values(
        dataset, "_FillValue", H5T_STD_I8LE, H5T_NATIVE_INT8, &*variable.missing);
  }
  if (!variable.meanings.empty()) {
    set_flags(dataset, variable.meanings);
  }
  if (variable.is_bool) {
    write_attribute(dataset, "dtype", std::string{"bool"});
  }
}

void set_fill(hid_t creation_properties, const NetcdfVariable& variable) {
  if (is_float(variable.type)) {
    check(H5Pset_fill_value(creation_properties, H5T_NATIVE_DOUBLE, &nan));
  } else if (variable.missing) {
    check(H5Pset_fill_value(creation_properties, H5T_NATIVE_INT8, &*variable.missing));
  }
}

}  // namespace basin
