// LedgerFile: the ledger of a site as an audit reads it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace firm {

// A sum that the site has received.
struct LedgerSum {
  std::uint32_t try_number = 0;
  std::uint64_t words = 0;
  std::uint64_t scalars = 0;
  int fraction_bits = 0;
  std::string opener = {};  // the only site that can read it; empty: all can
  std::string sha256 = {};  // as all sites have received it: opened, or for one site still padded
  std::string opened = {};  // of the opened sum, if this site can open it

  // Everything that is the same at all sites.
  std::string common() const;
};

struct LedgerAttempt {
  std::string run;
  std::uint32_t number = 0;
  std::uint64_t round = 0;  // from which it resumes
  std::string study;        // hash
  std::vector<std::string> members;
  bool secure = true;
  std::map<std::uint64_t, LedgerSum> sums;  // by exchange
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::string>
      commitments;  // by exchange and try
};

struct LedgerFile {
  std::string path;
  std::string site;
  std::vector<LedgerAttempt> attempts;
};

// Reads a ledger and checks it by itself: every line is whole and follows the one before, and sums
// are numbered from 0. Throws firm::Error (kData) that names the line.
LedgerFile read_ledger(const std::string& path);

}  // namespace firm
