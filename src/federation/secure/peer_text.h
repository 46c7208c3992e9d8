// Makes text from a peer safe for a terminal and a log.
#pragma once

#include <string>

namespace firm {

// Replaces control characters and invalid UTF-8 by \xNN, so that nothing moves the cursor; indents
// lines after the first, so that none looks like a line of this program; cuts the text at 4000
// bytes.
std::string peer_text(const std::string& text);

}  // namespace firm
