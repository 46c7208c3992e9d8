#include "federation/audit/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "federation/audit/kept_shares.h"
#include "federation/audit/ledger_file.h"
#include "federation/secure/peer_text.h"
#include "federation/sums/fixed_point.h"
#include "firm/error.h"

namespace firm {
namespace {

// An attempt, in the ledgers that have it.
struct Attempts {
  std::string run;
  std::uint32_t number = 0;
  std::map<std::string, const LedgerAttempt*> of_site;
  std::set<std::string> repeated;  // sites whose ledgers have it again; they are not compared
  bool agreed = true;              // on study, sites and first round
};

using ShareFiles = std::map<std::string, std::string>;  // of one sum, by site

// The coordinator chooses the name; a long one must not hide the rest of a line.
std::string shown(const std::string& run) {
  constexpr std::size_t kMost = 64;
  std::string text = peer_text(run);
  std::ranges::replace(text, '\n', ' ');
  return text.size() <= kMost ? text : text.substr(0, kMost) + " ...";
}

std::string name(const Attempts& a) {
  return fmt::format("run {}, attempt {}", shown(a.run), a.number);
}

std::string place(const Attempts& a, std::uint64_t exchange) {
  return fmt::format("{}, sum {}", name(a), exchange);
}

// Names the sites whose text differs from that of most sites; empty if all are equal.
std::vector<std::string> different(const std::map<std::string, std::string>& text_of_site) {
  std::map<std::string, std::vector<std::string>> sites;
  for (const auto& [site, text] : text_of_site) sites[text].push_back(site);
  const auto most =
      std::ranges::max_element(sites, {}, [](const auto& entry) { return entry.second.size(); });
  std::vector<std::string> others;
  for (const auto& [text, names] : sites) {
    if (text != most->first) others.insert(others.end(), names.begin(), names.end());
  }
  // If two differ, both are named: neither is the majority.
  if (!others.empty() && 2 * most->second.size() <= text_of_site.size()) {
    others.insert(others.end(), most->second.begin(), most->second.end());
  }
  std::ranges::sort(others);
  return others;
}

class Audit {
 public:
  AuditReport run(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) read(path);
    for (auto& [key, attempts] : attempts_) {
      report_repeated(attempts);
      compare_beginnings(attempts);
      compare_sums(attempts);
      compare_lengths(attempts);
      require_attempt(attempts);
    }
    check_shares();
    for (const std::string& site : members_) {
      if (!ledgers_.contains(site)) missing_.insert(site);
    }
    report_.missing.assign(missing_.begin(), missing_.end());
    return std::move(report_);
  }

 private:
  void find(const std::string& text) { report_.findings.push_back(text); }

  void read(const std::string& given) {
    const std::filesystem::path path = std::filesystem::is_directory(given)
                                           ? std::filesystem::path(given) / "ledger.jsonl"
                                           : std::filesystem::path(given);
    std::optional<LedgerFile> read;
    try {
      read = read_ledger(path.string());
    } catch (const Error& error) {
      return find(error.what());
    }
    const std::string site = read->site;
    const auto [at, inserted] = ledgers_.try_emplace(site, std::move(*read));
    const LedgerFile& ledger = at->second;
    if (!inserted) {
      throw usage_error({path.string(), "site", "one ledger of each site",
                         fmt::format("a second one of {}, beside {}", site, ledger.path)});
    }
    AuditedLedger entry{site, path.string(), ledger.attempts.size(), 0, 0};
    for (const LedgerAttempt& attempt : ledger.attempts) {
      entry.sums += attempt.sums.size();
      add_attempt(site, attempt);
    }
    files_[site] = kept_share_files((path.parent_path() / "shares").string());
    entry.opened = files_[site].size();
    report_.ledgers.push_back(entry);
  }

  void add_attempt(const std::string& site, const LedgerAttempt& attempt) {
    Attempts& same = attempts_[{attempt.run, attempt.number}];
    same.run = attempt.run;
    same.number = attempt.number;
    members_.insert(attempt.members.begin(), attempt.members.end());
    runs_[attempt.run].insert(site);
    if (!same.of_site.try_emplace(site, &attempt).second) same.repeated.insert(site);
  }

