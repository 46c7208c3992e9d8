#include "core/available_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace firm {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t memory_of_system() {
  std::ifstream in("/proc/meminfo");
  for (std::string field; in >> field;) {
    std::uint64_t kibibytes = 0;
    if (field == "MemAvailable:" && in >> kibibytes) return kibibytes << 10;
  }
  return kUnlimited;
}

// Empty if the group has no limit.
std::optional<std::uint64_t> limit_of(const std::filesystem::path& group) {
  std::ifstream in(group / "memory.max");
  std::uint64_t bytes = 0;
  if (in >> bytes) return bytes;
  return {};
}

// Pages of files are not counted: the group gives them back under pressure.
std::uint64_t used_by(const std::filesystem::path& group) {
  std::ifstream in(group / "memory.stat");
  std::string field;
  std::uint64_t bytes = 0;
  while (in >> field >> bytes) {
    if (field == "anon") return bytes;
  }
  return 0;
}

// Memory that the nested control groups (version 2) of this process leave.
std::uint64_t memory_of_groups() {
  std::ifstream in("/proc/self/cgroup");
  std::uint64_t left = kUnlimited;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("0::/")) continue;
    const std::filesystem::path root("/sys/fs/cgroup");
    for (auto group = root / line.substr(4); group.string().size() >= root.string().size();
         group = group.parent_path()) {
      const auto limit = limit_of(group);
      if (limit) left = std::min(left, *limit - std::min(*limit, used_by(group)));
    }
  }
  return left;
}

}  // namespace

std::uint64_t available_memory() { return std::min(memory_of_system(), memory_of_groups()); }

}  // namespace firm
