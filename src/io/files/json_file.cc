#include "io/files/json_file.h"

#include <fmt/format.h>

namespace firm {

nlohmann::ordered_json parse_json(const std::string& file, const std::string& text) {
  using Json = nlohmann::ordered_json;
  const auto limit = [&](int level, Json::parse_event_t, Json&) {
    if (level <= kMostJsonLevels) return true;
    throw data_error({file, "", fmt::format("JSON of at most {} levels", kMostJsonLevels), "more"});
  };
  return read_json_fields(file, "JSON", [&] { return Json::parse(text, limit); });
}

std::string json_problem(const nlohmann::json::exception& problem) {
  const std::string text = problem.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace firm
