// A file that is written under a temporary name and then takes the place of its target in
// one step, so that the target is either as before or complete.
#pragma once

#include <string>

namespace basin {

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
  const std::string& temporary_path() const { return temporary_path_; }

  // Syncs the temporary file, renames it over the target and syncs the folder. The file
  // must be closed. Throws OutputError.
  void publish();

 private:
  std::string target_;
  std::string temporary_path_;
  bool published_ = false;
};

}  // namespace basin
