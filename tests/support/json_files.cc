#include "support/json_files.h"

#include <sstream>

#include "support/temporary_directory.h"

namespace firm {

nlohmann::json read_json(const std::string& path) {
  return nlohmann::json::parse(file_content(path));
}

std::vector<nlohmann::json> parse_json_lines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<nlohmann::json> read_json_lines(const std::string& path) {
  return parse_json_lines(file_content(path));
}

}  // namespace firm
