#include "federation/audit/ledger_line.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "federation/secure/peer_text.h"
#include "firm/error.h"
#include "io/files/sha256.h"

namespace firm {
namespace {

constexpr std::size_t kDigits = 64;
// Far beyond every line, also that of an attempt of 1000 sites.
constexpr std::size_t kLongestLine = 1 << 20;

std::string ending(const std::string& chain) { return fmt::format(R"(,"chain":"{}"}})", chain); }

std::string hash_of(const std::string& last, const std::string& line) {
  Sha256 hash;
  hash.add(last);
  hash.add(line);
  return hash.finish();
}

// Parses an object of texts, numbers and lists of them, each named once. Returns null for anything
// else: readers that differ in which of two equal names counts would see different lines.
nlohmann::json parsed(const std::string& text) {
  using Event = nlohmann::json::parse_event_t;
  std::set<std::string> names;
  bool valid = true;
  const auto check = [&](int depth, Event event, nlohmann::json& value) {
    if (event == Event::key) valid = valid && names.insert(value.get<std::string>()).second;
    if (event == Event::object_start) valid = valid && depth == 0;
    if (event == Event::array_start) valid = valid && depth == 1;
    return valid;
  };
  nlohmann::json json = nlohmann::json::parse(text, check, false);
  return valid && json.is_object() ? json : nlohmann::json();
}

bool is_message(const nlohmann::json& json) {
  const auto kind = json.find("kind");
  const auto bytes = json.find("bytes");
  return kind != json.end() && kind->is_string() && bytes != json.end() &&
         bytes->is_number_unsigned();
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

LedgerLines::LedgerLines(std::string path, std::string hint)
    : path_(std::move(path)), hint_(std::move(hint)), in_(path_), buffer_(kLongestLine + 1, '\0') {}

void LedgerLines::fail(const std::string& expected, const std::string& found) const {
  throw data_error({path_, fmt::format("line {}", number_), expected, found + hint_});
}

bool LedgerLines::next_text() {
  in_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  const auto count = static_cast<std::size_t>(in_.gcount());
  if (in_.bad()) throw data_error({path_, "", "a file that can be read", "one that cannot"});
  if (count == 0) return false;
  ++number_;
  cut_off_ = in_.eof();
  if (!cut_off_ && in_.fail()) {
    fail(fmt::format("at most {} bytes", kLongestLine), "a longer line");
  }
  text_.assign(buffer_, 0, cut_off_ ? count : count - 1);
  return true;
}

bool LedgerLines::next(nlohmann::json& line) {
  while (next_text()) {
    if (cut_off_ || text_.ends_with(kCutOff)) continue;
    line = parsed(text_);
    if (line.is_null()) fail("a line of a ledger", peer_text(text_));
    if (!line.contains("received") && !is_message(line)) {
      fail("the kind (text) and the bytes (a whole number) of a message", peer_text(text_));
    }
    if (!chain_.follow(text_)) {
      fail("the line that was written after those before it",
           "a line, or lines before it, changed later or written by an older firm");
    }
    return true;
  }
  return false;
}

}  // namespace firm
