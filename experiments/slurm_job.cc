#include "experiments/slurm_job.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "experiments/units.h"

namespace basin {

namespace {

// Between the end of the runs and that of the job: the last shard is written, the signal
// has time to arrive.
constexpr std::chrono::seconds least_margin{20};

Duration margin(Duration limit) {
  return std::max<Duration>(least_margin, limit / 50);
}

// Hours, minutes and seconds, as sbatch reads them; rounded up to its minute.
std::string slurm_time(Duration limit) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(limit).count();
  return fmt::format("{}:{:02}:00", minutes / 60, minutes % 60);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += " " + shell_word(word);
  }
  return text;
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (word.find_first_of("\n\r") != std::string::npos) {
    throw std::invalid_argument("a word of a Slurm job cannot have a line break: '" +
                                word + "'");
  }
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
    return word;
  }
  std::string quoted = "'";
  for (const char character : word) {
    quoted += character == '\'' ? std::string{"'\\''"} : std::string(1, character);
  }
  return quoted + "'";
}

std::string slurm_script(const SlurmJob& job) {
  const std::string logs = job.output + ".logs";
  std::string common;
  if (job.time_limit) {
    common += " --time=" + slurm_time(*job.time_limit);
  }
  common += joined(job.sbatch);

  std::string task = shell_word(job.program) + " sweep" + joined(job.sweep) + " -o " +
                     shell_word(job.output) +
                     fmt::format(" --threads {}", job.processors_per_task);
  if (job.memory_bytes) {
    task += fmt::format(" --memory {}", *job.memory_bytes);
  }
  if (job.time_limit) {
    const Duration limit = *job.time_limit - margin(*job.time_limit);
    task += " --time-limit " +
            format_duration(std::max<Duration>(limit, std::chrono::seconds{1}));
  }
  std::string of_array;
  if (job.memory_bytes) {
    // Beside the waiting messages: the program, its other tables, a shard.
    of_array = fmt::format(" --mem={}M", (*job.memory_bytes >> 20) + 512);
  }
  return fmt::format(
      R"(#!/usr/bin/env bash
# Runs a sweep on Slurm: {tasks} tasks, then a job that joins what they have done.
# Started again it does what is missing. Logs are in {log_folder}.
set -euo pipefail
mkdir -p {logs}

array=$(sbatch --parsable --job-name={name} --array=0-{last} --cpus-per-task={processors} \
  --signal=B:TERM@15 --output={logs}/%A_%a.log{of_array}{common} << 'END_OF_JOB'
#!/usr/bin/env bash
exec {task} --progress plain --shard "$((SLURM_ARRAY_TASK_ID + 1))/{tasks}"
END_OF_JOB
)
array=${{array%%;*}}

merge=$(sbatch --parsable --job-name={merge_name} --dependency=afterany:"$array" \
  --output={logs}/%j_merge.log{common} << 'END_OF_JOB'
#!/usr/bin/env bash
exec {program} merge {output}
END_OF_JOB
)
echo "array job $array, merge job ${{merge%%;*}}"
)",
      fmt::arg("tasks", job.tasks),
      fmt::arg("last", job.tasks - 1),
      fmt::arg("log_folder", logs),
      fmt::arg("logs", shell_word(logs)),
      fmt::arg("name", shell_word(job.name)),
      fmt::arg("merge_name", shell_word(job.name + "-merge")),
      fmt::arg("processors", job.processors_per_task),
      fmt::arg("of_array", of_array),
      fmt::arg("common", common),
      fmt::arg("task", task),
      fmt::arg("program", shell_word(job.program)),
      fmt::arg("output", shell_word(job.output)));
}

std::size_t most_array_tasks(const std::string& configuration) {
  constexpr std::size_t default_size = 1001;
  const std::size_t key = configuration.find("MaxArraySize");
  const std::size_t digits =
      key == std::string::npos ? key : configuration.find_first_of("0123456789", key);
  std::size_t size = 0;
  if (digits != std::string::npos) {
    std::from_chars(
        configuration.data() + digits, configuration.data() + configuration.size(), size);
  }
  return size == 0 ? default_size : size;
}

}  // namespace basin
