#include "federation/audit/ledger_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "federation/audit/ledger_line.h"
#include "federation/secure/peer_text.h"
#include "firm/error.h"

namespace firm {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) { file_.path = path; }

  LedgerFile read() {
    std::ifstream in(file_.path);
    if (!in) throw data_error({file_.path, "", "a ledger that can be read", "none"});
    std::string line;
    while (std::getline(in, line)) {
      ++number_;
      const auto json = nlohmann::json::parse(line, nullptr, false);
      // A crash or a full disk has cut the line off; its message was not sent.
      if (in.eof() || json.is_discarded()) continue;
      if (!chain_.follow(line)) {
        fail("the line that was written after those before it",
             "a line, or lines before it, that were changed later");
      }
      try {
        take(json);
      } catch (const nlohmann::json::exception&) {
        fail("a line of a ledger", peer_text(line));
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
    throw data_error({file_.path, fmt::format("line {}", number_), expected, found});
  }

  void take(const nlohmann::json& json) {
    if (json.value("received", "") == "begin") return begin(json);
    if (json.value("received", "") == "total") return total(json);
    if (!json.contains("commitment")) return;
    LedgerAttempt& attempt = current(json);
    const auto place =
        std::pair(json.at("exchange").get<std::uint64_t>(), json.at("try").get<std::uint32_t>());
    const auto text = json.at("commitment").get<std::string>();
    const auto [at, inserted] = attempt.commitments.try_emplace(place, text);
    if (at->second != text) {
      fail(fmt::format("one commitment for sum {}", place.first), "a second");
    }
  }

  void begin(const nlohmann::json& json) {
    LedgerAttempt attempt;
    json.at("run").get_to(attempt.run);
    json.at("attempt").get_to(attempt.number);
    json.at("round").get_to(attempt.round);
    json.at("study").get_to(attempt.study);
    json.at("members").get_to(attempt.members);
    json.at("secure").get_to(attempt.secure);
    const auto site = json.at("site").get<std::string>();
    if (file_.site.empty()) file_.site = site;
    if (site != file_.site) fail("a ledger of " + file_.site, "a line of " + peer_text(site));
    file_.attempts.push_back(std::move(attempt));
  }

  void total(const nlohmann::json& json) {
    LedgerAttempt& attempt = current(json);
    const auto exchange = json.at("exchange").get<std::uint64_t>();
    if (exchange != attempt.sums.size()) {
      fail(fmt::format("sum {} of attempt {}", attempt.sums.size(), attempt.number),
           fmt::format("sum {}", exchange));
    }
    LedgerSum& sum = attempt.sums[exchange];
    json.at("try").get_to(sum.try_number);
    json.at("words").get_to(sum.words);
    json.at("scalars").get_to(sum.scalars);
    json.at("fraction_bits").get_to(sum.fraction_bits);
    json.at("sha256").get_to(sum.sha256);
    sum.opener = json.value("opener", "");
    sum.opened = json.value("opened", "");
    if (!attempt.commitments.contains({exchange, sum.try_number})) {
      fail(fmt::format("the share of sum {} before its total", exchange), "none");
    }
  }

  LedgerAttempt& current(const nlohmann::json& json) {
    const auto number = json.at("attempt").get<std::uint32_t>();
    if (file_.attempts.empty() || file_.attempts.back().number != number) {
      fail("a line of the attempt that has begun", fmt::format("one of attempt {}", number));
    }
    return file_.attempts.back();
  }

  LedgerFile file_;
  LedgerChain chain_;
  int number_ = 0;
};

}  // namespace

std::string LedgerSum::common() const {
  return fmt::format("{} {} {} {} {} {}", try_number, words, scalars, fraction_bits, opener,
                     sha256);
}

LedgerFile read_ledger(const std::string& path) { return Reader(path).read(); }

}  // namespace firm
