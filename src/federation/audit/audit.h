// Audit: compares the ledgers of a run with each other, and opened shares with the commitments in
// them.
#pragma once

#include <string>
#include <vector>

namespace firm {

struct AuditedLedger {
  std::string site;
  std::string path;
  std::size_t attempts = 0;
  std::size_t sums = 0;
  std::size_t opened = 0;  // shares that lie beside the ledger
};

struct AuditReport {
  std::vector<AuditedLedger> ledgers;
  std::vector<std::string> missing;   // sites whose ledger, perhaps of one run, was not given
  std::size_t compared = 0;           // sums that are in two ledgers or more
  std::size_t matching = 0;           // opened shares that match their commitment
  std::size_t adding_up = 0;          // sums of which the shares of all sites are opened and add up
  std::vector<std::string> findings;  // what is wrong; empty: nothing
};

// `paths`: ledgers, or the directories of sites with ledger.jsonl and perhaps shares/. A ledger
// that was changed is a finding, too. Throws firm::Error (kUsage) for two ledgers of the same site.
AuditReport audit(const std::vector<std::string>& paths);

}  // namespace firm
