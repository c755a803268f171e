// A scenario file as text and as resolved values, each with the place it came from.
#pragma once

#include <memory>
#include <string>

namespace basin {

struct ScenarioSource;  // scenario_source.h

struct Document {
  std::string path;           // as given; a library name for scenarios of the library
  std::string text;           // the file, byte for byte
  std::string resolved_json;  // every value in force, presets and defaults included;
                              // empty for a cell of a sweep (see resolved_json_of)
  // What the cells of a sweep are read from again. Shared, never changed.
  std::shared_ptr<const ScenarioSource> source = nullptr;
};

}  // namespace basin
