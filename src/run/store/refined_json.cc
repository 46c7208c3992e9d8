#include "run/store/refined_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firm {
namespace {

using Json = nlohmann::ordered_json;

void add(Json& j, const std::string& key, const std::optional<Found>& found) {
  if (!found) return;
  j[key] = found->value;
  j[key + "_uncertainty"] = found->uncertainty;
}

Json scan_json(const RefinedScan& scan) {
  Json j = Json::object();
  if (!scan.shifts.empty()) {
    j["shifts"] = scan.shifts;
    j["uncertainty"] = scan.uncertainty();
    j["uncertainties"] = scan.uncertainties;
  }
  if (!scan.vertical.empty()) {
    j["shifts_vertical"] = scan.vertical;
    j["vertical_uncertainty"] = scan.vertical_uncertainty;
  }
  add(j, "angle_scale", scan.angle_scale);
  return j;
}

Json site_json(const RefinedSite& site) {
  Json j = Json::object();
  add(j, "axis", site.axis);
  add(j, "lag", site.lag);
  add(j, "scale", site.scale);
  if (!site.scale && !site.coupled) j["scale"] = nullptr;
  if (site.scale || !site.coupled) j["coupled"] = site.coupled;
  if (!site.gain.empty()) j["gain"] = site.gain;
  return j;
}

std::string range_text(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return fmt::format("{:.2f} to {:.2f}", low, high);
}

void add_lines(const RefinedScan& scan, std::vector<std::string>& lines) {
  if (!scan.shifts.empty()) {
    lines.push_back(fmt::format("scan {}: shifts of {} beamlets, +- {:.2f}", scan.name,
                                range_text(scan.shifts), scan.uncertainty()));
  }
  if (!scan.vertical.empty()) {
    lines.push_back(fmt::format("scan {}: vertical shifts of {} slices, +- {:.2f}", scan.name,
                                range_text(scan.vertical), scan.vertical_uncertainty));
  }
  if (scan.angle_scale) {
    lines.push_back(fmt::format("scan {}: angle step times {:.4f} +- {:.4f}", scan.name,
                                scan.angle_scale->value, scan.angle_scale->uncertainty));
  }
}

void add_lines(const RefinedSite& site, std::vector<std::string>& lines) {
  if (site.axis) {
    lines.push_back(fmt::format("{}: rotation axis {:.2f} +- {:.2f} beamlets", site.name,
                                site.axis->value, site.axis->uncertainty));
  }
  if (site.lag) {
    lines.push_back(fmt::format("{}: lag {:.1f} +- {:.1f} beamlets", site.name, site.lag->value,
                                site.lag->uncertainty));
  }
  if (!site.gain.empty()) {
    lines.push_back(fmt::format("{}: gain of {}", site.name, range_text(site.gain)));
  }
  if (site.scale && site.coupled) {
    lines.push_back(fmt::format("{}: scale {:.4g} +- {:.2g} g/cm^2 per count", site.name,
                                site.scale->value, site.scale->uncertainty));
  }
}

}  // namespace

Json refined_json(const Refinement& refinement) {
  Json scans = Json::object();
  for (const RefinedScan& scan : refinement.scans) scans[scan.name] = scan_json(scan);
  Json sites = Json::object();
  for (const RefinedSite& site : refinement.sites) sites[site.name] = site_json(site);
  return {{"scans", scans},
          {"sites", sites},
          {"rounds", refinement.rounds},
          {"notes", refinement.notes},
          {"warnings", refinement.warnings}};
}

std::vector<std::string> refinement_lines(const Refinement& refinement) {
  std::vector<std::string> lines = refinement.notes;
  for (const RefinedScan& scan : refinement.scans) add_lines(scan, lines);
  for (const RefinedSite& site : refinement.sites) add_lines(site, lines);
  for (const std::string& text : refinement.warnings) lines.push_back("warning: " + text);
  return lines;
}

}  // namespace firm
