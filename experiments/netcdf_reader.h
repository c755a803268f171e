// Reads files that NetcdfFile wrote: numbers, texts, and chunks as they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/netcdf_file.h"

namespace basin {

// The file cannot be read, or is not what it should be. what() names the file.
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& path, const std::string& reason)
      : std::runtime_error{"cannot read " + path + ": " + reason} {}
};

class NetcdfReader {
 public:
  // Throws InputError, as every member does.
  explicit NetcdfReader(const std::string& path);
  ~NetcdfReader();
  NetcdfReader(const NetcdfReader&) = delete;
  NetcdfReader& operator=(const NetcdfReader&) = delete;
  NetcdfReader(NetcdfReader&&) = delete;
  NetcdfReader& operator=(NetcdfReader&&) = delete;

  const std::string& path() const;

  // Of the root group; absent where there is none, or none of that type.
  std::optional<std::string> text_attribute(const std::string& name) const;
  std::optional<std::int64_t> integer_attribute(const std::string& name) const;

  bool has(const std::string& variable) const;
  std::vector<std::size_t> shape(const std::string& variable) const;

  // Values of consecutive places, as NetcdfFile::write_flat takes them; numbers of any
  // type as double or float.
  std::vector<double> numbers(const std::string& variable,
                              std::size_t dimensions,
                              std::size_t first,
                              std::size_t count) const;
  std::vector<float> floats(const std::string& variable,
                            std::size_t dimensions,
                            std::size_t first,
                            std::size_t count) const;
  // All of it, bit for bit.
  std::vector<std::int64_t> integers(const std::string& variable) const;
  std::vector<std::string> texts(const std::string& variable) const;

  // The chunk that begins at these indices; absent where nothing was ever written there.
  std::optional<RawChunk> chunk(const std::string& variable,
                                std::span<const std::size_t> indices) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace basin
