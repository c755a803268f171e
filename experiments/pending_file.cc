#include "experiments/pending_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

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
int sync_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    return errno;
  }
  const int error = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return error;
}

// Applies one system call after another until all bytes are done or one does none.
// Returns 0 or errno; `bytes` is what was not done.
template <typename Byte, typename Call>
int transfer(std::uint64_t offset, std::span<Byte>& bytes, Call call) {
  while (!bytes.empty()) {
    const ssize_t done = call(bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno != EINTR) {
      return errno;
    }
    if (done == 0) {
      return 0;
    }
    if (done > 0) {
      offset += static_cast<std::uint64_t>(done);
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }
  return 0;
}

}  // namespace

void rename_and_sync(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    fail(to, errno);
  }
  const std::string folder = std::filesystem::path(to).parent_path().string();
  const int error = sync_folder(folder.empty() ? "." : folder);
  // Some file systems cannot sync a folder, and a folder may be writable but not
  // readable.
  if (error != 0 && error != EINVAL && error != ENOTSUP && error != EACCES) {
    fail(to, error);
  }
}

PendingFile::PendingFile(const std::string& target) : target_{behind_links(target)} {
  check_target(target_);
  const std::string stem = target_ + "." + std::to_string(::getpid()) + "-";
  for (int number = 0;; ++number) {
    temporary_path_ = stem + std::to_string(number) + ".partial";
    descriptor_ =
        ::open(temporary_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      return;
    }
    if (errno != EEXIST) {
      fail(target_, errno);
    }
  }
}

PendingFile::~PendingFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!published_) {
    ::unlink(temporary_path_.c_str());
  }
}

void PendingFile::read(std::uint64_t offset, std::span<std::byte> bytes) noexcept {
  std::span<std::byte> rest = bytes;
  const int error =
      transfer(offset, rest, [&](std::byte* to, std::size_t size, off_t at) {
        return ::pread(descriptor_, to, size, at);
      });
  error_ = error_ != 0 ? error_ : error;
  std::ranges::fill(rest, std::byte{0});
  const std::uint64_t end = offset + bytes.size();
  for (const Unwritten& piece : unwritten_) {
    const std::uint64_t first = std::max(offset, piece.offset);
    const std::uint64_t last = std::min(end, piece.offset + piece.bytes.size());
    if (first < last) {
      std::memcpy(bytes.data() + (first - offset),
                  piece.bytes.data() + (first - piece.offset),
                  last - first);
    }
  }
}

void PendingFile::write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  if (error_ == 0) {
    std::span<const std::byte> rest = bytes;
    error_ =
        transfer(offset, rest, [&](const std::byte* from, std::size_t size, off_t at) {
          return ::pwrite(descriptor_, from, size, at);
        });
    if (error_ == 0 && !rest.empty()) {
      error_ = ENOSPC;  // a device that takes nothing and gives no reason
    }
  }
  if (error_ != 0) {
    unwritten_.push_back({.offset = offset, .bytes = {bytes.begin(), bytes.end()}});
  }
}

void PendingFile::resize(std::uint64_t size) noexcept {
  if (error_ == 0 && ::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    error_ = errno;
  }
}

// A remote disk may report what it did not take only now.
void PendingFile::sync_and_close() {
  if (error_ == 0 && ::fsync(descriptor_) != 0) {
    error_ = errno;
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && error_ == 0) {
    error_ = errno;
  }
}

void PendingFile::publish() {
  sync_and_close();
  if (error_ != 0) {
    fail(target_, error_);
  }
  rename_and_sync(temporary_path_, target_);
  published_ = true;
}

}  // namespace basin
