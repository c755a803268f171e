#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/json_parts.h"
#include "experiments/reproduction.h"
#include "experiments/schema.h"
#include "experiments/units.h"

namespace basin {

namespace {

std::size_t place_of(std::string_view text, const char* option) {
  try {
    const std::int64_t place = parse_whole(text);
    if (place >= 0) {
      return static_cast<std::size_t>(place);
    }
  } catch (const UnitError&) {
  }
  throw UsageError(fmt::format(
      "--{} takes whole numbers from 0, not '{}'", option, std::string{text}));
}

StoredRun run_of(const Arguments& arguments) {
  StoredRun run;
  if (const auto cell = arguments.text_of("cell")) {
    for (const std::string_view place : split(*cell, ',')) {
      run.indices.push_back(place_of(place, "cell"));
    }
  }
  const auto replication = arguments.text_of("replication");
  if (!replication) {
    throw UsageError("repro needs --replication R");
  }
  run.replication = place_of(*replication, "replication");
  const std::string arm = arguments.text_of("arm").value_or("triggered");
  for (const Arm known : {Arm::control, Arm::triggered, Arm::unamplified}) {
    if (arm == name_of(known)) {
      run.arm = known;
      return run;
    }
  }
  throw UsageError("--arm takes control, triggered or unamplified, not '" + arm + "'");
}

// "map.cell-3-4.triggered.r7.h5"
std::string default_name(const std::string& output, const StoredRun& run) {
  const std::filesystem::path path{output};
  std::string name = path.stem().string();
  if (!run.indices.empty()) {
    name += ".cell";
    for (const std::size_t index : run.indices) {
      name += fmt::format("-{}", index);
    }
  }
  name += fmt::format(".{}.r{}.h5", name_of(run.arm), run.replication);
  return (path.parent_path() / name).string();
}

}  // namespace

int repro_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  if (arguments.words.size() != 1) {
    throw UsageError("repro takes one output file");
  }
  const std::string& output = arguments.words.front();
  const StoredRun run = run_of(arguments);
  RunnerOptions options = runner_options(arguments);
  Reproduction reproduction;
  try {
    reproduction = reproduce(output, run, options);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  const std::string path =
      arguments.output.empty() ? default_name(output, run) : arguments.output;
  write_reproduction(path, reproduction, run, invocation.command_line);
  for (const std::string& difference : reproduction.differences) {
    complain("differs: " + difference);
  }
  const bool equal = reproduction.differences.empty();
  if (arguments.json) {
    print(dumped({{"verb", "repro"},
                  {"scenario", reproduction.cell.name},
                  {"cell", run.indices},
                  {"arm", name_of(run.arm)},
                  {"replication", run.replication},
                  {"equal", equal},
                  {"numbers", reproduction.numbers},
                  {"differences", reproduction.differences},
                  {"output", path}}));
  } else {
    print(fmt::format(
        "{}\nIts trajectory is in {}\n",
        equal
            ? fmt::format("The same, bit for bit, in all {} numbers that {} holds of it.",
                          reproduction.numbers,
                          output)
            : fmt::format("It differs from what {} holds.", output),
        path));
  }
  return equal ? exit_done : exit_some_failed;
}

}  // namespace basin
