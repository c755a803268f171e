// Attributes and fill values as netCDF readers expect them. For .cc files only; all throw
// Hdf5Error.
#pragma once

#include <cstdint>
#include <string>

#include <hdf5.h>

#include "experiments/netcdf_file.h"

namespace basin {

// Text of any length in UTF-8: the one kind that all readers accept in datasets.
hid_t utf8_text_type();

// The little-endian type in the file.
hid_t file_type(NetcdfType type);

void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, std::int64_t value);
void write_attribute(hid_t object, const std::string& name, double value);

// long_name, units, flags and the other attributes of a variable.
void describe(hid_t dataset, const NetcdfVariable& variable);

// What a dataset holds where nothing was written; the same value as its _FillValue.
void set_fill(hid_t creation_properties, const NetcdfVariable& variable);

}  // namespace basin
