// LimitedNotes: lines of one kind for a log. A peer that causes very many of one kind neither fills
// the log nor hides lines of other kinds. Thread-safe.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "federation/protocol/event_limit.h"

namespace firm {

class LimitedNotes {
 public:
  using Sink = std::function<void(const std::string& line)>;

  LimitedNotes(int burst, EventLimit::Clock::duration pause, Sink sink)
      : limit_(burst, pause), sink_(std::move(sink)) {}

  // Passes the line on, unless there were too many: see EventLimit.
  void note(const std::string& line) {
    const std::lock_guard lock(mutex_);
    const auto left_out = limit_.pass();
    if (!left_out) return;
    sink_(*left_out == 0
              ? line
              : line + " (" + std::to_string(*left_out) + " such lines were left out before)");
  }

 private:
  std::mutex mutex_;
  EventLimit limit_;
  const Sink sink_;
};

}  // namespace firm
