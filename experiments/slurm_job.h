// A sweep as jobs of Slurm: an array of tasks, each with its share of the runs, and a job
// that joins what they have done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/time.h"

namespace basin {

struct SlurmJob {
  std::string name;
  std::string program;             // path of basin
  std::vector<std::string> sweep;  // words after "basin sweep", without --shard
  std::string output;              // absolute path of F.h5
  std::size_t tasks = 1;
  unsigned processors_per_task = 1;
  std::optional<std::int64_t> memory_bytes;  // a task's --memory
  std::optional<Duration> time_limit;        // of each job
  std::vector<std::string> sbatch;           // more options for sbatch
};

// The script that submits both jobs and prints "array job 17, merge job 18". It may be
// run again at any time: tasks do what is missing. Throws std::invalid_argument for words
// with line breaks.
std::string slurm_script(const SlurmJob& job);

// As one word of a shell, whatever is in it but line breaks.
std::string shell_word(const std::string& word);

// The most tasks that an array may have, from what `scontrol show config` prints; Slurm's
// default where it says nothing.
std::size_t most_array_tasks(const std::string& configuration);

}  // namespace basin
