// A scenario as typed values: what the file says, checked against the table of keys, and
// filled with presets and defaults.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/time.h"
#include "experiments/schema.h"
#include "experiments/source_tree.h"

namespace basin {

enum class Origin : std::uint8_t { file, set, sweep, preset, fallback };
std::string_view name_of(Origin origin);  // "file", "--set", "sweep", "preset", "default"

struct Setting {
  const KeyInfo* key = nullptr;
  Origin origin = Origin::fallback;
  Place place;
  const SourceNode* source = nullptr;  // absent for presets and defaults
  std::string_view written;            // of presets and defaults

  bool is_word = false;    // "none" or "any" stands instead of a value
  double number = 0;       // SI value; of a choice its place, of a flag 0 or 1
  std::int64_t whole = 0;  // nanoseconds of a duration, a whole number
  std::string_view text;   // of text, name and choice
  std::vector<std::vector<double>> rows;  // of rate_list (one row) and rate_matrix
};

// One table in force. Lives no longer than the tree it was made of.
class Section {
 public:
  // Throws ScenarioError at the first thing that is wrong.
  Section(const SourceFile& file,
          const TableInfo& table,
          const SourceNode* source,  // nullptr: nothing said, defaults only
          std::string path,          // "consumers.service"; empty for the whole file
          Place place);

  const std::string& path() const { return path_; }
  const TableInfo& table() const { return *table_; }
  const Place& place() const { return place_; }
  const std::vector<Setting>& settings() const { return settings_; }
  const std::deque<Section>& sections() const { return sections_; }
  // The key in its table that this section stands for; nullptr for the whole file.
  const KeyInfo* key() const { return key_; }

  // nullptr where the key is not in force.
  const Setting* find(std::string_view key) const;
  const Section* find_section(std::string_view key) const;
  // The entries of a list of tables.
  std::vector<const Section*> list(std::string_view key) const;

  // The following owe a key that is in force; a broken contract otherwise.
  const Setting& at(std::string_view key) const;
  Duration duration(std::string_view key) const { return Duration{at(key).whole}; }
  double seconds(std::string_view key) const { return at(key).number; }
  double number(std::string_view key) const { return at(key).number; }
  std::int64_t whole(std::string_view key) const { return at(key).whole; }
  bool flag(std::string_view key) const { return at(key).whole != 0; }
  std::string_view text(std::string_view key) const { return at(key).text; }
  template <typename Enum>
  Enum choice(std::string_view key) const {
    return static_cast<Enum>(at(key).whole);
  }
  // Absent where the key is not in force, or a word stands in its place.
  std::optional<Duration> optional_duration(std::string_view key) const;
  std::optional<double> optional_number(std::string_view key) const;
  std::optional<std::int64_t> optional_whole(std::string_view key) const;

  bool has(std::string_view key) const;  // in force, be it as a section
  // ScenarioError at the key's value, or at the section where the key is not said.
  [[noreturn]] void fail(std::string_view key, const std::string& problem) const;

 private:
  void read(const SourceNode& source);
  void read_child(const SourceNode& child);
  void read_list(const KeyInfo& key, const SourceNode& child);
  const KeyInfo& key_for(const SourceNode& child) const;
  void decide(const SourceNode* source);
  void check_alternatives() const;
  void fill_preset();
  void fill_defaults();
  Setting converted(const KeyInfo& key, const SourceNode& node) const;
  void add_default(const KeyInfo& key, std::string_view value, Origin origin);
  std::string path_of(std::string_view key) const;

  const SourceFile* file_;
  const TableInfo* table_;
  const KeyInfo* key_ = nullptr;
  std::string path_;
  Place place_;
  std::string_view decided_;  // the value of the deciding key
  std::vector<Setting> settings_;
  std::deque<Section> sections_;
};

// Every key in force as a JSON object from key to {value, unit, written, from}; values in
// SI units.
std::string settings_json(const Section& whole);

}  // namespace basin
