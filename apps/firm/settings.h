// --set key=value.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace firm {

// Throws firm::Error (kUsage) when a text is not key=value.
std::vector<std::pair<std::string, std::string>> key_value_pairs(
    const std::vector<std::string>& texts);

}  // namespace firm
