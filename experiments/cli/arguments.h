// What stands on the command line, checked.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/progress.h"
#include "experiments/scenario_reader.h"
#include "experiments/sweep_output.h"

namespace basin {

// The command line is wrong: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::vector<std::string> words;  // what is no option
  // --set and --sweep; --seed and --replications as further --set.
  Overrides overrides;
  bool json = false;
  bool help = false;
  bool quiet = false;
  bool explain = false;
  bool reference = false;
  std::string preset;
  std::string output;
  unsigned threads = 1;           // default: the cores
  std::int64_t memory_bytes = 0;  // default_memory_limit()
  bool trajectories_given = false;
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::summary;
  ProgressStyle progress = ProgressStyle::none;
};

// The options that a verb may take, as a set of bits.
enum OptionGroup : unsigned {
  scenario_options = 1,  // --set, --sweep, --seed, --replications
  running_options =
      2,  // --threads, --memory, --explain, --trajectories, --quiet, --progress
  output_option = 4,  // -o
  json_option = 8,
  preset_option = 16,
  reference_option = 32,
};

// `words` are what follows the verb. Throws UsageError; an option that is not known, or
// not of this verb, comes with the nearest one.
Arguments parse_arguments(const std::vector<std::string>& words, unsigned groups);

// The options of those groups, as a table for people.
std::string describe_options(unsigned groups);

}  // namespace basin
