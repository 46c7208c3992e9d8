#include "federation/audit/ledger_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "federation/audit/ledger_line.h"
#include "federation/audit/whole_number.h"
#include "federation/secure/peer_text.h"
#include "federation/sums/fixed_point.h"
#include "firm/error.h"

namespace firm {
namespace {

bool is_site(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 255 && std::ranges::all_of(name, allowed);
}

// 64 hexadecimal digits as firm writes them: hashes are compared as texts.
bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Error unreadable(const std::string& path) {
  return data_error({path, "", "a ledger that can be read", "none"});
}

// Every text and number is checked, since a site that lies may have written the file. The lines of
// an honest site are valid whatever its coordinator has sent to it.
class Reader {
 public:
  explicit Reader(const std::string& path) : lines_(path) { file_.path = path; }

  LedgerFile read() {
    if (!lines_.exists()) throw unreadable(file_.path);
    nlohmann::json line;
    while (lines_.next(line)) {
      try {
        take(line);
      } catch (const Error&) {
        throw;
      } catch (const std::exception&) {
        fail("a line of a ledger", peer_text(lines_.text()));
      }
    }
    if (file_.attempts.empty()) {
      throw data_error({file_.path, "", "the ledger of a site that took part in a run",
                        "one without an attempt"});
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    lines_.fail(expected, found);
  }

  void take(const nlohmann::json& json) {
    if (json.value("received", "") == "begin") return begin(json);
    if (json.value("received", "") == "total") return total(json);
    if (json.contains("commitment")) commitment(json);
  }

  void begin(const nlohmann::json& json) {
    LedgerAttempt attempt;
    json.at("run").get_to(attempt.run);
    attempt.number = whole_number<std::uint32_t>(json, "attempt");
    attempt.round = whole_number<std::uint64_t>(json, "round");
    json.at("study").get_to(attempt.study);
    json.at("members").get_to(attempt.members);
    json.at("secure").get_to(attempt.secure);
    const auto site = json.at("site").get<std::string>();
    if (file_.site.empty()) file_.site = site;
    if (site != file_.site) {
      fail("a ledger of " + peer_text(file_.site), "a line of " + peer_text(site));
    }
    const std::set<std::string> names(attempt.members.begin(), attempt.members.end());
    if (names.size() != attempt.members.size() || !names.contains(site) ||
        !std::ranges::all_of(names, is_site)) {
      fail("the names of sites, each once, with that of this site",
           peer_text(json.at("members").dump()));
    }
    file_.attempts.push_back(std::move(attempt));
  }

  // A site commits to a share of the sum after those that it has received.
  void commitment(const nlohmann::json& json) {
    LedgerAttempt& attempt = current(json);
    const std::uint64_t exchange = next_sum(attempt, json);
    const std::string text = hash(json, "commitment");
    const auto [at, inserted] =
        attempt.commitments.try_emplace({exchange, whole_number<std::uint32_t>(json, "try")}, text);
    if (at->second != text) fail(fmt::format("one commitment for sum {}", exchange), "a second");
  }

  void total(const nlohmann::json& json) {
    LedgerAttempt& attempt = current(json);
    const std::uint64_t exchange = next_sum(attempt, json);
    LedgerSum sum;
    sum.try_number = whole_number<std::uint32_t>(json, "try");
    sum.words = whole_number<std::uint64_t>(json, "words");
    sum.scalars = whole_number<std::uint64_t>(json, "scalars");
    sum.fraction_bits =
        whole_number<int>(json, "fraction_bits", kLeastFractionBits, kMostFractionBits);
    sum.sha256 = hash(json, "sha256");
    sum.opener = json.value("opener", "");
    sum.opened = json.value("opened", "");
    if (!attempt.commitments.contains({exchange, sum.try_number})) {
      fail(fmt::format("the share of sum {} before its total", exchange), "none");
    }
    check_opened(attempt, sum);
    attempt.sums.emplace(exchange, std::move(sum));
  }

  // `opened` adds to what all sites have received only at the site for which a sum is masked.
  void check_opened(const LedgerAttempt& attempt, const LedgerSum& sum) const {
    if (!sum.opener.empty() &&
        std::ranges::find(attempt.members, sum.opener) == attempt.members.end()) {
      fail("a sum for one of the sites", "one for " + peer_text(sum.opener));
    }
    const std::string found = "opened " + (sum.opened.empty() ? "absent" : peer_text(sum.opened));
    if (sum.opener.empty() || !attempt.secure) {
      if (sum.opened != sum.sha256) fail("opened " + sum.sha256 + ", as sha256", found);
    } else if (sum.opener == file_.site) {
      if (!is_hash(sum.opened)) fail("opened as a hash of 64 digits", found);
    } else if (!sum.opened.empty()) {
      fail("no opened for a sum that only " + sum.opener + " can open", found);
    }
  }

  LedgerAttempt& current(const nlohmann::json& json) {
    const auto number = whole_number<std::uint32_t>(json, "attempt");
    if (file_.attempts.empty() || file_.attempts.back().number != number) {
      fail("a line of the attempt that has begun", fmt::format("one of attempt {}", number));
    }
    return file_.attempts.back();
  }

  std::uint64_t next_sum(const LedgerAttempt& attempt, const nlohmann::json& json) const {
    const auto exchange = whole_number<std::uint64_t>(json, "exchange");
    if (exchange != attempt.sums.size()) {
      fail(fmt::format("sum {} of attempt {}", attempt.sums.size(), attempt.number),
           fmt::format("sum {}", exchange));
    }
    return exchange;
  }

  static std::string hash(const nlohmann::json& json, const char* field) {
    auto text = json.at(field).get<std::string>();
    if (!is_hash(text)) throw std::invalid_argument(field);
    return text;
  }

  LedgerFile file_;
  LedgerLines lines_;
};

}  // namespace

std::string LedgerSum::common() const {
  return fmt::format("{} {} {} {} {} {}", try_number, words, scalars, fraction_bits, opener,
                     sha256);
}

LedgerFile read_ledger(const std::string& path) {
  std::error_code none;  // a named pipe would wait for a writer
  if (!std::filesystem::is_regular_file(path, none)) throw unreadable(path);
  return Reader(path).read();
}

}  // namespace firm
