// A file that is written under a temporary name and then takes the place of its target in
// one step, so that the target is either as before or complete.
//
// After an error of the disk the file is lost, and publish() says so. Until then it stays
// consistent for its writer: what the disk did not take is kept in memory and read again
// from there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace basin {

// Gives a synced file its name for good, syncing the folder too. Throws OutputError.
void rename_and_sync(const std::string& from, const std::string& to);

class PendingFile {
 public:
  // Creates an empty temporary file in the target's folder. A link is followed. Throws
  // OutputError, also where the target is there but is no regular file or may not be
  // written.
  explicit PendingFile(const std::string& target);
  // Removes the temporary file if it was not published.
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  PendingFile(PendingFile&&) = delete;
  PendingFile& operator=(PendingFile&&) = delete;

  const std::string& target() const { return target_; }

  // Beyond the end of the file one reads zeros.
  void read(std::uint64_t offset, std::span<std::byte> bytes) noexcept;
  void write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
  void resize(std::uint64_t size) noexcept;

  // The system's number of the first error in the calls above; 0 without one.
  int error() const { return error_; }

  // Syncs the temporary file, renames it over the target and syncs the folder. The last
  // call. Throws OutputError, with error() if there was one.
  void publish();

 private:
  struct Unwritten {
    std::uint64_t offset;
    std::vector<std::byte> bytes;
  };

  void sync_and_close();

  std::string target_;
  std::string temporary_path_;
  int descriptor_ = -1;
  int error_ = 0;
  std::vector<Unwritten> unwritten_;  // in the order of the calls
  bool published_ = false;
};

}  // namespace basin
