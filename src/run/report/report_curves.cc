#include <fstream>
#include <nlohmann/json.hpp>

#include "report/page/run_curves.h"
#include "run/report/report_parts.h"

namespace firm {
namespace {

constexpr std::size_t kMostPoints = 2000;

// Of one chunk: s times the residual that a noise level of 1 stands for.
void add_level(double s, const std::string& site, const Json& full_scale, SiteLevels& levels) {
  if (full_scale.is_number() && full_scale > 0) levels[site] = s * full_scale.get<double>();
}

// Each chunk has its own slices, and so its own levels.
std::vector<SiteLevels> levels_in(const Json& summary) {
  const Json options = summary.value("options", Json::object());
  const double s = options.value("stop.discrepancy", 0.0);
  std::vector<SiteLevels> levels;
  if (!(s > 0)) return levels;
  for (const Json& chunk : summary.value("chunks", Json::array())) {
    levels.emplace_back();
    const Json scales = chunk.value("full_scale", Json::object());
    for (const auto& [site, scale] : scales.items()) add_level(s, site, scale, levels.back());
  }
  if (!levels.empty()) return levels;
  levels.emplace_back();
  for (const Json& site : summary.at("sites")) {
    add_level(s, site.at("name"), site.value("full_scale", Json()), levels.back());
  }
  return levels;
}

}  // namespace

void add_curves(const std::vector<std::string>& history_files, Json& document) {
  RunCurves curves(kMostPoints);
  std::vector<ChunkStart> starts;
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
    starts = continued.starts();
  }
  document["curves"] = curves.json();
  document["levels"] = levels_json(starts, levels_in(document["summary"]));
}

}  // namespace firm
