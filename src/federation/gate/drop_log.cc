#include "federation/gate/drop_log.h"

#include <fmt/format.h>

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
  ++(reason == Reason::kTooSlow ? counts.slow : counts.displaced);
}

std::optional<std::string> DropLog::line(Clock::time_point now) {
  if (hosts_.empty() || now < next_) return {};
  std::string text = "closed connections that had shown no certificate:";
  for (const auto& [host, counts] : hosts_) {
    text += fmt::format("\n  from {}:", host);
    if (counts.slow > 0) text += fmt::format(" {} after {} s", counts.slow, seconds_);
    if (counts.displaced > 0) {
      text += fmt::format("{} {} to make room for newer ones", counts.slow > 0 ? "," : "",
                          counts.displaced);
    }
  }
  if (others_ > 0) text += fmt::format("\n  from other addresses: {}", others_);
  hosts_.clear();
  others_ = 0;
  next_ = now + kPause;
  return text;
}

}  // namespace firm