  // A coordinator that has lost its state, or restored an old one, begins an attempt of the same
  // number again. Its sums are other ones then.
  void report_repeated(Attempts& attempts) {
    if (attempts.repeated.empty()) return;
    find(
        fmt::format("{}: expected it once in each ledger, found it again in those of {}: the "
                    "coordinator has probably repeated the number of an attempt; these ledgers "
                    "are not compared for it",
                    name(attempts), fmt::join(attempts.repeated, ", ")));
    for (const std::string& site : attempts.repeated) attempts.of_site.erase(site);
  }

  // Study, members and round of an attempt.
  void compare_beginnings(Attempts& attempts) {
    std::map<std::string, std::string> texts;
    for (const auto& [site, a] : attempts.of_site) {
      texts[site] = nlohmann::json({a->round, a->secure, a->study, a->members}).dump();
    }
    const auto others = different(texts);
    if (others.empty()) return;
    attempts.agreed = false;
    find(fmt::format("{}: study, sites or first round differ at {}", name(attempts),
                     fmt::join(others, ", ")));
  }

  // Names the first sum that differs; the sums after it depend on it.
  void compare_sums(const Attempts& attempts) {
    for (std::uint64_t exchange = 0;; ++exchange) {
      std::map<std::string, std::string> texts;
      for (const auto& [site, a] : attempts.of_site) {
        const auto sum = a->sums.find(exchange);
        if (sum != a->sums.end()) texts[site] = sum->second.common();
      }
      if (texts.size() < 2) return;
      const auto others = different(texts);
      if (!others.empty()) {
        return find(fmt::format("{}: the total differs at {}", place(attempts, exchange),
                                fmt::join(others, ", ")));
      }
      ++report_.compared;
    }
  }

  // A site that has received a sum has got the shares of all sites for it. So ledgers of an attempt
  // differ by one total at most, and have the share even of that one.
  void compare_lengths(const Attempts& attempts) {
    std::uint64_t most = 0;
    for (const auto& [site, a] : attempts.of_site) {
      most = std::max<std::uint64_t>(most, a->sums.size());
    }
    for (const auto& [site, a] : attempts.of_site) {
      if (most == 0 || a->sums.size() == most) continue;
      const auto share = a->commitments.lower_bound({most - 1, 0});
      if (a->sums.size() + 1 == most && share != a->commitments.end()) continue;
      find(
          fmt::format("{}: expected the share of {} in its ledger, since others have received the "
                      "total, found none: lines at its end are missing",
                      place(attempts, most - 1), site));
    }
  }

  // A total has the shares of all members, so that all of them have begun the attempt. A ledger
  // without anything of the run may be that of another directory: it counts as not given.
  void require_attempt(const Attempts& attempts) {
    std::set<std::string> with_sums;
    std::set<std::string> without;
    for (const auto& [site, a] : attempts.of_site) {
      if (a->sums.empty()) continue;
      with_sums.insert(site);
      for (const std::string& member : a->members) {
        if (!ledgers_.contains(member) || attempts.repeated.contains(member)) continue;
        if (!runs_.at(attempts.run).contains(member)) {
          missing_.insert(fmt::format("{} (of run {})", member, shown(attempts.run)));
        } else if (!attempts.of_site.contains(member)) {
          without.insert(member);
        }
      }
    }
    if (without.empty()) return;
    find(
        fmt::format("{}: expected it in the ledger of each site, since {} received totals in it, "
                    "found none in that of {}: lines are missing",
                    name(attempts), fmt::join(with_sums, ", "), fmt::join(without, ", ")));
  }

  // ---- opened shares ---------------------------------------------------------------------------

  // Reads sum by sum, so that memory holds the shares of one sum.
  void check_shares() {
    std::map<std::pair<std::string, std::uint32_t>, std::map<std::uint64_t, ShareFiles>> by_sum;
    for (const auto& [site, files] : files_) {
      for (const std::string& file : files) {
        const std::optional<SharePosition> p = check_share(site, file);
        if (p) by_sum[{p->run, p->attempt}][p->exchange].emplace(site, file);
      }
    }
    for (const auto& [key, sums] : by_sum) {
      for (const auto& [exchange, files] : sums) add_up(attempts_.at(key), exchange, files);
    }
  }

