// Columns of CSV files that a scenario names: traces of arrivals, samples of durations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace basin {

// what() names the data file and the line in it: "requests.csv:17: …".
class DataFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class ColumnContent : std::uint8_t {
  numbers,     // finite and >= 0, times the unit
  timestamps,  // numbers or ISO dates and times, in order; seconds since the first
};

using Column = std::shared_ptr<const std::vector<double>>;

// Reads each column once, for all the cells of a sweep. May be shared by threads.
class DataFiles {
 public:
  // Relative names are looked up in `folder`. With `read` false no file is touched, and
  // every column is {0, 1}. A text of points that is not empty stands for their file.
  DataFiles(std::string folder, bool read, std::string points = {})
      : folder_{std::move(folder)}, read_{read}, points_{std::move(points)} {}

  // `column` is a name in the first line or a place from 0; with a place, a first line
  // that holds data there is data. `unit` is in seconds. Throws DataFileError.
  Column column(std::string_view file,
                std::string_view column,
                ColumnContent content,
                double unit);

  // The whole file of a sweep's points, at most 16 MiB, read once; empty if no file is
  // touched. Throws DataFileError.
  const std::string& points(std::string_view file);
  bool reads() const { return read_; }
  // What points() found, empty if it was not asked.
  const std::string& points() const { return points_; }

 private:
  using Key = std::tuple<std::string, std::string, ColumnContent, double>;

  std::string folder_;
  bool read_;
  std::string points_;
  std::mutex mutex_;
  std::map<Key, Column> columns_;
};

// Nanoseconds since 1970 of "2023-11-16 18:17:03.9799600", also with T, and Z or an
// offset such as +02:00 at the end. Digits beyond the ninth decimal are dropped. False if
// `text` is nothing of the kind; years 1700 to 2200.
bool parse_timestamp(std::string_view text, std::int64_t& nanoseconds);

}  // namespace basin
