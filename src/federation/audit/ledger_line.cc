#include "federation/audit/ledger_line.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/files/sha256.h"

namespace firm {
namespace {

constexpr std::size_t kDigits = 64;

std::string ending(const std::string& chain) { return fmt::format(R"(,"chain":"{}"}})", chain); }

std::string hash_of(const std::string& last, const std::string& line) {
  Sha256 hash;
  hash.add(last);
  hash.add(line);
  return hash.finish();
}

}  // namespace

std::string LedgerChain::next_line(const nlohmann::ordered_json& line) const {
  const std::string text = line.dump();
  return text.substr(0, text.size() - 1) + ending(hash_of(last_, text));
}

bool LedgerChain::follow(const std::string& line) {
  const std::size_t size = ending(std::string(kDigits, '0')).size();
  if (line.size() < size) return false;
  const std::string chain = hash_of(last_, line.substr(0, line.size() - size) + "}");
  if (line.substr(line.size() - size) != ending(chain)) return false;
  last_ = chain;
  return true;
}

}  // namespace firm
