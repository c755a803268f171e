// A scenario file as text and as resolved values, each with the place it came from.
#pragma once

#include <string>

namespace basin {

struct Document {
  std::string path;           // as given; a library name for scenarios of the library
  std::string text;           // the file, byte for byte
  std::string resolved_json;  // every value in force, presets and defaults included
};

}  // namespace basin
