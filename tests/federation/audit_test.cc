// firm audit: ledgers of a run that agree, and ledgers and shares that were changed.
#include "federation/audit/audit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "federation/audit/kept_shares.h"
#include "federation/audit/ledger_line.h"
#include "federation/secure/secure_federation.h"
#include "support/temporary_directory.h"

namespace firm {
namespace {

constexpr std::uint64_t kSum = 2;  // that is tampered with, of the first attempt

class Audit : public SecureFederation {
 protected:
  void SetUp() override {
    keep_shares_ = true;
    start();
    for (int turn = 0; turn < 2; ++turn) {
      good_attempt([](const AtSite& at) {
        for (const float size : {1.0f, 1e4f, 1e-6f, 3.0f}) {
          std::vector<float> values(10, at.number == 1 ? size : 0.25f);
          double scalar = 1 + static_cast<double>(at.number);
          at.collective.sum(values, std::span(&scalar, 1));
        }
        std::vector<float> values(7, 1.0f);
        at.collective.sum_for("c", values);
        at.collective.confirm();
      });
    }
  }

  std::vector<std::string> homes() const { return {home(0), home(1), home(2)}; }
  std::string ledger(std::size_t i) const { return home(i) + "/ledger.jsonl"; }

  std::vector<std::string> lines(std::size_t i) const {
    std::vector<std::string> all;
    std::istringstream in(file_content(ledger(i)));
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  void write_lines(std::size_t i, const std::vector<std::string>& all) const {
    std::ofstream out(ledger(i));
    for (const std::string& line : all) out << line << "\n";
  }
  // Changes lines as somebody does who knows how a ledger is made: chains fit again.
  void rewrite(std::size_t i, const std::function<void(nlohmann::ordered_json&)>& change) const {
    LedgerChain chain;
    std::vector<std::string> all;
    for (const std::string& line : lines(i)) {
      auto json = nlohmann::ordered_json::parse(line);
      json.erase("chain");
      change(json);
      all.push_back(chain.next_line(json));
      EXPECT_TRUE(chain.follow(all.back()));
    }
    write_lines(i, all);
  }
  static bool is_at_sum(const nlohmann::ordered_json& line, const char* member) {
    return line.contains(member) && line.value("attempt", 0) == 1 &&
           line.value("exchange", 0) == static_cast<int>(kSum);
  }
  // The file of the share of the sum that is tampered with, in its last try.
  std::string share_file(std::size_t i) const {
    std::string last;
    for (const std::string& file : kept_share_files(home(i) + "/shares")) {
      const SharePosition p = read_kept_share(file).position;
      if (p.attempt == 1 && p.exchange == kSum) last = file;
    }
    return last;
  }

  void expect_finding(const std::string& part) const {
    const AuditReport report = audit(homes());
    EXPECT_EQ(report.findings.size(), 1u);
    for (const std::string& finding : report.findings) EXPECT_CONTAINS(finding, part);
  }
};

TEST_F(Audit, FindsNothingWrongInHonestRun) {
  const AuditReport report = audit(homes());
  EXPECT_EQ(report.findings, std::vector<std::string>{});
  EXPECT_EQ(report.missing, std::vector<std::string>{});
  ASSERT_EQ(report.ledgers.size(), kCount);
  EXPECT_EQ(report.ledgers[1].site, "b");
  EXPECT_EQ(report.ledgers[1].attempts, 2u);
  EXPECT_EQ(report.ledgers[1].sums, 12u);
  EXPECT_EQ(report.compared, 12u);
  EXPECT_EQ(report.adding_up, 12u);
  EXPECT_GE(report.matching, 3 * 12u);
}

TEST_F(Audit, TakesSomeOfTheLedgers) {
  const AuditReport report = audit({home(0), ledger(2)});
  EXPECT_EQ(report.findings, std::vector<std::string>{});
  EXPECT_EQ(report.missing, std::vector<std::string>{"b"});
  EXPECT_EQ(report.compared, 12u);
  EXPECT_EQ(report.adding_up, 0u);
}

TEST_F(Audit, RefusesSecondLedgerOfSite) {
  try {
    audit({home(0), ledger(0)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    EXPECT_CONTAINS(std::string(error.what()), "one ledger of each site");
  }
}

TEST_F(Audit, FindsLinesThatWereChangedRemovedInsertedOrMoved) {
  const std::vector<std::string> before = lines(1);
  const std::size_t at = before.size() / 2;
  const auto expect_line = [&](std::vector<std::string> changed, std::size_t line) {
    write_lines(1, changed);
    expect_finding(ledger(1) + ": line " + std::to_string(line));
  };
  std::vector<std::string> changed = before;
  changed[at].replace(changed[at].find("\"time\":\"20"), 10, "\"time\":\"19");
  expect_line(changed, at + 1);
  changed = before;
  changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
  expect_line(changed, at + 1);
  changed = before;
  changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(at), before[at]);
  expect_line(changed, at + 2);
  changed = before;
  std::swap(changed[at], changed[at + 1]);
  expect_line(changed, at + 1);
}

TEST_F(Audit, FindsLedgerThatWasCut) {
  std::vector<std::string> cut = lines(1);
  cut.resize(cut.size() - 5);
  write_lines(1, cut);
  const AuditReport report = audit({home(0), ledger(1), ledger(2)});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_CONTAINS(report.findings[0], "expected the share of b in its ledger");
}

TEST_F(Audit, NamesSiteWhoseTotalDiffers) {
  rewrite(1, [](nlohmann::ordered_json& line) {
    if (is_at_sum(line, "received")) line["sha256"] = std::string(64, 'a');
  });
  expect_finding("attempt 1, sum 2: the total differs at b");
}

TEST_F(Audit, NamesSiteWhoseStudyDiffers) {
  rewrite(2, [](nlohmann::ordered_json& line) {
    if (line.contains("study")) line["study"] = "another";
  });
  const AuditReport report = audit(homes());
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_CONTAINS(report.findings[0], "attempt 1: study, sites or first round differ at c");
}

TEST_F(Audit, NamesSiteWhoseShareDoesNotMatch) {
  const std::string file = share_file(1);
  std::string text = file_content(file);
  text[text.find('\n') + 1] ^= 1;
  std::ofstream(file) << text;
  expect_finding("attempt 1, sum 2: the share of b does not match its commitment");
}

TEST_F(Audit, NamesDamagedShare) {
  const std::string file = share_file(1);
  std::ofstream(file) << file_content(file).substr(0, 100);
  expect_finding("share of b: " + file);
}

// A site that has sent one share and written down another.
TEST_F(Audit, FindsSharesThatDoNotAddUp) {
  const std::string file = share_file(1);
  KeptShare share = read_kept_share(file);
  share.words[0] += 1;
  KeptShares(home(1) + "/shares").keep(share.plain(), share.position, share.salt);
  rewrite(1, [&](nlohmann::ordered_json& line) {
    if (!is_at_sum(line, "commitment")) return;
    if (line["try"] != share.position.try_number) return;
    line["commitment"] = commitment_to(share.plain(), share.position, share.salt);
  });
  expect_finding("attempt 1, sum 2: the shares match their commitments but do not add up");
}

TEST_F(Audit, SharesAreForTheirOwnerAlone) {
  const auto rights = std::filesystem::status(home(0) + "/shares").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_all);
}

TEST(KeptShares, StayInTheirDirectory) {
  const TemporaryDirectory directory;
  KeptShares(directory / "shares").keep({}, {"../../run", "a", 1, 2, 0}, random_salt());
  const auto files = kept_share_files(directory / "shares");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(read_kept_share(files[0]).position.run, "../../run");
  EXPECT_CONTAINS(files[0], "/shares/______run-1-2-0.share");
}

// A site does not continue a ledger that was changed.
TEST_F(Audit, LedgerThatWasChangedIsNotContinued) {
  std::vector<std::string> changed = lines(0);
  changed[3].replace(changed[3].find("\"time\":\"20"), 10, "\"time\":\"19");
  write_lines(0, changed);
  try {
    const Ledger again(ledger(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kData);
    EXPECT_CONTAINS(std::string(error.what()), "line 4: expected the line that was written after");
  }
}

}  // namespace
}  // namespace firm
