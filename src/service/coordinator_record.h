// CoordinatorRecord: coordinator.json, the state of a coordinator that survives restarts.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/timing.h"
#include "federation/protocol/coordinator.h"

namespace firm {

// Thread-safe.
class CoordinatorRecord {
 public:
  // Reads coordinator.json if it exists. Throws firm::Error when it cannot be read.
  explicit CoordinatorRecord(const std::string& directory);

  CoordinatorState state() const;
  // Totals of the run, until now or until it was finished.
  std::uint64_t exchanges() const { return exchanges_; }
  double seconds() const;
  PeerBytes bytes(const std::string& site) const;

  // Saves the state. Throws firm::Error and keeps the old state when that fails.
  void keep(const CoordinatorState& state);
  void count_exchange() { ++exchanges_; }
  void count(const std::string& site, const PeerBytes& more);
  // Saves the counts. Ignores errors: they are no reason to end a run.
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
  double seconds_ = 0;  // before watch_ was started; of a finished run, in all
  Stopwatch watch_;
};

}  // namespace firm
