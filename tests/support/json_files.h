// JSON files that the program writes: summary.json, history.jsonl, ledger.jsonl.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace firm {

nlohmann::json read_json(const std::string& path);

// One document per line.
std::vector<nlohmann::json> parse_json_lines(const std::string& text);
// Empty when the file does not exist.
std::vector<nlohmann::json> read_json_lines(const std::string& path);

}  // namespace firm
