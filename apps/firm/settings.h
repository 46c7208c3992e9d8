// Options of the command line that several verbs share: --set key=value, --max-memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace firm {

// Splits "key=value"; throws firm::Error (kUsage) when there is no "=".
std::vector<std::pair<std::string, std::string>> key_value_pairs(
    const std::vector<std::string>& texts);

// Bytes of --max-memory; none if the text is empty. Throws firm::Error (kUsage) for other texts
// than a size. `verb`: for the error.
std::optional<std::uint64_t> memory_limit(const char* verb, const std::string& text);

}  // namespace firm
