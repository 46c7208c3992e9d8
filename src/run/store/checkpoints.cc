#include "run/store/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "run/store/checkpoint.h"

namespace firm {
namespace {

constexpr std::size_t kKept = 3;
constexpr std::string_view kSuffix = ".h5";

}  // namespace

Checkpoints::Checkpoints(std::string place, std::string prefix)
    : place_(std::move(place)), prefix_(std::move(prefix)) {}

Checkpoints Checkpoints::single(std::string path) { return {std::move(path), ""}; }

Checkpoints Checkpoints::numbered(const std::string& directory, const std::string& name) {
  return {directory, name.empty() ? "checkpoint-" : fmt::format("checkpoint-{}-", name)};
}

std::string Checkpoints::path(std::uint64_t round) const {
  if (is_single()) return place_;
  return (std::filesystem::path(place_) / fmt::format("{}{}{}", prefix_, round, kSuffix)).string();
}

bool Checkpoints::exists() const { return is_single() && std::filesystem::exists(place_); }

std::vector<std::uint64_t> Checkpoints::present() const {
  std::vector<std::uint64_t> rounds;
  if (is_single() || !std::filesystem::is_directory(place_)) return rounds;
  for (const auto& entry : std::filesystem::directory_iterator(place_)) {
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

std::vector<std::uint64_t> Checkpoints::rounds() const {
  std::vector<std::uint64_t> rounds = present();
  std::erase_if(rounds, [&](std::uint64_t round) {
    return intact_checkpoint(path(round)) != static_cast<int>(round);
  });
  return rounds;
}

void Checkpoints::write(const std::string& identity, int round,
                        const std::function<void(Archive&)>& state) const {
  write_checkpoint(path(static_cast<std::uint64_t>(round)), identity, round, state);
  const std::vector<std::uint64_t> rounds = present();
  for (std::size_t k = 0; k + kKept < rounds.size(); ++k) {
    std::filesystem::remove(path(rounds[k]));
  }
}

void Checkpoints::remove_after(std::uint64_t round) const {
  for (const std::uint64_t other : present()) {
    if (other > round) std::filesystem::remove(path(other));
  }
}

void Checkpoints::set_aside(std::uint64_t round) const {
  std::error_code ignored;
  std::filesystem::rename(path(round), path(round) + ".other", ignored);
}

void Checkpoints::remove_all() const {
  std::error_code ignored;
  if (is_single()) std::filesystem::remove(place_, ignored);
  for (const std::uint64_t round : present()) std::filesystem::remove(path(round), ignored);
}

}  // namespace firm
