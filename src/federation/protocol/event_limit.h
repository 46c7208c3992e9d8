// EventLimit: keeps a peer from filling the log.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace firm {

// Lets through `burst` events at once, and one more every `pause` after that. Not thread-safe.
class EventLimit {
 public:
  using Clock = std::chrono::steady_clock;

  EventLimit(int burst, Clock::duration pause) : burst_(burst), pause_(pause), left_(burst) {}

  // Returns how many events were left out before this one; nothing if this one is left out, too.
  std::optional<std::uint64_t> pass(Clock::time_point now = Clock::now()) {
    const auto earned = (now - since_) / pause_;
    if (left_ >= burst_ || earned > burst_) {
      since_ = now;
      left_ = burst_;
    } else {
      left_ = std::min<std::int64_t>(burst_, left_ + earned);
      since_ += earned * pause_;
    }
    if (left_ <= 0) {
      ++left_out_;
      return {};
    }
    --left_;
    return std::exchange(left_out_, 0);
  }

 private:
  std::int64_t burst_;
  Clock::duration pause_;
  std::int64_t left_;
  std::uint64_t left_out_ = 0;
  Clock::time_point since_{};  // up to which pauses have been counted
};

}  // namespace firm
