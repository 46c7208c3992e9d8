#include "run/store/site_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "run/store/checkpoint.h"

namespace firm {
namespace {

constexpr std::size_t kKept = 3;
constexpr std::string_view kSuffix = ".h5";

}  // namespace

SiteCheckpoints::SiteCheckpoints(const RunDirectory& directory, const std::string& part)
    : directory_(directory),
      prefix_(part.empty() ? "checkpoint-" : fmt::format("checkpoint-{}-", part)) {}

std::string SiteCheckpoints::path(std::uint64_t round) const {
  return directory_.file(fmt::format("{}{}{}", prefix_, round, kSuffix));
}

std::vector<std::uint64_t> SiteCheckpoints::present() const {
  std::vector<std::uint64_t> rounds;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix_) || !name.ends_with(kSuffix)) continue;
    const char* first = name.data() + prefix_.size();
    const char* last = name.data() + name.size() - kSuffix.size();
    std::uint64_t round = 0;
    if (std::from_chars(first, last, round).ptr == last) rounds.push_back(round);
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds;
}

std::vector<std::uint64_t> SiteCheckpoints::rounds() const {
  std::vector<std::uint64_t> rounds = present();
  std::erase_if(rounds, [&](std::uint64_t round) {
    return intact_checkpoint(path(round)) != static_cast<int>(round);
  });
  return rounds;
}

void SiteCheckpoints::write(const std::string& identity, int round,
                            const std::function<void(Archive&)>& state) const {
  write_checkpoint(path(static_cast<std::uint64_t>(round)), identity, round, state);
  const std::vector<std::uint64_t> rounds = present();
  for (std::size_t k = 0; k + kKept < rounds.size(); ++k) {
    std::filesystem::remove(path(rounds[k]));
  }
}

void SiteCheckpoints::remove_after(std::uint64_t round) const {
  for (const std::uint64_t other : present()) {
    if (other > round) std::filesystem::remove(path(other));
  }
}

void SiteCheckpoints::set_aside(std::uint64_t round) const {
  std::error_code ignored;
  std::filesystem::rename(path(round), path(round) + ".other", ignored);
}

void SiteCheckpoints::remove_all() const {
  for (const std::uint64_t round : present()) std::filesystem::remove(path(round));
}

}  // namespace firm
