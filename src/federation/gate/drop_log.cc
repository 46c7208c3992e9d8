#include "federation/gate/drop_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace firm {
namespace {

constexpr std::size_t kMostHosts = 8;
constexpr std::chrono::seconds kPause(10);

}  // namespace

void DropLog::add(const PeerAddress& from, Reason reason) {
  const std::string host = from.host();
  if (hosts_.size() >= kMostHosts && !hosts_.contains(host)) {
    ++others_;
    return;
  }
  Counts& counts = hosts_[host];
  switch (reason) {
    case Reason::kTooSlow:
      ++counts.slow;
      break;
    case Reason::kDisplaced:
      ++counts.displaced;
      break;
    case Reason::kWasteful:
      ++counts.wasteful;
      break;
  }
}

std::optional<std::string> DropLog::line(Clock::time_point now) {
  if (hosts_.empty() || now < next_) return {};
  std::string text = "closed connections:";
  for (const auto& [host, counts] : hosts_) {
    std::vector<std::string> parts;
    if (counts.slow > 0) {
      parts.push_back(fmt::format("{} after {} s without a certificate", counts.slow, seconds_));
    }
    if (counts.displaced > 0) {
      parts.push_back(
          fmt::format("{} without a certificate to make room for newer ones", counts.displaced));
    }
    if (counts.wasteful > 0) {
      parts.push_back(fmt::format("{} that sent far more than messages", counts.wasteful));
    }
    text += fmt::format("\n  from {}: {}", host, fmt::join(parts, ", "));
  }
  if (others_ > 0) text += fmt::format("\n  from other addresses: {}", others_);
  hosts_.clear();
  others_ = 0;
  next_ = now + kPause;
  return text;
}

}  // namespace firm
