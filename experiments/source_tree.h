// A scenario as written: values with the places they stand at, before anything is known
// about what they mean.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace basin {

// Where a value was written.
struct Place {
  enum class Kind : std::uint8_t { nowhere, file, set, sweep };
  Kind kind = Kind::nowhere;
  std::uint32_t line = 0;    // file: from 1
  std::uint32_t column = 0;  // file: from 1, in characters
  std::uint32_t number = 0;  // set, sweep: which of the options, from 1

  bool operator==(const Place&) const = default;
  static Place option(Kind kind, std::size_t index) {
    return {.kind = kind, .number = static_cast<std::uint32_t>(index) + 1};
  }
};

struct SourceFile {
  std::string path;  // as given
  std::string text;  // byte for byte
};

// Something is wrong with a scenario. what() reads
//   file:line:column: key: what is wrong (what was expected)
//       the line
//       ^
// and "--set #2: key: …" for an option of the command line.
class ScenarioError : public std::runtime_error {
 public:
  ScenarioError(const SourceFile& file,
                Place place,
                std::string key,
                std::string problem,
                std::string_view context = {});

  const Place& place() const { return place_; }
  const std::string& key() const { return key_; }          // may be empty
  const std::string& problem() const { return problem_; }  // without place and key

 private:
  Place place_;
  std::string key_;
  std::string problem_;
};

// One value of the tree; a table's members and a list's entries are its children.
struct SourceNode {
  enum class Kind : std::uint8_t {
    text,   // quoted
    whole,  //
    real,   //
    flag,   //
    date,   // any of TOML's dates and times
    bare,   // written on the command line or a default: its key says what it is
    list,   //
    table,  //
  };
  Kind kind = Kind::bare;
  std::string name;  // the key in its table; empty in a list
  Place name_place;
  Place place;
  std::string text;  // text and bare
  std::int64_t whole = 0;
  double real = 0;
  bool flag = false;
  std::vector<SourceNode> children;  // in the order of the file

  const SourceNode* find(std::string_view child) const;
  SourceNode* find(std::string_view child);
};

// A scalar as one would write it without quotes; empty for lists and tables.
std::string written(const SourceNode& node);

inline constexpr std::size_t longest_scenario = std::size_t{1} << 20;  // bytes

// Reads TOML. Throws ScenarioError for what is not UTF-8, too long, nested too deeply or
// not TOML.
SourceNode parse_toml(const SourceFile& file);

}  // namespace basin
