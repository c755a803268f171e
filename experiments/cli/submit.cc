#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "experiments/cli/arguments.h"
#include "experiments/cli/session.h"
#include "experiments/cli/terminal.h"
#include "experiments/cli/verbs.h"
#include "experiments/existing_output.h"
#include "experiments/json_parts.h"
#include "experiments/netcdf_file.h"
#include "experiments/pending_file.h"
#include "experiments/slurm_job.h"
#include "experiments/units.h"

namespace basin {

namespace {

namespace fs = std::filesystem;

struct CommandResult {
  int status = 0;
  std::string output;
};

CommandResult result_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) {
    throw std::runtime_error("cannot start " + command);
  }
  CommandResult result;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
    result.output.append(buffer, size);
  }
  result.status = ::pclose(pipe);
  return result;
}

std::size_t whole_number(const Arguments& arguments,
                         const char* option,
                         std::size_t fallback,
                         std::int64_t most) {
  const std::optional<std::string> text = arguments.text_of(option);
  if (!text) {
    return fallback;
  }
  try {
    const std::int64_t value = parse_whole(*text);
    if (value >= 1 && value <= most) {
      return static_cast<std::size_t>(value);
    }
  } catch (const UnitError&) {
  }
  throw UsageError(fmt::format(
      "--{} takes a whole number from 1 to {}, not '{}'", option, most, *text));
}

std::vector<std::string> sweep_words(const Arguments& arguments) {
  std::vector<std::string> words;
  const std::string& scenario = arguments.words.front();
  std::error_code error;
  words.push_back(fs::exists(scenario, error) ? fs::absolute(scenario).string()
                                              : scenario);
  for (const std::string& set : arguments.overrides.set) {
    words.insert(words.end(), {"--set", set});
  }
  for (const std::string& sweep : arguments.overrides.sweep) {
    words.insert(words.end(), {"--sweep", sweep});
  }
  if (arguments.explain) {
    words.emplace_back("--explain");
  }
  if (arguments.trajectories_given) {
    words.insert(words.end(),
                 {"--trajectories",
                  arguments.trajectories == TrajectoriesToKeep::none  ? "none"
                  : arguments.trajectories == TrajectoriesToKeep::all ? "all"
                                                                      : "summary"});
  }
  if (arguments.has("retry-failed")) {
    words.emplace_back("--retry-failed");
  }
  return words;
}

SlurmJob job_of(const Scenario& scenario, const Arguments& arguments) {
  SlurmJob job{.name = "basin-" + scenario.name,
               .program = fs::read_symlink("/proc/self/exe").string(),
               .sweep = sweep_words(arguments),
               .output = fs::absolute(arguments.output).string(),
               .memory_bytes = std::nullopt,
               .time_limit = std::nullopt,
               .sbatch = arguments.texts_of("sbatch")};
  constexpr std::int64_t most_tasks = 4'000'000;
  const std::size_t wanted = whole_number(arguments, "tasks", 0, most_tasks);
  if (wanted == 0) {
    throw UsageError("submit needs --tasks N");
  }
  const std::size_t in_an_array =
      most_array_tasks(result_of("scontrol show config 2> /dev/null").output);
  const std::size_t runs = count_runs(scenario, arguments.explain);
  job.tasks = std::min({wanted, in_an_array, runs});
  if (job.tasks < wanted) {
    complain(
        job.tasks == runs
            ? fmt::format("note: {} tasks, since there are no more runs", job.tasks)
            : fmt::format("note: {} tasks, the most that Slurm's MaxArraySize allows",
                          job.tasks));
  }
  job.processors_per_task =
      static_cast<unsigned>(whole_number(arguments, "cpus-per-task", 1, 1024));
  if (arguments.memory_given) {
    job.memory_bytes = arguments.memory_bytes;
  }
  if (const auto text = arguments.text_of("time-limit")) {
    job.time_limit = std::chrono::duration_cast<Duration>(time_limit_of(*text));
    if (*job.time_limit < std::chrono::minutes{1}) {
      throw UsageError("--time-limit: Slurm counts in minutes, give at least 1min");
    }
  }
  return job;
}

void write_script(const std::string& path, const std::string& text) {
  PendingFile file{path};
  file.write(0, std::as_bytes(std::span{text}));
  file.publish();
  if (::chmod(path.c_str(), 0755) != 0) {
    throw OutputError(path, std::generic_category().message(errno));
  }
}

}  // namespace

int submit_verb(const Verb& verb, const Invocation& invocation) {
  const Arguments arguments = parse_arguments(invocation.words, verb.options);
  const Scenario scenario = as_swept(scenario_of(arguments, "submit"));
  if (scenario.axes.empty()) {
    throw UsageError("the scenario has no axes to sweep: give --sweep or [sweep]");
  }
  if (scenario.refinement) {
    throw UsageError(
        "a refined sweep decides step by step what to run, which tasks cannot; run it "
        "with "
        "basin sweep, or take sweep.refine out");
  }
  if (arguments.output.empty()) {
    throw UsageError("submit needs a file for the results: -o F.h5");
  }
  const SlurmJob job = job_of(scenario, arguments);
  std::string script;
  try {
    script = slurm_script(job);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  read_existing_output(arguments.output);  // no file of another program
  const std::string path = job.output + ".submit.sh";
  write_script(path, script);
  std::string submitted;
  if (arguments.has("go")) {
    const CommandResult result = result_of("bash " + shell_word(path) + " 2>&1");
    submitted = result.output.substr(0, result.output.find_last_not_of('\n') + 1);
    if (result.status != 0) {
      complain("Slurm did not take it: " + submitted);
      return exit_trouble;
    }
  }
  if (arguments.json) {
    print(dumped({{"verb", "submit"},
                  {"scenario", scenario.name},
                  {"script", path},
                  {"tasks", job.tasks},
                  {"submitted", submitted.empty() ? Json(nullptr) : Json(submitted)}}));
  } else if (submitted.empty()) {
    print(fmt::format(
        "{} submits {} tasks and a merge; --go does it now\n", path, job.tasks));
  } else {
    print(fmt::format("{}: {}\n", scenario.name, submitted));
  }
  return exit_done;
}

}  // namespace basin
