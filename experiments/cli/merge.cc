#include <fmt/format.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/json_parts.h"
#include "experiments/sweep_job.h"

namespace basin {

int merge_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  if (arguments.words.empty()) {
    throw UsageError("merge needs the output file whose shards it joins");
  }
  const std::string& output = arguments.words.front();
  const MergeReport report =
      merge_parts(output,
                  {arguments.words.begin() + 1, arguments.words.end()},
                  invocation.command_line);
  for (const std::string& path : report.damaged) {
    complain("warning: " + path + " is damaged and was left out");
  }
  if (report.missing_cells > 0) {
    complain(fmt::format("{} cells are missing in {}; basin status {} tells more",
                         report.missing_cells,
                         output,
                         output));
  }
  if (arguments.json) {
    print(dumped({{"verb", "merge"},
                  {"scenario", report.scenario.name},
                  {"output", output},
                  {"shards", report.shards},
                  {"damaged_shards", report.damaged.size()},
                  {"missing_cells", report.missing_cells},
                  {"failed_cells", report.failed_cells}}));
  } else {
    print(fmt::format(
        "{}: {} shards are joined in {}\n", report.scenario.name, report.shards, output));
  }
  return report.missing_cells + report.failed_cells > 0 ? exit_some_failed : exit_done;
}

}  // namespace basin
