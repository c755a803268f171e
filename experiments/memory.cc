#include "experiments/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace basin {

namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit units[] = {
    {"", 1},
    {"B", 1},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", 0x1p10},
    {"MiB", 0x1p20},
    {"GiB", 0x1p30},
    {"TiB", 0x1p40},
    {"K", 0x1p10},
    {"M", 0x1p20},
    {"G", 0x1p30},
    {"T", 0x1p40},
};

// A number in a file of its own; absent for "max" and where there is no such file.
std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file{path};
  std::int64_t value = 0;
  if (file >> value && value > 0) {
    return value;
  }
  return std::nullopt;
}

// The group's own limit and those above it; the least counts.
std::optional<std::int64_t> control_group_limit() {
  std::optional<std::int64_t> least;
  const auto take = [&](const std::string& path) {
    if (const auto value = number_in(path); value && (!least || *value < *least)) {
      least = value;
    }
  };
  std::ifstream groups{"/proc/self/cgroup"};
  std::string line;
  while (std::getline(groups, line)) {
    const bool version_2 = line.starts_with("0::");
    const std::size_t memory = line.find(":memory:");
    if (!version_2 && memory == std::string::npos) {
      continue;
    }
    const std::string root = version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const std::string file = version_2 ? "/memory.max" : "/memory.limit_in_bytes";
    std::string group = line.substr(version_2 ? 3 : memory + 8);
    take(root + file);
    while (group.size() > 1 && group.front() == '/') {
      std::string path = root;
      path += group;
      path += file;
      take(path);
      group.resize(group.rfind('/'));
    }
  }
  return least;
}

}  // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string number{text.substr(0, digits)};
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) {
    unit.remove_prefix(1);
  }
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0') {
    return std::nullopt;
  }
  for (const Unit& known : units) {
    if (unit == known.name) {
      const double bytes = value * known.bytes;
      if (!(bytes >= 1) || bytes > 0x1p62) {
        return std::nullopt;
      }
      return static_cast<std::int64_t>(bytes);
    }
  }
  return std::nullopt;
}

std::string bytes_text(double bytes) {
  if (bytes < 1e3) {
    return fmt::format("{:.0f} B", bytes);
  }
  if (bytes < 0x1p20) {
    return fmt::format("{:.0f} kB", bytes / 1e3);
  }
  if (bytes < 0x1p30) {
    return fmt::format("{:.1f} MiB", bytes / 0x1p20);
  }
  return fmt::format("{:.1f} GiB", bytes / 0x1p30);
}

std::int64_t memory_of_machine() {
  const auto physical = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  return std::min(physical, control_group_limit().value_or(physical));
}

std::int64_t default_memory_limit() {
  return memory_of_machine() / 10 * 7;
}

}  // namespace basin
