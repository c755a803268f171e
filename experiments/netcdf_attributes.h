// Attributes and fill values as netCDF readers expect them. For .cc files only; all throw
// H5::Exception.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <H5Cpp.h>

#include "experiments/netcdf_file.h"

namespace basin {

// Held around calls of HDF5: its C++ classes are not made for several threads.
std::mutex& hdf5_mutex();

// Text of any length in UTF-8: the one kind that all readers accept in datasets.
H5::DataType utf8_text_type();

// The little-endian type in the file.
H5::DataType file_type(NetcdfType type);

void write_attribute(const H5::H5Object& object,
                     const std::string& name,
                     const std::string& text);
void write_attribute(const H5::H5Object& object,
                     const std::string& name,
                     std::int64_t value);
void write_attribute(const H5::H5Object& object, const std::string& name, double value);

// A text of fixed or variable length; empty if it is none.
std::string read_text(const H5::Attribute& attribute);

// long_name, units, flags and the other attributes of a variable.
void describe(const H5::DataSet& dataset, const NetcdfVariable& variable);

// What a dataset holds where nothing was written; the same value as its _FillValue.
void set_fill(const H5::DSetCreatPropList& creation, const NetcdfVariable& variable);

}  // namespace basin
