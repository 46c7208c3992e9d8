#include "core/shell_quote.h"

#include <algorithm>
#include <string_view>

namespace firm {
namespace {

bool is_plain(char c) {
  constexpr std::string_view kPlain = "_-./:=,+@%";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80 || kPlain.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quote(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace firm
