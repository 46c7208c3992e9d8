// Ledger: one line for every message that leaves a site, so that a facility can prove what went
// out.
//
//   {"time": "2026-03-01T12:00:00.123Z", "attempt": 1, "exchange": 7, "kind": "share",
//    "bytes": 250123, "sha256": "..."}
//
// Lines are only ever added. One that was cut off, by a crash or a full disk, is ended by a note
// that makes it none: its message was not sent. What is in a share is masked; its hash is that of
// what was sent.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "firm/v1/federation.pb.h"

namespace firm {

class Ledger {
 public:
  struct Sums {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };

  // Opens, or creates, the file; what is in it counts. Throws firm::Error, also for a line that is
  // no entry.
  explicit Ledger(std::string path);

  // Before the message is sent: what cannot be written down is not sent. Throws firm::Error.
  void record(const v1::SiteMessage& message);

  // By kind, over all lines of the file.
  const std::map<std::string, Sums>& sums() const { return sums_; }
  // Of all kinds.
  Sums total() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void count_lines();

  std::string path_;
  bool cut_off_ = false;  // whether the last line has no end, and its message was not sent
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::string, Sums> sums_;
};

}  // namespace firm
