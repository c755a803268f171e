// What an output file that is already there belongs to.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "experiments/scenario.h"

namespace basin {

// The file belongs to another scenario, or to another program. what() says so, with the
// values in which the experiments differ.
class ForeignOutput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ExistingOutput {
  std::string scenario_values;
  std::string scenario_hash;
};

// Absent if there is no file at `path`. Throws ForeignOutput if it is no output of ours.
std::optional<ExistingOutput> read_existing_output(const std::string& path);

// Throws ForeignOutput unless `path` is free, or holds results of the same values and
// axes.
void expect_ours(const std::string& path, const Scenario& scenario);

}  // namespace basin
