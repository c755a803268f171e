#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"

namespace basin {

namespace {

std::string help_of(const Verb& verb) {
  return fmt::format(
      "basin {}\n\n  {}\n\n{}", verb.usage, verb.summary, describe_options(verb.options));
}

std::string help_of_all() {
  std::string text =
      "basin: when a queue-backed system is pushed, does it come back?\n\n"
      "S is a scenario: a file (with a / or .toml) or a name that basin list shows.\n\n";
  for (const Verb& verb : all_verbs()) {
    text += fmt::format("  {:<26} {}\n", verb.usage, verb.summary);
  }
  return text +
         "\nbasin help VERB tells the options of a verb; basin --version the version.\n"
         "Exit codes: 0 done; 1 some cells failed; 2 wrong command line or scenario;\n"
         "3 the output belongs to another scenario; 4 input/output or internal error;\n"
         "129, 130, 143 stopped by a signal.\n";
}

}  // namespace

int help_verb(const Verb&, const Invocation& invocation) {
  if (invocation.words.size() > 1) {
    throw UsageError("help takes one verb");
  }
  print(invocation.words.empty() ? help_of_all()
                                 : help_of(find_verb(invocation.words[0])));
  return exit_done;
}

}  // namespace basin
