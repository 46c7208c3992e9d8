#include "run/store/history.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

namespace firm {
namespace {

using Json = nlohmann::json;

// Whether a line is that of a round.
bool is_round(const Json& line) {
  if (!line.is_object() || !line.contains("round")) return false;
  return line["round"].is_number_integer() &&
         (!line.contains("chunk") || line["chunk"].is_number_unsigned());
}

// Calls `each` with every line and its parsed content until it returns false, or the line is not
// that of a round.
void for_lines(const std::string& history,
               const std::function<bool(const std::string&, const Json&)>& each) {
  std::istringstream in(history);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (!is_round(json)) return;
    if (!each(line, json)) return;
  }
}

std::string lines_where(const std::string& history,
                        const std::function<bool(std::size_t)>& wanted) {
  std::string kept;
  for_lines(history, [&](const std::string& line, const Json& json) {
    if (wanted(json.value("chunk", std::size_t{0}))) kept += line + "\n";
    return true;
  });
  return kept;
}

}  // namespace

std::string lines_before(const std::string& history, int round) {
  std::string kept;
  for_lines(history, [&](const std::string& line, const Json& json) {
    if (json["round"].get<int>() >= round) return false;
    kept += line + "\n";
    return true;
  });
  return kept;
}

std::string lines_of_chunk(const std::string& history, std::size_t chunk) {
  return lines_where(history, [=](std::size_t of) { return of == chunk; });
}

std::string lines_after_chunk(const std::string& history, std::size_t chunk) {
  return lines_where(history, [=](std::size_t of) { return of > chunk; });
}

}  // namespace firm
