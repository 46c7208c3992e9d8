// DropLog: counts dropped connections by address, for one line of the log in ten seconds.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "federation/gate/peer_address.h"

namespace firm {

class DropLog {
 public:
  enum class Reason { kTooSlow, kDisplaced, kWasteful };
  using Clock = std::chrono::steady_clock;

  explicit DropLog(double seconds) : seconds_(seconds) {}

  void add(const PeerAddress& from, Reason reason);
  // The line that is due, if any.
  std::optional<std::string> line(Clock::time_point now);

 private:
  struct Counts {
    std::uint64_t slow = 0;
    std::uint64_t displaced = 0;
    std::uint64_t wasteful = 0;
  };

  double seconds_;                       // that connections have
  std::map<std::string, Counts> hosts_;  // at most kMostHosts
  std::uint64_t others_ = 0;             // of further hosts
  Clock::time_point next_{};
};

}  // namespace firm
