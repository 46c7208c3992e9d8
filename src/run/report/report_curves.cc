#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "firm/error.h"
#include "io/files/json_file.h"
#include "report/page/run_curves.h"
#include "run/report/report_sections.h"

namespace firm {
namespace {

constexpr std::size_t kMostPoints = 2000;

// The target of a site is s times `full_scale`, its residual at a noise level of 1.
void add_target(double s, const std::string& site, const Json& full_scale, SiteTargets& targets) {
  if (full_scale.is_number() && full_scale > 0) targets[site] = s * full_scale.get<double>();
}

// Targets of each chunk, since each has its own slices; a run without chunks counts as one.
std::vector<SiteTargets> residual_targets(const Json& summary) {
  const Json options = summary.value("options", Json::object());
  const double s = options.value("stop.discrepancy", 0.0);
  std::vector<SiteTargets> targets;
  if (!(s > 0)) return targets;
  for (const Json& chunk : summary.value("chunks", Json::array())) {
    targets.emplace_back();
    const Json scales = chunk.value("full_scale", Json::object());
    for (const auto& [site, scale] : scales.items()) add_target(s, site, scale, targets.back());
  }
  if (!targets.empty()) return targets;
  targets.emplace_back();
  for (const Json& site : summary.at("sites")) {
    add_target(s, site.at("name"), site.value("full_scale", Json()), targets.back());
  }
  return targets;
}

// None for an incomplete last line.
std::optional<Json> line_of(const std::string& file, const std::string& text) {
  try {
    Json line = parse_json(file, text);
    if (line.is_object()) return line;
  } catch (const Error&) {
  }
  return {};
}

}  // namespace

void add_curves(const std::vector<std::string>& history_files, Json& document) {
  RunCurves curves(kMostPoints);
  std::vector<ChunkStart> starts;
  for (const std::string& file : history_files) {
    ChunkTimeline timeline;
    std::ifstream in(file);
    std::string text;
    for (int number = 1; std::getline(in, text); ++number) {
      std::optional<Json> line = line_of(file, text);
      if (!line) break;
      read_json_fields(fmt::format("{}:{}", file, number), "a round of a run", [&] {
        timeline.apply(*line);
        if (file == history_files.front()) curves.add_common(*line);
        // A site of a federation knows only its own error, so there is no common curve.
        if (history_files.size() == 1) curves.add_error(*line);
        curves.add_sites(*line);
      });
    }
    starts = timeline.starts();
  }
  document["curves"] = curves.json();
  document["levels"] = residual_targets_json(starts, residual_targets(document["summary"]));
}

}  // namespace firm
