// What a scenario was read from, kept so that each cell of a sweep is the same reading
// with other values.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "experiments/data_files.h"
#include "experiments/expression.h"
#include "experiments/settings.h"
#include "experiments/source_tree.h"

namespace basin {

// A key as --set names it, found in the table.
struct KeyTarget {
  std::vector<std::string> parts;  // "incident", "outage", "duration"
  std::string path;                // the same in one, entries by name where they have one
  const KeyInfo* key = nullptr;
};

// One axis: keys that move together, most often one.
struct AxisSource {
  struct Key {
    KeyTarget target;
    std::vector<SourceNode> values;  // as many as the axis has
  };
  std::vector<Key> keys;
  std::size_t size = 0;
  bool is_points = false;   // of points: it has no key of its own
  bool is_stepped = false;  // of from, to and steps
  Place place;
};

// An expression with its keys found.
struct KeyExpression {
  Expression expression;
  std::vector<KeyTarget> keys;  // for each of expression.keys()
  SourceNode text;
};

// A key whose value is computed from others.
struct DerivedKey {
  KeyTarget target;
  KeyExpression value;
};

struct ScenarioSource {
  SourceFile file;
  SourceNode root;  // with --set applied
  std::vector<AxisSource> axes;
  std::vector<DerivedKey> derived;           // each after those it needs
  std::vector<DerivedKey> derived_in_cells;  // without those that an option sweeps
  std::optional<KeyExpression> where;
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
