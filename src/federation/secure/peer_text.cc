#include "federation/secure/peer_text.h"

#include <fmt/format.h>

namespace firm {
namespace {

constexpr std::size_t kMostBytes = 4000;

// Returns the number of bytes of the non-ASCII UTF-8 character that begins at `k`; 0 if there is
// none or it is one of the control characters U+0080 to U+009F.
std::size_t length_of_character(const std::string& text, std::size_t k) {
  const auto byte = [&](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
  };
  const unsigned first = byte(k);
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(k + i) & 0xc0) != 0x80) return 0;
  }
  return first == 0xc2 && byte(k + 1) < 0xa0 ? 0 : length;
}

}  // namespace

std::string peer_text(const std::string& text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (k >= kMostBytes) return result + " ...";
    const auto c = static_cast<unsigned char>(text[k]);
    if (c == '\n') {
      result += text.compare(k + 1, 2, "  ") == 0 ? "\n" : "\n  ";
    } else if (c >= ' ' && c < 0x7f) {
      result += text[k];
    } else if (const std::size_t length = length_of_character(text, k); length > 0) {
      result.append(text, k, length);
      k += length - 1;
    } else {
      result += fmt::format("\\x{:02x}", c);
    }
  }
  return result;
}

}  // namespace firm
