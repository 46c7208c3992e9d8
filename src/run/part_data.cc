#include "run/part_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "prep/prepare.h"
#include "run/identity.h"
#include "run/run_json.h"

namespace firm {
namespace {

using Json = nlohmann::json;

constexpr double kAxisDigits = 1000;  // a rotation axis that was found has three

const SiteEntry& entry_of(const StudyFile& file, const std::string& name) {
  return *std::find_if(file.sites.begin(), file.sites.end(),
                       [&](const SiteEntry& e) { return e.name == name; });
}

}  // namespace

PartData read_part(const StudyFile& file, const std::string& path, const Study& study,
                   const Part& part) {
  const PreparedSite prepared =
      prepare_site(file, entry_of(file, study.sites[part.site].name), path);
  PartData result;
  result.part = part;
  result.site = prepared.site;
  result.data = {part.site, slices_of(prepared.data.values, part)};
  if (prepared.data.weights.rows() > 0) {
    result.data.weights = slices_of(prepared.data.weights, part);
  }
  result.fingerprint = fingerprint(result.data);
  result.note = {part.site, preparation_json(prepared.report),
                 preparation_lines(prepared.site.name, prepared.report)};
  return result;
}

void share_axes(const StudyFile& file, const std::vector<PartData>& own, Processes& processes,
                Study& study) {
  std::vector<int> axes(study.sites.size(), std::numeric_limits<int>::min());
  for (const PartData& p : own) {
    const SiteEntry& entry = entry_of(file, p.site.name);
    if (!entry.find_rotation_axis) continue;
    const double axis = p.site.geometry.rotation_axis * entry.binning;
    axes[p.part.site] = static_cast<int>(std::lround(axis * kAxisDigits));
  }
  processes.largest(axes);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const SiteEntry& entry = entry_of(file, study.sites[i].name);
    if (!entry.find_rotation_axis) continue;
    study.sites[i].geometry.rotation_axis = axes[i] / kAxisDigits / entry.binning;
  }
}

std::vector<PreparedNote> gather_notes(const std::vector<PartData>& own, Processes& processes) {
  Json json = Json::array();
  for (const PartData& p : own) json.push_back({p.note.site, p.note.json, p.note.lines});
  std::map<std::size_t, PreparedNote> notes;  // parts of a site have the same
  for (const std::string& bytes : processes.gather(json.dump())) {
    for (const Json& n : Json::parse(bytes)) {
      notes[n[0]] = {n[0], n[1], n[2].get<std::vector<std::string>>()};
    }
  }
  std::vector<PreparedNote> ordered;
  for (const auto& [site, note] : notes) ordered.push_back(note);
  return ordered;
}

}  // namespace firm
