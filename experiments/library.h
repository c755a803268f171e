// The scenarios that ship with the program. Their texts are part of it; the traces they
// name are files beside them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/scenario.h"
#include "experiments/scenario_reader.h"

namespace basin {

struct LibraryScenario {
  std::string_view name;
  std::string_view text;
};

// In the order of their names.
const std::vector<LibraryScenario>& library_scenarios();

// nullptr if there is none of that name.
const LibraryScenario* find_library_scenario(std::string_view name);

// The `description` that the text gives, or else its first comment.
std::string description_of(std::string_view text);

// Where traces of library scenarios are looked for: share/basin/scenarios beside the
// program's own folder, where it was to be installed, or the source it was built from;
// the first that is there.
std::string library_folder();

class UnknownScenario : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Scenarios from a file or from the library. `argument` is a path if it holds a '/' or
// ends in .toml, otherwise a name of the library. Throws ScenarioError, and
// UnknownScenario for a name that is not there, with the nearest one.
Scenario load_scenario(const std::string& argument, const Overrides& overrides);

}  // namespace basin
