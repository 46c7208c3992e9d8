// firm audit: compares the ledgers of a run, and checks opened shares.
#include "federation/audit/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <memory>

#include "federation/secure/peer_text.h"
#include "firm/error.h"
#include "verbs.h"

namespace firm {
namespace {

int run(const std::vector<std::string>& paths) {
  const AuditReport report = audit(paths);
  for (const AuditedLedger& ledger : report.ledgers) {
    fmt::print("{}: {} attempts, {} sums, {} opened shares ({})\n", peer_text(ledger.site),
               ledger.attempts, ledger.sums, ledger.opened, ledger.path);
  }
  if (!report.missing.empty()) {
    fmt::print("not given: the ledger of {}\n",
               peer_text(fmt::format("{}", fmt::join(report.missing, ", "))));
  }
  fmt::print("{} totals are equal in all ledgers that have them\n", report.compared);
  fmt::print("{} opened shares match their commitments; {} sums are the sums of opened shares\n",
             report.matching, report.adding_up);
  if (report.findings.empty()) {
    fmt::print("Nothing is wrong.\n");
    return 0;
  }
  for (const std::string& finding : report.findings) fmt::print("WRONG: {}\n", peer_text(finding));
  return static_cast<int>(Error::Kind::kData);
}

}  // namespace

void add_audit(CLI::App& app, int& exit_code) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand(
      "audit", "Compare the ledgers of a federation, and check shares that sites have opened");
  verb->add_option("LEDGER", *paths,
                   "The --out directory of a site, or its ledger.jsonl; one for each site")
      ->required();
  verb->footer(
      "Every site writes a ledger: each message that it sends, with a commitment to each share,\n"
      "and the hash of each total that it receives. After a run, or in a dispute, sites hand\n"
      "their ledgers to whoever audits; they reveal no data. This verb\n"
      "\n"
      "  1. checks each ledger by itself: no line was changed, removed or inserted;\n"
      "  2. compares them: the same attempts, sums and totals; it names the first sum that\n"
      "     differs, and at which site;\n"
      "  3. checks shares that sites have opened: that each matches its commitment, and that the\n"
      "     shares of all sites add up to the total.\n"
      "\n"
      "A site opens shares by handing over files of OUT/shares, which firm site --keep-shares\n"
      "writes. Put them into a directory named shares beside the site's ledger. An opened share\n"
      "shows what the site computed from its data: open those that the dispute is about.\n"
      "\n"
      "Exit codes: 0 nothing is wrong, 2 wrong usage, 3 something is wrong or unreadable.\n"
      "\n"
      "Example:\n"
      "  firm audit north/xrf-1 north/xrf-2 north/xrf-3 south/xrt");
  verb->callback([paths, &exit_code] { exit_code = run(*paths); });
}

}  // namespace firm
