#include "experiments/library.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "experiments/schema.h"

namespace basin {

namespace {

// The rest of the first line that begins with `start`, whatever quotes surround it.
std::string rest_of_line(std::string_view text, std::string_view start) {
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(start)) {
      continue;
    }
    line.remove_prefix(start.size());
    const std::size_t first = line.find_first_not_of(" =\"#");
    const std::size_t last = line.find_last_not_of(" \"\r");
    if (first != std::string_view::npos && last >= first) {
      return std::string{line.substr(first, last - first + 1)};
    }
  }
  return "";
}

bool is_path(std::string_view argument) {
  return argument.find('/') != std::string_view::npos || argument.ends_with(".toml");
}

}  // namespace

const LibraryScenario* find_library_scenario(std::string_view name) {
  const auto& all = library_scenarios();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const LibraryScenario& one) {
        return one.name == name;
      });
  return found == all.end() ? nullptr : &*found;
}

std::string description_of(std::string_view text) {
  std::string described = rest_of_line(text, "description");
  return described.empty() ? rest_of_line(text, "#") : described;
}

std::string library_folder() {
  std::error_code none;
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path candidates[] = {
      program.parent_path().parent_path() / "share/basin/scenarios",
      BASIN_INSTALLED_SCENARIOS,
      BASIN_SOURCE_SCENARIOS};
  for (const std::filesystem::path& folder : candidates) {
    if (std::filesystem::is_directory(folder, none)) {
      return folder.string();
    }
  }
  // Reading a trace will fail, and name the place where it was to be installed.
  return BASIN_INSTALLED_SCENARIOS;
}

Scenario load_scenario(const std::string& argument, const Overrides& overrides) {
  if (is_path(argument)) {
    return read_scenario_file(argument, overrides);
  }
  const LibraryScenario* scenario = find_library_scenario(argument);
  if (scenario != nullptr) {
    return read_scenario_text(
        scenario->text, argument, overrides, {.folder = library_folder()});
  }
  std::string problem = "there is no scenario '" + argument + "' in the library";
  std::vector<std::string_view> names;
  for (const LibraryScenario& one : library_scenarios()) {
    names.push_back(one.name);
  }
  std::error_code none;
  if (const std::string_view near = nearest(argument, names); !near.empty()) {
    problem += "; did you mean '" + std::string{near} + "'?";
  } else if (std::filesystem::exists(argument, none)) {
    problem += "; for the file, write ./" + argument;
  } else {
    problem += " (see basin list; a file is named with a / or .toml)";
  }
  throw UnknownScenario(problem);
}

}  // namespace basin
