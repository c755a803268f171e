// The folder F.h5.parts, in which a sweep keeps its shards until it is complete.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace basin {

// Task number `index` of `count`, from 1.
struct Task {
  std::size_t index = 1;
  std::size_t count = 1;
};

class PartsFolder {
 public:
  static std::string path_for(const std::string& output) { return output + ".parts"; }

  // Creates the folder and keeps it locked: for itself alone, or, as one task, beside
  // other tasks. Throws OutputError where another process has it, or it cannot be
  // written.
  PartsFolder(const std::string& output, const std::optional<Task>& task);
  ~PartsFolder();
  PartsFolder(const PartsFolder&) = delete;
  PartsFolder& operator=(const PartsFolder&) = delete;
  PartsFolder(PartsFolder&&) = delete;
  PartsFolder& operator=(PartsFolder&&) = delete;

  const std::string& path() const { return path_; }

  // The intact shards, by name. A damaged one gets another name, so that it is never
  // read.
  std::vector<std::string> shards();
  // Those that were found damaged.
  const std::vector<std::string>& damaged() const { return damaged_; }

  // Removes these shards and what is of no use any more; the folder too if it is empty
  // then.
  void remove(const std::vector<std::string>& shards);

 private:
  void lock(const std::string& name, bool shared, const std::string& who);
  void remove_leftovers();

  std::string path_;
  std::vector<int> locks_;
  std::vector<std::string> damaged_;
};

// The shards of an output without touching anything; damaged ones are left out and
// counted.
struct ListedShards {
  std::vector<std::string> paths;
  std::size_t damaged = 0;
};
ListedShards list_shards(const std::string& folder);

}  // namespace basin
