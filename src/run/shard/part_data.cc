#include "run/shard/part_data.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "run/store/identity.h"
#include "run/store/run_json.h"

namespace firm {
namespace {

using Json = nlohmann::json;

Block slices_of(const Block& all, const Part& part) {
  Block cut(all.rows(), part.slices);
  for (std::size_t row = 0; row < all.rows(); ++row) {
    for (std::size_t z = 0; z < part.slices; ++z) cut(row, z) = all(row, part.first + z);
  }
  return cut;
}

}  // namespace

PartData read_part(const EstimatedStudy& estimated, const std::string& path, const Study& study,
                   const Part& part) {
  const StudyFile& file = estimated.file;
  const std::string& name = study.sites[part.site].name;
  const auto entry = std::ranges::find(file.sites, name, &SiteEntry::name);
  PreparedSite prepared = prepare_site(file, *entry, path, all_slices(file));
  add(estimated.findings[static_cast<std::size_t>(entry - file.sites.begin())], prepared.report);
  PartData result;
  result.part = part;
  result.weighted = prepared.site.weighted_values;
  result.data = {part.site, slices_of(prepared.data.values, part)};
  if (prepared.data.weights.rows() > 0) {
    result.data.weights = slices_of(prepared.data.weights, part);
  }
  result.fingerprint = fingerprint(result.data);
  result.note = {part.site, preparation_json(prepared.report),
                 preparation_lines(name, prepared.report)};
  return result;
}

void share_weighted(const std::vector<PartData>& own, Processes& processes, Study& study) {
  std::vector<int> weighted(study.sites.size(), 0);
  for (const PartData& p : own) weighted[p.part.site] = p.weighted ? 1 : 0;
  processes.largest(weighted);
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    study.sites[i].weighted_values = weighted[i] == 1;
  }
}

std::vector<PreparedNote> gather_notes(const std::vector<PartData>& own, Processes& processes) {
  Json json = Json::array();
  for (const PartData& p : own) json.push_back({p.note.site, p.note.json, p.note.lines});
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::map<std::size_t, PreparedNote> notes;  // parts of a site have the same
  for (const std::string& bytes : processes.gather(text)) {
    for (const Json& n : Json::parse(bytes)) {
      notes[n[0]] = {n[0], n[1], n[2].get<std::vector<std::string>>()};
    }
  }
  std::vector<PreparedNote> ordered;
  for (const auto& [site, note] : notes) ordered.push_back(note);
  return ordered;
}

}  // namespace firm
