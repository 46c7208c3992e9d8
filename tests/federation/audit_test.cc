// firm audit: ledgers of a run that agree, and ledgers and shares that were changed.
#include "federation/audit/audit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "federation/audit/kept_shares.h"
#include "federation/audit/ledger_line.h"
#include "federation/secure/secure_federation.h"
#include "federation/sums/scalar_word.h"
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

  // The lines before an attempt.
  std::vector<std::string> until_begin(std::size_t i, std::uint32_t attempt) const {
    std::vector<std::string> before;
    for (const std::string& line : lines(i)) {
      const auto json = nlohmann::json::parse(line);
      if (json.contains("members") && json.at("attempt") == attempt) break;
      before.push_back(line);
    }
    return before;
  }

  // Keeps a share in place of the one with the same position, and commits to it.
  void write_down(std::size_t i, const KeptShare& share) const {
    KeptShares(home(i) + "/shares").keep(share.plain(), share.position, share.salt);
    rewrite(i, [&](nlohmann::ordered_json& line) {
      if (!is_at_sum(line, "commitment")) return;
      if (line["try"] != share.position.try_number) return;
      line["commitment"] = commitment_to(share.plain(), share.position, share.salt);
    });
  }
  // A share that the site has not sent, of the sum that is tampered with. Returns the hash of the
  // sum of the shares that are then kept.
  std::string keep_another_share(std::size_t i) const {
    KeptShare share = read_kept_share(share_file(i));
    share.words[0] += 1;
    write_down(i, share);
    KeptShare sum = read_kept_share(share_file(0));
    for (std::size_t k = 1; k < kCount; ++k) {
      const KeptShare other = read_kept_share(share_file(k));
      add(other.words, sum.words);
      add(other.scalars, sum.scalars);
    }
    return hash_of_sum(sum.words, sum.scalars);
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
    EXPECT_CONTAINS(std::string(error.what()), ledger(0) + ": site: expected one ledger of each");
    EXPECT_CONTAINS(std::string(error.what()), "a second one of a, beside " + ledger(0));
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
    if (is_at_sum(line, "received")) line["sha256"] = line["opened"] = std::string(64, 'a');
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

// A site that has sent one share and written down another, also the first one.
TEST_F(Audit, FindsSharesThatDoNotAddUp) {
  for (const std::size_t site : {1u, 0u}) {
    const std::string before = file_content(ledger(site));
    const std::string file = share_file(site);
    const KeptShare honest = read_kept_share(file);
    keep_another_share(site);
    expect_finding("attempt 1, sum 2: the shares match their commitments but do not add up");
    std::ofstream(ledger(site)) << before;
    KeptShares(home(site) + "/shares").keep(honest.plain(), honest.position, honest.salt);
  }
}

// The site also makes up the opened total, so that the shares add up to it.
TEST_F(Audit, FindsMadeUpTotal) {
  const std::string opened = keep_another_share(0);
  rewrite(0, [&](nlohmann::ordered_json& line) {
    if (is_at_sum(line, "received")) line["opened"] = opened;
  });
  expect_finding("expected opened ");
  EXPECT_CONTAINS(audit(homes()).findings.at(0), ", as sha256, found opened " + opened);
}

TEST_F(Audit, FindsShareOfOtherSizeThanTotal) {
  KeptShare share = read_kept_share(share_file(1));
  share.words.pop_back();
  write_down(1, share);
  expect_finding("attempt 1, sum 2: the share of b matches its commitment but has another length");
}

// Copies are as good as the file itself; they do not stand for the share of another site.
TEST_F(Audit, TakesCopiesOfShares) {
  std::filesystem::copy_file(share_file(1), home(1) + "/shares/copy.share");
  AuditReport report = audit(homes());
  EXPECT_EQ(report.findings, std::vector<std::string>{});
  EXPECT_EQ(report.adding_up, 12u);
  std::filesystem::remove(share_file(2));
  report = audit(homes());
  EXPECT_EQ(report.findings, std::vector<std::string>{});
  EXPECT_EQ(report.adding_up, 11u);
}

TEST_F(Audit, FindsShareOfAnotherSite) {
  const std::string file = home(1) + "/shares/of-c.share";
  std::filesystem::copy_file(share_file(2), file);
  expect_finding(file + ": expected a share that the ledger of b has, found another");
}

// ---- attempts ----------------------------------------------------------------------------------

// The lines before the second attempt are whole, and those that are cut were the last.
TEST_F(Audit, FindsLedgerThatWasCutBeforeAnAttempt) {
  write_lines(1, until_begin(1, 2));
  std::filesystem::remove_all(home(1) + "/shares");
  expect_finding(
      "attempt 2: expected it in the ledger of each site, since a, c received totals "
      "in it, found none in that of b");
}

// A site does not get the Begin of an attempt that is abandoned at once.
TEST_F(Audit, TakesAttemptWithoutSumsThatOneSiteDoesNotHave) {
  for (std::size_t i = 0; i < kCount; ++i) {
    std::vector<std::string> before = until_begin(i, 2);
    if (i != 1) before.push_back(lines(i).at(before.size()));
    write_lines(i, before);
    std::filesystem::remove_all(home(i) + "/shares");
  }
  const AuditReport report = audit(homes());
  EXPECT_EQ(report.findings, std::vector<std::string>{});
  EXPECT_EQ(report.missing, std::vector<std::string>{});
  EXPECT_EQ(report.ledgers.at(0).attempts, 2u);
  EXPECT_EQ(report.ledgers.at(1).attempts, 1u);
}

// Sites keep the lines of several runs in one directory, or each run in its own.
TEST_F(Audit, NamesRunOfWhichLedgerWasNotGiven) {
  for (std::size_t i = 0; i < kCount; ++i) {
    std::filesystem::remove_all(home(i) + "/shares");
    rewrite(i, [](nlohmann::ordered_json& line) {
      if (line.contains("run") && line["attempt"] == 2) line["run"] = "second";
    });
  }
  write_lines(1, until_begin(1, 2));
  const AuditReport report = audit(homes());
  EXPECT_EQ(report.findings, std::vector<std::string>{});
  EXPECT_EQ(report.missing, std::vector<std::string>{"b (of run second)"});
}

TEST_F(Audit, NamesCauseOfRepeatedAttempt) {
  for (std::size_t i = 0; i < kCount; ++i) {
    std::filesystem::remove_all(home(i) + "/shares");
    rewrite(i, [](nlohmann::ordered_json& line) {
      if (line["attempt"] == 2) line["attempt"] = 1;
    });
  }
  expect_finding(
      "attempt 1: expected it once in each ledger, found it again in those of a, b, c: "
      "the coordinator has probably repeated the number");
}

// ---- lines that no site writes -----------------------------------------------------------------

TEST_F(Audit, FindsLinesThatAreNoLinesOfALedger) {
  const std::vector<std::string> before = lines(1);
  const std::string place = ledger(1) + ": line 4: expected a line of a ledger";
  for (const char* text : {"a note", "", "{\"kind\":1e999}", "{\"kind\":\"a\",\"kind\":\"b\"}"}) {
    std::vector<std::string> changed = before;
    changed.insert(changed.begin() + 3, text);
    write_lines(1, changed);
    expect_finding(place);
  }
  std::vector<std::string> changed = before;
  changed.insert(changed.begin() + 3, "{\"time\":\"20 (cut off: not sent)");
  write_lines(1, changed);
  std::ofstream(ledger(1), std::ios::app) << "{\"time\":";
  EXPECT_EQ(audit(homes()).findings, std::vector<std::string>{});
}

TEST_F(Audit, FindsValuesThatNoSiteWrites) {
  using Line = nlohmann::ordered_json;
  const std::vector<std::string> before = lines(1);
  const auto expect = [&](const std::function<void(Line&)>& change, const std::string& part) {
    write_lines(1, before);
    rewrite(1, change);
    expect_finding(part);
  };
  const auto in_total = [](const char* field, const Line& value) {
    return [=](Line& line) {
      if (is_at_sum(line, "received")) line[field] = value;
    };
  };
  const auto in_begin = [](const char* field, const Line& value) {
    return [=](Line& line) {
      if (line.contains("members")) line[field] = value;
    };
  };
  const std::string any = "expected a line of a ledger, found ";
  expect(in_total("try", -1), any);
  expect(in_total("words", 10.5), any);
  expect(in_total("attempt", (std::uint64_t{1} << 32) + 1), any);
  expect(in_total("fraction_bits", 150), any);
  expect(in_total("sha256", std::string(64, 'A')), any);
  expect(in_total("exchange", 7), "expected sum 2 of attempt 1, found sum 7");
  expect(in_total("opener", "z"), "expected a sum for one of the sites, found one for z");
  expect(in_total("opener", "c"), "expected no opened for a sum that only c can open");
  expect(in_begin("members", Line::array({"a", "c"})), "with that of this site");
  expect(in_begin("members", Line::array({"a", "b", "b"})), "each once");
  expect(in_begin("members", Line::array({"a", "b", "c\n"})), "the names of sites");
  expect(
      [](Line& line) {
        if (is_at_sum(line, "commitment")) line["exchange"] = kSum + 1;
      },
      "expected sum 2 of attempt 1, found sum 3");
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
