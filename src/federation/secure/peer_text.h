// Makes text from a peer safe for a terminal and a log.
#pragma once

#include <cstddef>
#include <string>

namespace firm {

inline constexpr std::size_t kLongestPeerText = 4000;

// Replaces control characters and invalid UTF-8 by \xNN, so that nothing moves the cursor; indents
// lines after the first, so that none looks like a line of this program; cuts the result before the
// character that exceeds `most` bytes, and ends it by " ...". The result is valid UTF-8: it can be
// sent on in a message. Cleaning it again changes nothing, unless that cuts it.
std::string peer_text(const std::string& text, std::size_t most = kLongestPeerText);

}  // namespace firm
