#include "federation/peer_text.h"

#include <fmt/format.h>

namespace firm {
namespace {

constexpr std::size_t kMost = 4000;

}  // namespace

std::string peer_text(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (k == kMost) return result + " ...";
    const auto c = static_cast<unsigned char>(text[k]);
    if (c == '\n') {
      result += text.compare(k + 1, 2, "  ") == 0 ? "\n" : "\n  ";
    } else if (c < ' ' || c == 0x7f) {
      result += fmt::format("\\x{:02x}", c);
    } else {
      result += text[k];
    }
  }
  return result;
}

}  // namespace firm
