#include "experiments/parts_folder.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/netcdf_file.h"
#include "experiments/shard_file.h"

namespace basin {

namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
  return std::generic_category().message(error);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

bool is_lock(const std::string& name) {
  return name == "lock" || (name.starts_with("task-") && name.ends_with(".lock"));
}

// What a process that was killed leaves behind.
bool is_leftover(const std::string& name) {
  return name.starts_with("unnamed-") ||
         (name.starts_with("runs-") && name.ends_with(".partial"));
}

}  // namespace

PartsFolder::PartsFolder(const std::string& output, const std::optional<Task>& task)
    : path_{path_for(output)} {
  struct stat status {};
  const fs::path parent = fs::path(output).parent_path();
  if (::stat(parent.empty() ? "." : parent.c_str(), &status) != 0) {
    throw OutputError(output, reason(errno));
  }
  if (::mkdir(path_.c_str(), 0777) != 0 && errno != EEXIST) {
    throw OutputError(path_, reason(errno));
  }
  if (::stat(path_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw OutputError(path_, "it exists and is no folder");
  }
  try {
    if (task) {
      lock("lock", true, "another sweep or merge");
      const std::string name =
          "task-" + std::to_string(task->index) + "-of-" + std::to_string(task->count);
      lock(name + ".lock", false, "another process with this --shard");
    } else {
      lock("lock", false, "another sweep, shard or merge");
      remove_leftovers();
    }
  } catch (...) {
    for (const int descriptor : locks_) {
      ::close(descriptor);
    }
    throw;
  }
}

PartsFolder::~PartsFolder() {
  // Where nothing was kept, nothing is left.
  const std::vector<std::string> names = names_in(path_);
  if (std::ranges::all_of(names, is_lock)) {
    remove({});
  }
  for (const int descriptor : locks_) {
    ::close(descriptor);
  }
}

void PartsFolder::lock(const std::string& name, bool shared, const std::string& who) {
  const std::string path = path_ + "/" + name;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw OutputError(path_, reason(errno));
  }
  locks_.push_back(descriptor);
  if (::flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      throw OutputError(path_, who + " is at work on this output");
    }
    return;  // a file system without locks
  }
  // The folder may have been removed by the process that had it before.
  struct stat held {};
  struct stat there {};
  if (::fstat(descriptor, &held) != 0 || ::stat(path.c_str(), &there) != 0 ||
      held.st_ino != there.st_ino) {
    throw OutputError(path_, "another process has just removed it; start again");
  }
}

void PartsFolder::remove_leftovers() {
  for (const std::string& name : names_in(path_)) {
    if (is_leftover(name)) {
      std::error_code ignored;
      fs::remove(path_ + "/" + name, ignored);
    }
  }
}

std::vector<std::string> PartsFolder::shards() {
  std::vector<std::string> paths;
  for (const std::string& name : names_in(path_)) {
    if (!is_shard_name(name)) {
      continue;
    }
    const std::string path = path_ + "/" + name;
    if (is_intact_shard(path)) {
      paths.push_back(path);
      continue;
    }
    std::error_code ignored;
    fs::rename(path, path_ + "/damaged-" + name, ignored);
    damaged_.push_back(path);
  }
  return paths;
}

void PartsFolder::remove(const std::vector<std::string>& shards) {
  std::error_code ignored;
  for (const std::string& path : shards) {
    fs::remove(path, ignored);
  }
  remove_leftovers();
  for (const std::string& name : names_in(path_)) {
    if (name.starts_with("damaged-runs-")) {
      fs::remove(path_ + "/" + name, ignored);
    }
  }
  const std::vector<std::string> names = names_in(path_);
  if (std::ranges::all_of(names, is_lock)) {
    for (const std::string& name : names) {
      fs::remove(path_ + "/" + name, ignored);
    }
    fs::remove(path_, ignored);
  }
}

ListedShards list_shards(const std::string& folder) {
  ListedShards listed;
  for (const std::string& name : names_in(folder)) {
    if (!is_shard_name(name)) {
      continue;
    }
    const std::string path = folder + "/" + name;
    if (is_intact_shard(path)) {
      listed.paths.push_back(path);
    } else {
      ++listed.damaged;
    }
  }
  return listed;
}

}  // namespace basin
