// Words of commands that are printed for a person to type.
#pragma once

#include <string>

namespace firm {

// Returns `word` as a POSIX shell takes it: unchanged if it has no special characters, else in
// single quotes.
std::string shell_quote(const std::string& word);

}  // namespace firm
