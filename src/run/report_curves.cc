#include <fstream>
#include <nlohmann/json.hpp>

#include "report/run_curves.h"
#include "run/report_parts.h"

namespace firm {
namespace {

constexpr std::size_t kMostPoints = 2000;

}  // namespace

Json curves_json(const std::vector<std::string>& history_files) {
  RunCurves curves(kMostPoints);
  for (const std::string& file : history_files) {
    ContinuedRounds continued;
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) {
      Json line = Json::parse(text, nullptr, false);
      if (!line.is_object()) break;  // a line that was cut off
      continued.apply(line);
      if (file == history_files.front()) curves.add_common(line);
      // A site of a federation knows no error but its own.
      if (history_files.size() == 1) curves.add_error(line);
      curves.add_residuals(line);
    }
  }
  return curves.json();
}

}  // namespace firm
