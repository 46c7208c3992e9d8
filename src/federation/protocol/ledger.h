// Ledger: one line for every message that leaves a site, so that a facility can prove what it sent.
//
//   {"time": "2026-03-01T12:00:00.123Z", "attempt": 1, "exchange": 7, "kind": "share",
//    "bytes": 250123, "sha256": "..."}
//
// Lines are only ever appended. A line cut off by a crash or a full disk is completed by a note
// that makes it invalid: its message was not sent. The hash of a share is that of the masked bytes
// sent.
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

  // Opens or creates the file and counts its lines. Throws firm::Error, also for an invalid line.
  explicit Ledger(std::string path);

  // Call before sending the message. `kind` names a sum that is not one of the method; empty: the
  // kind is that of the message. Throws firm::Error when the line cannot be written; the
  // message must then not be sent.
  void record(const v1::SiteMessage& message, const std::string& kind = "");

  // Sums over all lines of the file, by kind of message.
  const std::map<std::string, Sums>& sums() const { return sums_; }
  // Sums over all kinds.
  Sums total() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void count_lines();

  std::string path_;
  bool cut_off_ = false;  // the last line has no end; its message was not sent
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::string, Sums> sums_;
};

}  // namespace firm
