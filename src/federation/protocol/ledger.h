// Ledger: one line for every message that leaves a site, so that a facility can prove what it sent,
// and for every attempt and total that it receives, so that ledgers can be compared.
//
//   {"time": "2026-03-01T12:00:00.123Z", "attempt": 1, "exchange": 7, "try": 0, "kind": "share",
//    "bytes": 250123, "sha256": "...", "commitment": "...", "chain": "..."}
//   {"time": "2026-03-01T12:00:00.199Z", "received": "total", "attempt": 1, "exchange": 7,
//    "try": 0, "words": 62500, "scalars": 10, "fraction_bits": 20, "sha256": "...",
//    "opened": "...", "chain": "..."}
//
// Lines are only ever appended. A line cut off by a crash or a full disk is completed by a note
// that makes it invalid: its message was not sent. The hash of a share is that of the masked bytes
// sent.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "federation/audit/ledger_line.h"
#include "firm/v1/federation.pb.h"

namespace firm {

// How a message is written down.
struct LedgerNote {
  std::string kind = {};        // of a sum that is not one of the method; empty: of the message
  std::string commitment = {};  // to a share; empty: none
};

// A total that the site has received.
struct LedgerTotal {
  std::uint32_t attempt = 0;
  std::uint64_t exchange = 0;
  std::uint32_t try_number = 0;
  std::size_t words = 0;
  std::size_t scalars = 0;
  int fraction_bits = 0;
  std::string opener = {};  // the only site that can open it; empty: all can
  std::string sha256 = {};  // the same at all sites: opened, or for one site as it arrived
  std::string opened = {};  // of the opened sum; empty if this site cannot open it
};

class Ledger {
 public:
  struct Sums {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };

  // Opens or creates the file and counts its lines. Throws firm::Error, also for a line that is
  // invalid or was changed.
  explicit Ledger(std::string path);

  // Call before sending the message. Throws firm::Error when the line cannot be written; the
  // message must then not be sent.
  void record(const v1::SiteMessage& message, const LedgerNote& note = {});

  // Write down what the site receives. `study` is the hash of the study.
  void record_begin(const v1::Begin& begin, const std::string& site, const std::string& study);
  void record_total(const LedgerTotal& total);

  // Sums over all lines of the file, by kind of message.
  const std::map<std::string, Sums>& sums() const { return sums_; }
  // Sums over all kinds.
  Sums total() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void count_lines();
  // Appends a line with its chain. Throws firm::Error.
  void write(const nlohmann::ordered_json& line);

  std::string path_;
  LedgerChain chain_;
  bool cut_off_ = false;  // the last line has no end; its message was not sent
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::string, Sums> sums_;
};

}  // namespace firm
