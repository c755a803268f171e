// Keys whose values are computed from others, and conditions over keys: [sweep.derived]
// and `where`.
#pragma once

#include <string>
#include <vector>

#include "experiments/scenario_source.h"
#include "experiments/settings.h"

namespace basin {

// Parses the text and finds its keys; `name` is what it is the value of. Throws
// ScenarioError at the place in the text.
KeyExpression read_expression(const SourceFile& file,
                              const SourceNode& root,
                              const SourceNode& text,
                              const std::string& name);

// The derived keys of [sweep], each after those it needs, without those that one of
// `fixed` says already. Throws ScenarioError, for circles too.
std::vector<DerivedKey> read_derived(const SourceFile& file,
                                     const SourceNode& root,
                                     const Section& sweep,
                                     const std::vector<KeyTarget>& fixed);

// Computes and sets them, one after the other, each to twelve significant digits. Throws
// ScenarioError.
void apply_derived(const SourceFile& file,
                   SourceNode& root,
                   const std::vector<DerivedKey>& derived);

// Whether the condition is true with the values of `root` and the derived keys it needs.
bool holds(const SourceFile& file,
           SourceNode root,
           const std::vector<DerivedKey>& derived,
           const KeyExpression& condition);

// Whether setting `key` may change the value of the expression, be it by way of derived
// keys.
bool depends_on(const KeyExpression& expression,
                const std::vector<DerivedKey>& derived,
                const KeyTarget& key);
// The derived keys that setting `key` may change.
std::vector<const DerivedKey*> changed_by(const KeyTarget& key,
                                          const std::vector<DerivedKey>& derived);

}  // namespace basin
