// What this program is: for the output file, and for people who report a bug.
#pragma once

#include <string_view>

namespace basin {

// Raised when the same scenario and seed give other results than before.
inline constexpr int semantics_version = 2;

struct BuildInfo {
  std::string_view version;  // "0.1.0"
  std::string_view
      git_revision;  // "-dirty" appended if files differed; "unknown" outside git
  std::string_view flags;
  std::string_view compiler;  // "GNU 12.2.0"
};

const BuildInfo& build_info();

}  // namespace basin
