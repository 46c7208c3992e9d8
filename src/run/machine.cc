#include "run/machine.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace firm {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t available_memory() {
  std::ifstream in("/proc/meminfo");
  for (std::string field; in >> field;) {
    std::uint64_t kibibytes = 0;
    if (field == "MemAvailable:" && in >> kibibytes) return kibibytes << 10;
  }
  return kUnlimited;
}

// Of a file with one number; none when it says "max", or is not there.
std::optional<std::uint64_t> number_in(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return {};
}

// What the control groups of this process, one within the other, leave (version 2).
std::uint64_t memory_of_groups() {
  std::ifstream in("/proc/self/cgroup");
  std::uint64_t left = kUnlimited;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("0::/")) continue;
    const std::filesystem::path root("/sys/fs/cgroup");
    for (auto group = root / line.substr(4); group.string().size() >= root.string().size();
         group = group.parent_path()) {
      const auto most = number_in(group / "memory.max");
      const auto used = number_in(group / "memory.current");
      if (most) left = std::min(left, *most - std::min(*most, used.value_or(0)));
    }
  }
  return left;
}

}  // namespace

Machine this_machine() {
  return {current_instant(), std::min(available_memory(), memory_of_groups()),
          [](const std::string& directory) -> std::uint64_t {
            return std::filesystem::space(directory).available;
          }};
}

}  // namespace firm
