// JSON that comes from files, or goes to them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "firm/error.h"

namespace firm {

// Levels of arrays and objects within each other: functions that copy or print a document call
// themselves for each.
inline constexpr int kMostJsonLevels = 64;

// Returns the text of a document. Replaces bytes that are not UTF-8, which names and units in data
// files may have.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Parses the content of a file. Throws firm::Error if it is no JSON, or has too many levels.
nlohmann::ordered_json parse_json(const std::string& file, const std::string& text);

// The message of an exception of the JSON library, without its number.
std::string json_problem(const nlohmann::json::exception& problem);

// Calls `read`, which takes fields from the JSON of a file. Throws firm::Error if one is missing or
// of another type.
template <typename Read>
auto read_json_fields(const std::string& file, const std::string& expected, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& problem) {
    throw data_error({file, "", expected, json_problem(problem)});
  }
}

}  // namespace firm