  // Returns the position of a share that matches its commitment and is in the sum: not one that was
  // sent again in another scale.
  std::optional<SharePosition> check_share(const std::string& site, const std::string& file) {
    KeptShare share;
    try {
      share = read_kept_share(file);
    } catch (const Error& error) {
      find(fmt::format("share of {}: {}", site, error.what()));
      return {};
    }
    const SharePosition& p = share.position;
    const auto attempts = attempts_.find({p.run, p.attempt});
    const bool known = p.site == site && attempts != attempts_.end();
    // Whether it is of the first attempt of this number or of a later one, nobody can say.
    if (known && attempts->second.repeated.contains(site)) return {};
    if (!known || !attempts->second.of_site.contains(site) ||
        !attempts->second.of_site.at(site)->commitments.contains({p.exchange, p.try_number})) {
      find(
          fmt::format("{}: expected a share that the ledger of {} has, found another", file, site));
      return {};
    }
    const LedgerAttempt& attempt = *attempts->second.of_site.at(site);
    const std::string where = place(attempts->second, p.exchange);
    if (attempt.commitments.at({p.exchange, p.try_number}) !=
        commitment_to(share.plain(), p, share.salt)) {
      find(
          fmt::format("{}: the share of {} does not match its commitment ({})", where, site, file));
      return {};
    }
    ++report_.matching;
    const auto sum = attempt.sums.find(p.exchange);
    if (sum == attempt.sums.end() || sum->second.try_number != p.try_number) return {};
    if (share.words.size() == sum->second.words && share.scalars.size() == sum->second.scalars &&
        share.fraction_bits == sum->second.fraction_bits) {
      return p;
    }
    find(
        fmt::format("{}: the share of {} matches its commitment but has another length or scale "
                    "than the total ({})",
                    where, site, file));
    return {};
  }

  // Adds the shares up if those of all sites are opened, and compares the sum with the total.
  void add_up(const Attempts& attempts, std::uint64_t exchange, const ShareFiles& files) {
    const LedgerAttempt& any = *attempts.of_site.at(files.begin()->first);
    const LedgerSum& total = any.sums.at(exchange);
    // compare_beginnings() and compare_sums() have reported ledgers that differ.
    if (!attempts.agreed) return;
    for (const std::string& member : any.members) {
      if (!files.contains(member)) return;
      if (attempts.of_site.at(member)->sums.at(exchange).common() != total.common()) return;
    }
    std::vector<std::uint32_t> words(total.words);
    std::vector<ScalarWord> scalars(total.scalars);
    for (const auto& [site, file] : files) {
      const KeptShare share = read_kept_share(file);
      add(share.words, words);
      add(share.scalars, scalars);
    }
    // In a sum for one site the others have seen noise: its content is the word of that site.
    const std::string opener = any.secure ? total.opener : "";
    const std::string& expected =
        opener.empty() ? total.sha256 : attempts.of_site.at(opener)->sums.at(exchange).opened;
    if (hash_of_sum(words, scalars) == expected) {
      ++report_.adding_up;
      return;
    }
    const std::string or_opener =
        opener.empty() ? "" : fmt::format(", or {} another total than it has opened", opener);
    find(
        fmt::format("{}: the shares match their commitments but do not add up to the total: a "
                    "site has sent another share than it has written down{}",
                    place(attempts, exchange), or_opener));
  }

  std::map<std::string, LedgerFile> ledgers_;
  std::map<std::string, std::vector<std::string>> files_;
  std::map<std::pair<std::string, std::uint32_t>, Attempts> attempts_;
  std::map<std::string, std::set<std::string>> runs_;  // sites whose ledger has something of a run
  std::set<std::string> members_;
  std::set<std::string> missing_;
  AuditReport report_;
};

}  // namespace

AuditReport audit(const std::vector<std::string>& paths) { return Audit().run(paths); }

}  // namespace firm
