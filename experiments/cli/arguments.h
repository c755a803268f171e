// What stands on the command line, checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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

// Of --time-limit: "3h", "90min". Throws UsageError.
std::chrono::steady_clock::duration time_limit_of(const std::string& text);

struct Arguments {
  std::vector<std::string> words;  // what is no option
  // --set and --sweep; --seed and --replications as further --set.
  Overrides overrides;
  bool json = false;
  bool help = false;
  bool quiet = false;
  bool explain = false;
  std::string output;
  unsigned threads = 1;           // default: the cores
  std::int64_t memory_bytes = 0;  // default_memory_limit()
  bool memory_given = false;
  bool trajectories_given = false;
  TrajectoriesToKeep trajectories = TrajectoriesToKeep::summary;
  ProgressStyle progress = ProgressStyle::none;
  // Those of the verb itself that were given, by name; a flag's text is empty.
  std::map<std::string, std::vector<std::string>, std::less<>> own;

  bool has(std::string_view option) const { return own.find(option) != own.end(); }
  // What was given, and nothing; of a repeatable option the first.
  std::optional<std::string> text_of(std::string_view option) const;
  std::vector<std::string> texts_of(std::string_view option) const;
};

// The options that several verbs share, as a set of bits.
enum OptionGroup : unsigned {
  scenario_options = 1,  // --set, --sweep, --seed, --replications
  running_options =
      2,  // --threads, --memory, --explain, --trajectories, --quiet, --progress
  output_option = 4,  // -o and what it keeps
  json_option = 8,
  output_file_option = 16,  // -o alone
};

// An option of one verb.
struct VerbOption {
  std::string_view name;   // without the dashes
  std::string_view value;  // what stands for its value in the help; empty: a flag
  std::string_view doc;
  bool repeatable = false;  // else it may be given once
};

struct VerbOptions {
  unsigned groups = 0;  // OptionGroup
  std::span<const VerbOption> own = {};
};

// `words` are what follows the verb. Throws UsageError; an option that is not known, or
// not of this verb, comes with the nearest one.
Arguments parse_arguments(const std::vector<std::string>& words,
                          const VerbOptions& options);

// Those options, as a table for people.
std::string describe_options(const VerbOptions& options);

}  // namespace basin
