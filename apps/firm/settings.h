// Options given as --set key=value.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace firm {

// Splits "key=value"; throws firm::Error (kUsage) when there is no "=".
std::vector<std::pair<std::string, std::string>> key_value_pairs(
    const std::vector<std::string>& texts);

}  // namespace firm
