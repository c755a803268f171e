// The verbs of the command line. Each returns an exit code, prints results on standard
// output and everything else on standard error, and throws what main turns into a
// message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/cli/arguments.h"

namespace basin {

// A process ends with one of these, or with 128 + the signal that stopped it.
enum ExitCode : int {
  exit_done = 0,
  exit_some_failed = 1,
  exit_usage = 2,    // or the scenario
  exit_foreign = 3,  // the output belongs to another scenario
  exit_trouble = 4,  // input/output, or a bug
  // --time-limit is up; as after SIGTERM, the same command goes on.
  exit_time_limit = 143,
};

struct Invocation {
  std::vector<std::string> words;  // after the verb
  std::string command_line;        // all of it, as one may type it again
};

struct Verb {
  std::string_view name;
  std::string_view usage;
  std::string_view summary;
  VerbOptions options;
  int (*run)(const Verb& verb, const Invocation& invocation);
};

int run_verb(const Verb& verb, const Invocation& invocation);
int sweep_verb(const Verb& verb, const Invocation& invocation);
int merge_verb(const Verb& verb, const Invocation& invocation);
int status_verb(const Verb& verb, const Invocation& invocation);
int submit_verb(const Verb& verb, const Invocation& invocation);
int repro_verb(const Verb& verb, const Invocation& invocation);
int plan_verb(const Verb& verb, const Invocation& invocation);
int capacity_verb(const Verb& verb, const Invocation& invocation);
int compare_verb(const Verb& verb, const Invocation& invocation);
int drain_verb(const Verb& verb, const Invocation& invocation);
int whatif_verb(const Verb& verb, const Invocation& invocation);
int size_verb(const Verb& verb, const Invocation& invocation);
int list_verb(const Verb& verb, const Invocation& invocation);
int show_verb(const Verb& verb, const Invocation& invocation);
int theory_verb(const Verb& verb, const Invocation& invocation);
int schema_verb(const Verb& verb, const Invocation& invocation);
int help_verb(const Verb& verb, const Invocation& invocation);

const std::vector<Verb>& all_verbs();
// Throws UsageError with the nearest verb.
const Verb& find_verb(std::string_view name);

}  // namespace basin
