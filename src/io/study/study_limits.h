// Bounds on a study file before it is parsed: the TOML library recurses once for each part of a
// dotted key, so a key of many parts would overflow the stack.
#pragma once

#include <cstddef>
#include <string>

namespace firm {

inline constexpr std::size_t kMostStudyBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMostKeyParts = 16;
inline constexpr std::size_t kMostSites = 1000;

// Throws firm::Error unless the text has at most kMostStudyBytes, and no key of more than
// kMostKeyParts parts. `path` is its name in errors.
void check_study_text(const std::string& text, const std::string& path);

}  // namespace firm
