#include "firm/error.h"

#include <fmt/format.h>

#include <cstddef>

namespace firm {
namespace {

// Bytes of a part of a message that are shown: a file can have values of any length.
constexpr std::size_t kMostShown = 2000;
constexpr std::size_t kShownEnd = 400;  // of these, at the end, where hints are

// The beginning of the character of UTF-8 with this byte.
std::size_t character_at(const std::string& text, std::size_t at) {
  const std::size_t first = at < 3 ? 0 : at - 3;
  while (at > first && (static_cast<unsigned char>(text[at]) & 0xc0u) == 0x80u) --at;
  return at;
}

std::string shortened(const std::string& text) {
  if (text.size() <= kMostShown) return text;
  const std::size_t begin = character_at(text, kMostShown - kShownEnd);
  const std::size_t end = character_at(text, text.size() - kShownEnd);
  return fmt::format("{}... ({} bytes) ...{}", text.substr(0, begin), end - begin,
                     text.substr(end));
}

// Shortens a part of a message, and escapes characters that would move the cursor or change the
// colours of a terminal.
std::string shown(const std::string& part) {
  std::string text;
  for (const char c : shortened(part)) {
    const auto code = static_cast<unsigned char>(c);
    const bool control = (code < 0x20 && c != '\n' && c != '\t') || code == 0x7f;
    text += control ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return text;
}

std::string describe(const Mismatch& m) {
  std::string text;
  for (const std::string* part : {&m.where, &m.field}) {
    if (!part->empty()) text += shown(*part) + ": ";
  }
  return text + fmt::format("expected {}, found {}", shown(m.expected), shown(m.found));
}

}  // namespace

Error usage_error(const Mismatch& m) { return {Error::Kind::kUsage, describe(m)}; }

Error data_error(const Mismatch& m) { return {Error::Kind::kData, describe(m)}; }

void check_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(fmt::format("{}:{}: check failed: {}", file, line, condition));
}

}  // namespace firm
