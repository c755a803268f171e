#include "experiments/pending_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "experiments/netcdf_file.h"

namespace basin {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw OutputError(path, std::generic_category().message(error));
}

std::string behind_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) {
    return path;
  }
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  return error ? path : resolved.string();  // a dangling link is replaced
}

void check_target(const std::string& path) {
  if (path.empty()) {
    throw OutputError(path, "the name is empty");
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return;  // it is not there, or creating the temporary file says why not
  }
  if (S_ISDIR(status.st_mode)) {
    fail(path, EISDIR);
  }
  if (!S_ISREG(status.st_mode)) {
    throw OutputError(path, "it exists and is not a regular file");
  }
  // Renaming asks the folder for permission, not the file, and would replace a file that
  // its owner has made read-only.
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    fail(path, errno);
  }
}

// Returns 0 or errno.
int sync(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) {
    return errno;
  }
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return error;
}

}  // namespace

PendingFile::PendingFile(const std::string& target) : target_{behind_links(target)} {
  check_target(target_);
  const std::string stem = target_ + "." + std::to_string(::getpid()) + "-";
  for (int number = 0;; ++number) {
    temporary_path_ = stem + std::to_string(number) + ".partial";
    const int descriptor =
        ::open(temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      ::close(descriptor);
      return;
    }
    if (errno != EEXIST) {
      fail(target_, errno);
    }
  }
}

PendingFile::~PendingFile() {
  if (!published_) {
    ::unlink(temporary_path_.c_str());
  }
}

void PendingFile::publish() {
  if (const int error = sync(temporary_path_, O_RDONLY); error != 0) {
    fail(target_, error);
  }
  if (std::rename(temporary_path_.c_str(), target_.c_str()) != 0) {
    fail(target_, errno);
  }
  published_ = true;
  const std::string folder = std::filesystem::path(target_).parent_path().string();
  const int error = sync(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a folder, and a folder may be writable but not
  // readable.
  if (error != 0 && error != EINVAL && error != ENOTSUP && error != EACCES) {
    fail(target_, error);
  }
}

}  // namespace basin
