#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/json_parts.h"
#include "experiments/sweep_job.h"

namespace basin {

namespace {

std::string status_text(const OutputStatus& status, const std::string& output) {
  const std::size_t missing = status.cells - status.cells_done - status.cells_failed;
  std::string text = fmt::format("{}: {} of {} cells are done, {} failed, {} missing\n",
                                 status.scenario.name,
                                 status.cells_done,
                                 status.cells,
                                 status.cells_failed,
                                 missing);
  if (status.cells_excluded > 0) {
    text += fmt::format("cells left out by a condition: {}\n", status.cells_excluded);
  }
  text += fmt::format("runs: {} of {} are done", status.runs_done, status.runs);
  text += status.runs_failed > 0
              ? fmt::format(", {} of them failed\n", status.runs_failed)
              : "\n";
  text +=
      fmt::format("{}: {}\n", output, status.has_file ? "is there" : "is not there yet");
  if (status.shards + status.damaged > 0) {
    text += fmt::format("{}: {} shards", PartsFolder::path_for(output), status.shards);
    text += status.damaged > 0 ? fmt::format(", {} damaged\n", status.damaged) : "\n";
  }
  for (const std::string& failure : status.failures) {
    text += "failed: " + failure + "\n";
  }
  return text;
}

Json status_json(const OutputStatus& status, const std::string& output) {
  return {{"verb", "status"},
          {"scenario", status.scenario.name},
          {"output", output},
          {"output_exists", status.has_file},
          {"shards", status.shards},
          {"damaged_shards", status.damaged},
          {"cells", status.cells},
          {"cells_done", status.cells_done},
          {"cells_failed", status.cells_failed},
          {"cells_missing", status.cells - status.cells_done - status.cells_failed},
          {"cells_excluded", status.cells_excluded},
          {"runs", status.runs},
          {"runs_done", status.runs_done},
          {"runs_failed", status.runs_failed},
          {"failures", status.failures}};
}

}  // namespace

int status_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  if (arguments.words.size() != 1) {
    throw UsageError("status takes one output file");
  }
  const std::string& output = arguments.words.front();
  const OutputStatus status = status_of(output);
  print(arguments.json ? dumped(status_json(status, output))
                       : status_text(status, output));
  return exit_done;
}

}  // namespace basin
