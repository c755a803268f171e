// A scenario file as text and as resolved values, each with the place it came from.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace basin {

struct ScenarioSource;  // scenario_source.h

// What the command line says beside the file. --set fixes a key (and takes its axis
// away),
// --sweep adds an axis or replaces the file's.
struct Overrides {
  std::vector<std::string> set;    // "key=value", values without TOML quotes
  std::vector<std::string> sweep;  // "key=from:to:steps", "key=value,value"
  // The text of the file of points that [sweep.points] names; empty: that file is read,
  // and its text kept here, so that an output file can be read where that is not.
  std::string points = {};
  bool operator==(const Overrides&) const = default;
};

struct Document {
  std::string path;           // as given; a library name for scenarios of the library
  std::string text;           // the file, byte for byte
  Overrides overrides = {};   // what was read with it
  std::string resolved_json;  // every value in force, presets and defaults included;
                              // empty for a cell of a sweep (see resolved_json_of)
  // What the cells of a sweep are read from again. Shared, never changed.
  std::shared_ptr<const ScenarioSource> source = nullptr;
};

}  // namespace basin
