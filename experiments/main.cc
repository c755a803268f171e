// The command line: finds the verb, runs it, and turns what went wrong into a message and
// an exit code.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/contract.h"
#include "experiments/build_info.h"
#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/data_files.h"
#include "experiments/existing_output.h"
#include "experiments/library.h"
#include "experiments/source_tree.h"
#include "experiments/store.h"

namespace basin {
namespace {

// As one may type it again in a shell.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
    return word;
  }
  std::string result = "'";
  for (const char character : word) {
    result += character == '\'' ? std::string{"'\\''"} : std::string(1, character);
  }
  return result + "'";
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) {
    throw UsageError("which verb? basin help lists them");
  }
  if (words[0] == "--version") {
    print(fmt::format("basin {} (semantics {}, revision {}, {})\n",
                      build_info().version,
                      semantics_version,
                      build_info().git_revision,
                      build_info().compiler));
    return exit_done;
  }
  const bool asks_for_help = words[0] == "--help" || words[0] == "-h";
  const Verb& verb = find_verb(asks_for_help ? "help" : words[0]);
  Invocation invocation{.words = {words.begin() + 1, words.end()},
                        .command_line = "basin"};
  for (const std::string& word : words) {
    invocation.command_line += " " + quoted(word);
  }
  const auto& rest = invocation.words;
  if (verb.run != help_verb &&
      (std::find(rest.begin(), rest.end(), "--help") != rest.end() ||
       std::find(rest.begin(), rest.end(), "-h") != rest.end())) {
    return help_verb(verb, {.words = {words[0]}, .command_line = {}});
  }
  return verb.run(verb, invocation);
}

int run_and_explain(const std::vector<std::string>& words) {
  try {
    return run(words);
  } catch (const StoppedBySignal& stopped) {
    complain(stopped.what());
    if (stopped.abandoned()) {
      std::fflush(nullptr);
      _exit(128 + stopped.number());
    }
    return 128 + stopped.number();
  } catch (const UsageError& error) {
    complain(error.what());
    return exit_usage;
  } catch (const ScenarioError& error) {
    complain(error.what());
    return exit_usage;
  } catch (const DataFileError& error) {
    complain(error.what());
    return exit_usage;
  } catch (const UnknownScenario& error) {
    complain(error.what());
    return exit_usage;
  } catch (const ForeignOutput& error) {
    complain(error.what());
    return exit_foreign;
  } catch (const ContractViolation& error) {
    complain(fmt::format("a bug, please report it: {}", error.what()));
    return exit_trouble;
  } catch (const std::bad_alloc&) {
    complain("out of memory");
    return exit_trouble;
  } catch (const std::exception& error) {
    complain(error.what());
    return exit_trouble;
  }
}

}  // namespace
}  // namespace basin

int main(int argc, char** argv) {
  return basin::run_and_explain({argv + std::min(argc, 1), argv + argc});
}
