// What a peer says, fit for a terminal and a log.
#pragma once

#include <string>

namespace firm {

// Control characters, and bytes that are no UTF-8, become \xNN, so that none moves the cursor;
// lines after the first are indented, so that none looks like one of ours; what is longer than 4000
// bytes is cut.
std::string peer_text(const std::string& text);

}  // namespace firm
