// Reads scenario files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/scenario.h"
#include "experiments/source_tree.h"

namespace basin {

struct ReaderOptions {
  std::string folder;           // that files named in the scenario are relative to
  bool read_data_files = true;  // false: no file is touched; traces are two requests
};

// Throws ScenarioError for whatever is wrong with the file, the overrides, or the cells
// that the axes make.
Scenario read_scenario_file(const std::string& path, const Overrides& overrides = {});
// `name` stands for the path in messages; without a `name` key in the text it is the
// scenario's name too.
Scenario read_scenario_text(std::string_view text,
                            const std::string& name,
                            const Overrides& overrides = {},
                            const ReaderOptions& options = {});

// The scenario with other values of some keys, each "key=value" as --set takes it; no
// axes. Throws ScenarioError.
Scenario with_values(const Scenario& scenario, const std::vector<std::string>& set);

// Document::resolved_json of one cell.
std::string resolved_json_at(const Scenario& scenario,
                             const std::vector<std::size_t>& indices);

}  // namespace basin
