#include "federation/secure/peer_text.h"

#include <fmt/format.h>

namespace firm {
namespace {

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
  const unsigned second = byte(k + 1);
  const bool control = first == 0xc2 && second < 0xa0;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  const bool too_large = first == 0xf4 && second >= 0x90;
  return control || overlong || surrogate || too_large ? 0 : length;
}

// Returns the text to show for what begins at `k`, and moves `k` to its last byte.
std::string next_piece(const std::string& text, std::size_t& k) {
  const auto c = static_cast<unsigned char>(text[k]);
  if (c == '\n') return text.compare(k + 1, 2, "  ") == 0 ? "\n" : "\n  ";
  if (c >= ' ' && c < 0x7f) return {text[k]};
  const std::size_t length = length_of_character(text, k);
  if (length == 0) return fmt::format("\\x{:02x}", c);
  k += length - 1;
  return text.substr(k + 1 - length, length);
}

}  // namespace

std::string peer_text(const std::string& text, std::size_t most) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::string piece = next_piece(text, k);
    if (result.size() + piece.size() > most) return result + " ...";
    result += piece;
  }
  return result;
}

}  // namespace firm
