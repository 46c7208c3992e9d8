#include "federation/audit/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "federation/audit/kept_shares.h"
#include "federation/audit/ledger_file.h"
#include "federation/sums/fixed_point.h"
#include "firm/error.h"

namespace firm {
namespace {

struct Attempts {
  std::string run;
  std::uint32_t number = 0;
  std::map<std::string, const LedgerAttempt*> of_site;
};

std::string place(const Attempts& a, std::uint64_t exchange) {
  return fmt::format("run {}, attempt {}, sum {}", a.run, a.number, exchange);
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
      compare_beginnings(attempts);
      compare_sums(attempts);
      compare_lengths(attempts);
    }
    check_shares();
    for (const std::string& site : members_) {
      if (!ledgers_.contains(site)) report_.missing.push_back(site);
    }
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
    if (ledgers_.contains(site)) {
      throw usage_error({path.string(), "site", "one ledger of each site",
                         fmt::format("a second one of {}", site)});
    }
    const LedgerFile& ledger = ledgers_.emplace(site, std::move(*read)).first->second;
    AuditedLedger entry{site, path.string(), ledger.attempts.size(), 0, 0};
    for (const LedgerAttempt& attempt : ledger.attempts) {
      entry.sums += attempt.sums.size();
      Attempts& same = attempts_[{attempt.run, attempt.number}];
      same.run = attempt.run;
      same.number = attempt.number;
      same.of_site[site] = &attempt;
      members_.insert(attempt.members.begin(), attempt.members.end());
    }
    files_[site] = kept_share_files((path.parent_path() / "shares").string());
    entry.opened = files_[site].size();
    report_.ledgers.push_back(entry);
  }

  // Study, members and round of an attempt.
  void compare_beginnings(const Attempts& attempts) {
    std::map<std::string, std::string> texts;
    for (const auto& [site, a] : attempts.of_site) {
      texts[site] =
          fmt::format("{} {} {} {}", a->round, a->study, a->secure, fmt::join(a->members, " "));
    }
    const auto others = different(texts);
    if (others.empty()) return;
    find(fmt::format("run {}, attempt {}: study, sites or first round differ at {}", attempts.run,
                     attempts.number, fmt::join(others, ", ")));
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

  // ---- opened shares ---------------------------------------------------------------------------

  const LedgerAttempt* attempt_of(const SharePosition& p) const {
    const auto attempts = attempts_.find({p.run, p.attempt});
    if (attempts == attempts_.end()) return nullptr;
    const auto at = attempts->second.of_site.find(p.site);
    return at == attempts->second.of_site.end() ? nullptr : at->second;
  }

  // Reads sum by sum, so that memory holds the shares of one sum.
  void check_shares() {
    std::map<std::pair<std::string, std::uint32_t>,
             std::map<std::uint64_t, std::vector<std::pair<std::string, std::string>>>>
        by_sum;
    for (const auto& [site, files] : files_) {
      for (const std::string& file : files) {
        const std::optional<SharePosition> p = check_share(site, file);
        if (p) by_sum[{p->run, p->attempt}][p->exchange].emplace_back(site, file);
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
    const LedgerAttempt* const attempt = p.site == site ? attempt_of(p) : nullptr;
    const std::pair try_of_sum(p.exchange, p.try_number);
    if (attempt == nullptr || !attempt->commitments.contains(try_of_sum)) {
      find(
          fmt::format("{}: expected a share that the ledger of {} has, found another", file, site));
      return {};
    }
    if (attempt->commitments.at(try_of_sum) != commitment_to(share.plain(), p, share.salt)) {
      find(
          fmt::format("run {}, attempt {}, sum {}: the share of {} does not match its commitment "
                      "({})",
                      p.run, p.attempt, p.exchange, site, file));
      return {};
    }
    ++report_.matching;
    const auto sum = attempt->sums.find(p.exchange);
    if (sum == attempt->sums.end() || sum->second.try_number != p.try_number) return {};
    return p;
  }

  void add_up(const Attempts& attempts, std::uint64_t exchange,
              const std::vector<std::pair<std::string, std::string>>& files) {
    const LedgerAttempt& any = *attempts.of_site.at(files.front().first);
    if (files.size() < any.members.size()) return;
    const std::string& opener = any.sums.at(exchange).opener;
    const auto at = attempts.of_site.find(opener.empty() ? files.front().first : opener);
    if (at == attempts.of_site.end()) return;  // only the opener knows the sum
    KeptShare sum = read_kept_share(files.front().second);
    for (std::size_t i = 1; i < files.size(); ++i) {
      const KeptShare share = read_kept_share(files[i].second);
      if (share.words.size() != sum.words.size() || share.scalars.size() != sum.scalars.size()) {
        return find(fmt::format("{}: the share of {} has another length than that of {}",
                                place(attempts, exchange), files[i].first, files.front().first));
      }
      add(share.words, sum.words);
      add(share.scalars, sum.scalars);
    }
    if (hash_of_sum(sum.words, sum.scalars) != at->second->sums.at(exchange).opened) {
      return find(
          fmt::format("{}: the shares match their commitments but do not add up to the "
                      "total: a site has sent another share than it has written down",
                      place(attempts, exchange)));
    }
    ++report_.adding_up;
  }

  std::map<std::string, LedgerFile> ledgers_;
  std::map<std::string, std::vector<std::string>> files_;
  std::map<std::pair<std::string, std::uint32_t>, Attempts> attempts_;
  std::set<std::string> members_;
  AuditReport report_;
};

}  // namespace

AuditReport audit(const std::vector<std::string>& paths) { return Audit().run(paths); }

}  // namespace firm
