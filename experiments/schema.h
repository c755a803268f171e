// Every key a scenario file may hold, as one table. What validates a file, prints the
// JSON Schema and the reference manual, types --set and --sweep and suggests a near key
// are loops over it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace basin {

enum class ValueType : std::uint8_t {
  duration,      // "30s"
  rate,          // "400/s"
  number,        // 0.5
  whole,         // 10
  choice,        // one of KeyInfo::choices
  text,          //
  name,          // letters, digits, _ and -, not digits alone
  flag,          // true or false
  rate_list,     // ["10/s", "20/s"]
  rate_matrix,   // [["0/s", "1/min"], ["2/min", "0/s"]]
  value,         // any scalar (axes of a sweep)
  value_list,    // a list of scalars
  expressions,   // a table from keys to expressions
  distribution,  // a duration (always the same) or a table of distribution_keys
  table,         //
  table_list,    // [[…]]
};

struct TableInfo;

struct KeyInfo {
  std::string_view name;
  ValueType type;
  // Range in SI units (entries of a list too; of a table list, how many entries).
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_is_allowed = true;
  std::string_view fallback = {};    // the default, as written without quotes
  std::string_view word = {};        // a word that may stand for the value: none, any
  std::string_view choices = {};     // "fifo|lifo", in the order of the model's enum
  std::string_view only_for = {};    // values of the table's deciding key; empty: all
  std::string_view instead_of = {};  // keys that say the same in another way
  bool required = false;
  bool sweepable = true;
  const TableInfo* table = nullptr;  // of table, table_list and distribution
  std::string_view doc = {};
};

struct TableInfo {
  std::string_view title;
  std::string_view doc;
  std::string_view decides = {};  // the key that says which of the others apply
  bool has_presets = false;       // the deciding key names a preset (presets.h)
  std::span<const KeyInfo> keys;
};

// The whole file.
const TableInfo& scenario_table();

// The table flattened, parents before their keys. Entries of lists are written '*':
// "incident.*.duration", "consumers.group.*.service.mean".
struct KeyPath {
  std::string path;
  const KeyInfo* key = nullptr;
  const TableInfo* table = nullptr;  // that the key belongs to
};
const std::vector<KeyPath>& all_keys();

bool is_table(ValueType type);  // has keys of its own; a distribution may have
std::string_view unit_of(const KeyInfo& key);  // "s", "1/s", "1" or ""
// Whether the key can change the arm without incidents and interventions.
bool touches_control(std::string_view path);

// Splits at a character; an empty text has no parts.
std::vector<std::string_view> split(std::string_view text, char separator);
bool is_one_of(std::string_view word, std::string_view bar_separated);
// "a, b or c" of "a|b|c".
std::string either_of(std::string_view bar_separated);
// What a value of this key looks like: "a duration such as \"30s\"".
std::string expected_value(const KeyInfo& key);
// "more than 0", "from 0 to 1"; empty without bounds.
std::string range_text(const KeyInfo& key);

// The candidate with the smallest edit distance, if it is near enough to be meant.
std::string_view nearest(std::string_view word,
                         std::span<const std::string_view> candidates);
// Keys of the file that begin with `prefix`, for completion in a shell.
std::vector<std::string> keys_beginning_with(std::string_view prefix);

// JSON Schema (draft 2020-12) of a scenario file.
std::string json_schema();
// The manual of keys in Markdown.
std::string reference_manual();

}  // namespace basin
