// coordinator.json: what a coordinator remembers of a run, through all times it is started.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/timing.h"
#include "federation/protocol/coordinator.h"

namespace firm {

// Can be used by several threads at once.
class CoordinatorRecord {
 public:
  // Reads what is in the directory. Throws firm::Error when it cannot be read.
  explicit CoordinatorRecord(const std::string& directory);

  CoordinatorState state() const;
  // Of the run, until now or until it was finished.
  std::uint64_t exchanges() const { return exchanges_; }
  double seconds() const;
  PeerBytes bytes(const std::string& site) const;

  // Throws firm::Error.
  void keep(const CoordinatorState& state);
  void count_exchange() { ++exchanges_; }
  void count(const std::string& site, const PeerBytes& more);
  // Keeps what was counted, if it can: no run ends because it cannot be.
  void keep_counts();

 private:
  void read();
  void write();
  double seconds_so_far() const { return state_.finished ? seconds_ : seconds_ + watch_.seconds(); }

  const std::string path_;
  mutable std::mutex mutex_;
  CoordinatorState state_;
  std::atomic<std::uint64_t> exchanges_ = 0;
  std::map<std::string, PeerBytes> bytes_;
  double seconds_ = 0;  // before watch_, or of a finished run
  Stopwatch watch_;
};

}  // namespace firm
