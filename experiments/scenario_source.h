// What a scenario was read from, kept so that each cell of a sweep is the same reading
// with other values.
#pragma once

#include <memory>
#include <vector>

#include "experiments/data_files.h"
#include "experiments/settings.h"
#include "experiments/source_tree.h"

namespace basin {

// A key as --set names it, found in the table.
struct KeyTarget {
  std::vector<std::string> parts;  // "incident", "outage", "duration"
  std::string path;                // the same in one, entries by name where they have one
  const KeyInfo* key = nullptr;
};

struct AxisSource {
  KeyTarget target;
  std::vector<SourceNode> values;
};

struct ScenarioSource {
  SourceFile file;
  SourceNode root;  // with --set applied
  std::vector<AxisSource> axes;
  std::shared_ptr<DataFiles> files;
};

// Finds `path` in the table and in what the file has of it. Throws ScenarioError at
// `place` for what is no key, or an entry that is not there.
KeyTarget find_target(const SourceFile& file,
                      const SourceNode& root,
                      std::string_view path,
                      Place place);

// Writes a value into the tree. Keys that say the same in another way go; with a deciding
// key (process, kind, …) those that no longer apply go too.
void set_value(const SourceFile& file,
               SourceNode& root,
               const KeyTarget& target,
               SourceNode value);

// Applies "key=value", the `index`-th of the --set options, and returns what it set.
KeyTarget apply_set(const SourceFile& file,
                    SourceNode& root,
                    std::string_view option,
                    std::size_t index);

}  // namespace basin
