// A netCDF-4 file, written with the HDF5 library alone: dimensions with coordinate
// values, variables with attributes, each variable attached to the scales of its
// dimensions.
//
// The file grows under a temporary name beside its target and takes the target's name in
// commit(), synced to disk; until then the target is as it was. Without commit() the
// destructor removes it. Bytes of texts that are no UTF-8 become U+FFFD, which readers
// can show. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace basin {

// A file could not be written: a full disk, a missing folder, no permission. what() names
// the file and the reason.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& path, const std::string& reason);
  const std::string& path() const { return path_; }
  const std::string& reason() const { return reason_; }

 private:
  std::string path_;
  std::string reason_;
};

enum class NetcdfType : std::uint8_t { int8, int64, float32, float64, text };

// Numbers are converted to the type of what they are written to.
using NetcdfValues = std::variant<std::span<const std::int8_t>,
                                  std::span<const std::int64_t>,
                                  std::span<const float>,
                                  std::span<const double>,
                                  std::span<const std::string>>;

struct NetcdfVariable {
  std::string name = {};
  NetcdfType type = NetcdfType::float64;
  std::vector<std::string> dimensions = {};  // names of coordinates, slowest first
  std::string long_name = {};
  std::string unit = {};  // left out if empty, as is comment
  std::string comment = {};
  // Missing values of floats are NaN and of text "". An int8 is 0 where nothing was
  // written, or this value, which readers then mask.
  std::optional<std::int8_t> missing = {};
  std::vector<std::string> meanings = {};  // of an int8's values 0, 1, 2, …
  bool is_bool = false;                    // an int8 that readers show as true or false
  // Shape of the compressed chunks in which it is stored; empty: contiguous.
  std::vector<std::size_t> chunk = {};
};

// A chunk as it lies in a file, compressed.
struct RawChunk {
  std::uint32_t filter_mask = 0;
  std::vector<std::byte> bytes;
};

class NetcdfFile {
 public:
  // Creates the temporary file. Throws OutputError, as every member does.
  explicit NetcdfFile(const std::string& target);
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;
  NetcdfFile(NetcdfFile&&) = delete;
  NetcdfFile& operator=(NetcdfFile&&) = delete;

  // A dimension together with its values, at least one. unit may be empty.
  void add_coordinate(const std::string& name,
                      const std::string& long_name,
                      const std::string& unit,
                      const NetcdfValues& values);

  // The number by which write() knows the variable.
  std::size_t add_variable(const NetcdfVariable& variable);

  // Writes the block in which the first dimensions have the given indices: all of the
  // remaining dimensions, the last one fastest.
  void write(std::size_t variable,
             std::span<const std::size_t> leading_indices,
             const NetcdfValues& values);

  // Writes values of consecutive places: of the first `dimensions` dimensions taken as
  // one, the last of them fastest, those from `first` on; all of the remaining
  // dimensions.
  void write_flat(std::size_t variable,
                  std::size_t dimensions,
                  std::size_t first,
                  const NetcdfValues& values);

  // Writes the chunk that begins at these indices, from a variable of the same type,
  // chunk shape and compression.
  void write_chunk(std::size_t variable,
                   std::span<const std::size_t> indices,
                   const RawChunk& chunk);

  // Of the file as a whole. Bytes that are no UTF-8 become U+FFFD, which readers can
  // show.
  void set_attribute(const std::string& name, const std::string& text);
  void set_attribute(const std::string& name, std::int64_t value);
  void set_attribute(const std::string& name, double value);

  // Closes the file, syncs it and gives it the target's name. Nothing else is allowed
  // afterwards. After any error it throws again.
  void commit();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace basin
